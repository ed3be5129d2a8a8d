import type { Dialect } from '../../connectors/dialect/dialect.ts';
import type { TemplateSlot } from '../channels/channel.ts';
import { type Aspect, LEVELS, type Level } from '../domain/entity.ts';
import { compileTemplate } from '../template/compile.ts';
import type { CompiledTemplate } from '../template/template.ts';
import type { ConfigPath, ConfigProblem } from './problem.ts';
import type { ChannelDocument, TemplateDocument } from './schema.ts';

type Report = (problem: ConfigProblem) => void;

/**
 * The templates of a channel for one dialect. A single `template` serves the level of its deepest name and the aspect of its
 * variables; an entry of `templates` serves what it says, and for what it does not say the same.
 */
export function compileTemplates(
  channel: ChannelDocument,
  update: ReadonlySet<Aspect>,
  dialect: Dialect,
  place: ConfigPath,
  report: Report,
): readonly TemplateSlot[] {
  if (channel.template !== undefined) {
    if (channel.templates !== undefined) {
      const hint = 'move it into templates as one more entry with its "sql"';
      report({ path: [...place, 'template'], message: 'a channel has either "template" or "templates"', hint });
      return [];
    }
    const slot = compileSlot({ sql: channel.template }, update, dialect, [...place, 'template'], undefined, report);
    return slot === undefined ? [] : [slot];
  }
  const entries = channel.templates ?? [];
  const seen = new Map<string, number>();
  return entries.flatMap((entry, index) => {
    const at = [...place, 'templates', index];
    const slot = compileSlot(entry, update, dialect, [...at, 'sql'], at, report);
    if (slot === undefined) return [];
    const key = JSON.stringify([slot.aspect ?? '*', slot.level ?? '*', slot.action ?? '*']);
    const earlier = seen.get(key);
    seen.set(key, earlier ?? index);
    if (earlier === undefined) return [slot];
    const message = `serves the same aspect, level and action as templates[${earlier}]`;
    report({ path: at, message, hint: 'keep one of them, or give them different "aspect", "level" or "action"' });
    return [];
  });
}

function compileSlot(
  entry: TemplateDocument,
  update: ReadonlySet<Aspect>,
  dialect: Dialect,
  textPlace: ConfigPath,
  entryPlace: ConfigPath | undefined,
  report: Report,
): TemplateSlot | undefined {
  const compiled = compileTemplate(entry.sql, dialect);
  if (!compiled.ok) {
    for (const { line, column, message, hint } of compiled.error) {
      report({ path: textPlace, inside: { line, column }, message, ...(hint === undefined ? {} : { hint }) });
    }
    return undefined;
  }
  const template = compiled.value;
  const aspect = entry.aspect ?? template.serves.aspect;
  const level = entry.level ?? template.serves.level;
  const problem = slotProblem(entry, template, aspect, level, update);
  if (problem !== undefined) {
    const { key, ...rest } = problem;
    report({ path: key === undefined || entryPlace === undefined ? textPlace : [...entryPlace, key], ...rest });
    return undefined;
  }
  return {
    ...(aspect === undefined ? {} : { aspect }),
    level,
    ...(entry.action === undefined ? {} : { action: entry.action }),
    template,
  };
}

interface SlotProblem {
  readonly key?: keyof TemplateDocument;
  readonly message: string;
  readonly hint: string;
}

const SWITCH: Readonly<Record<Aspect, string>> = { description: 'descriptions', tags: 'tags', owners: 'owners' };
const ACTIONS: Readonly<Record<Aspect, readonly string[]>> = {
  description: ['set', 'clear'],
  owners: ['set', 'clear'],
  tags: ['add', 'remove'],
};

/** What makes the entry impossible to serve, although its text is well formed. */
function slotProblem(
  entry: TemplateDocument,
  template: CompiledTemplate,
  aspect: Aspect | undefined,
  level: Level,
  update: ReadonlySet<Aspect>,
): SlotProblem | undefined {
  const { serves } = template;
  if (serves.aspect !== undefined && entry.aspect !== undefined && serves.aspect !== entry.aspect) {
    return {
      key: 'aspect',
      message: `the template uses variables of ${serves.aspect}, so it cannot serve ${entry.aspect}`,
      hint: `write aspect: ${serves.aspect}`,
    };
  }
  if (LEVELS.indexOf(level) < LEVELS.indexOf(serves.level)) {
    return {
      key: 'level',
      message: `the template names a ${serves.level}, which a change of a ${level} does not have`,
      hint: `write level: ${serves.level}`,
    };
  }
  if (aspect === undefined) return undefined;
  if (!update.has(aspect)) {
    return {
      message: `the template serves ${aspect}, which this channel does not update`,
      hint: `set update.${SWITCH[aspect]} to true, or remove the template`,
    };
  }
  if (entry.action !== undefined && !ACTIONS[aspect].includes(entry.action)) {
    return {
      key: 'action',
      message: `${aspect} has no action "${entry.action}"`,
      hint: `write one of: ${ACTIONS[aspect].join(', ')}`,
    };
  }
  if (entry.action === 'clear' && template.variables.has('owner')) {
    return {
      key: 'action',
      message: '{owner} has no value where an owner is cleared',
      hint: 'write the statement without {owner}',
    };
  }
  return undefined;
}
