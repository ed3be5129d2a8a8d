import type { ConnectorSpec } from '../../connectors/contract.ts';
import type { Channel, TemplateSlot } from '../channels/channel.ts';
import type { Aspect, Level } from '../domain/entity.ts';

/** What a channel that is true for an object does about one aspect of it, in words: it may be asked for what nobody can write. */
export function explainWrite(
  channel: Channel,
  aspect: Aspect,
  level: Level,
  spec: Pick<ConnectorSpec, 'name' | 'abilities'> | undefined,
): string {
  if (channel.templates.length > 0) {
    if (!channel.templates.some((slot) => mayServe(slot, aspect, level)))
      return `nothing: no template of the channel serves ${said(aspect)} of a ${level}`;
  } else if (spec !== undefined) {
    const abilities = spec.abilities.filter((ability) => ability.aspect === aspect && ability.level === level);
    if (!abilities.some(({ set, clear }) => set || clear))
      return `nothing: ${spec.name} cannot write ${said(aspect)} of a ${level}; only a template could`;
  }
  return channel.mode === 'observe' ? 'would write, but only observes' : 'writes';
}

const said = (aspect: Aspect): string => (aspect === 'description' ? 'the description' : `the ${aspect}`);

function mayServe({ aspect, level, template }: TemplateSlot, wanted: Aspect, at: Level): boolean {
  const ownAspect = aspect ?? template.serves.aspect;
  return (ownAspect === undefined || ownAspect === wanted) && (level ?? template.serves.level) === at;
}
