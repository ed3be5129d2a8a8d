import { managingChannels, objectName } from '../../actors/asset-coalescer/decide-field.ts';
import { connectorFor } from '../../connectors/registry.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { getLast } from '../../streams/nats/stored-messages.ts';
import type { FilterTrace } from '../channels/channel.ts';
import { chooseChannels } from '../channels/choose-channel.ts';
import type { CompiledConfig } from '../config/compiled.ts';
import { assetKey } from '../domain/asset.ts';
import { ASPECTS, type Aspect, type EntityType, type Field, levelOf } from '../domain/entity.ts';
import { parseFqn } from '../domain/fqn.ts';
import { parseMessage } from '../domain/parse-change-event.ts';
import { changeSubject, outcomeSubject, STREAMS } from '../domain/subjects.ts';
import { assetOf } from './asset-name.ts';
import { changeBody } from './change-body.ts';
import { explainWrite } from './explain-write.ts';
import { type Run, wholeRunsOf } from './history.ts';
import { WholeValuesReader } from './whole-values.ts';

export interface ChannelExplanation {
  readonly channel: string;
  readonly answer: string;
  readonly filter?: FilterTrace;
}

export interface AspectExplanation {
  readonly aspect: Aspect;
  readonly object: string;
  readonly channels: readonly ChannelExplanation[];
}

/** Why a change of an asset is, or is not, written back. */
export interface Explanation {
  readonly fqn: string;
  readonly entityType: EntityType;
  readonly target: string;
  readonly configRevision: number;
  /** What would be decided for the newest state in CHANGES; empty when none is known there. */
  readonly aspects: readonly AspectExplanation[];
  /** What was last recorded, newest first. */
  readonly last: readonly Run[];
}

/** Explains from the configuration in force, the newest change in CHANGES and the last outcome. Undefined: nothing is known of it. */
export async function explainAsset(
  link: NatsLink,
  config: CompiledConfig,
  fqn: string,
): Promise<Explanation | undefined> {
  const named = assetOf(fqn);
  if (named === undefined) return undefined;
  const { asset, column } = named;
  const service = parseFqn(asset.fqn);
  const target = service.ok ? (service.value[0] ?? '') : '';
  const change = await getLast(link, STREAMS.changes, changeSubject(target, asset));
  const outcome = await getLast(link, STREAMS.outcomes, outcomeSubject(target, assetKey(asset)));
  if (change === undefined && outcome === undefined) return undefined;
  const body = change === undefined ? undefined : await changeBody(link, change);
  const parsed = body === undefined ? undefined : parseMessage(body).find((part) => part.kind === 'change');
  const snapshot = parsed?.event.snapshot;
  const spec = connectorFor(config.targets.get(target)?.connector ?? '')?.spec;
  const aspects = ASPECTS.map((aspect): AspectExplanation => {
    const field: Field = column === undefined ? { aspect } : { aspect, column };
    const managing = managingChannels(target, asset, field, config);
    const answers = snapshot === undefined ? [] : chooseChannels(managing, snapshot, undefined, aspect);
    const channels = managing.map((channel, index): ChannelExplanation => {
      const answer = answers[index];
      const words =
        answer === undefined
          ? 'no state is known to evaluate the filter on'
          : answer.kind === 'writes'
            ? explainWrite(channel, aspect, levelOf(asset.entityType, column !== undefined), spec)
            : answer.kind === 'shadowed'
              ? `shadowed by channel ${answer.by}`
              : answer.reason;
      return {
        channel: channel.name,
        answer: words,
        ...(snapshot === undefined ? {} : { filter: channel.filter.explain(snapshot) }),
      };
    });
    return { aspect, object: objectName(field), channels };
  });
  const last = outcome === undefined ? [] : (await wholeRunsOf(outcome, new WholeValuesReader(link))).reverse();
  return { fqn: asset.fqn, entityType: asset.entityType, target, configRevision: config.revision, aspects, last };
}
