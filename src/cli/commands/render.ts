import { z } from 'zod';
import type { Connector } from '../../../connectors/contract.ts';
import { allConnectors, connectorFor } from '../../../connectors/registry.ts';
import type { CompiledConfig } from '../../config/compiled.ts';
import { suggestion } from '../../config/did-you-mean.ts';
import type { ChangeEvent } from '../../domain/change-event.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { checkConfig } from '../../service/configuration.ts';
import { partsOfFile } from '../../service/read-events.ts';
import {
  channelRules,
  type RenderedEvent,
  type RenderProblem,
  type RenderRules,
  type RenderSkip,
  renderEvent,
  templateRules,
} from '../../service/render-event.ts';
import { compileTemplate } from '../../template/compile.ts';
import type { CompiledTemplate } from '../../template/template.ts';
import type { CommandCall } from '../command.ts';
import { answerProblems } from '../config-problems.ts';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import { readOptions, required } from '../options.ts';
import { type Output, printable } from '../output.ts';
import { readConfig, readInput } from '../read-input.ts';

const schema = z.object({
  connector: z.string().optional(),
  template: z.string().optional(),
  templateFile: z.string().optional(),
  channel: z.string().optional(),
  file: z.string().optional(),
  event: z.string().optional(),
});
type Options = z.output<typeof schema>;

/** Rules for an event; an error is a reason to pass the event over. */
type RulesFor = (event: ChangeEvent) => Result<RenderRules, string>;

/** `backflow render`: the statements that an event leads to, by a template, a channel or the connector's own plan. No server. */
export async function render({ output, options: given }: CommandCall): Promise<ExitCode> {
  const options = readOptions(schema, given);
  const eventPath = required(options.event, '--event', 'name the file with the change event');
  const ways = [options.template, options.templateFile, options.channel].filter((way) => way !== undefined);
  if (ways.length > 1) throw new UsageError('give one of --template, --template-file and --channel');
  if (options.channel !== undefined) {
    const path = required(options.file, '-f', 'name the configuration that holds the channel');
    const loaded = await readConfig(path);
    const checked = loaded.ok ? checkConfig(loaded.value) : loaded;
    if (!checked.ok) return answerProblems(checked.error, output);
    const connector = options.connector === undefined ? undefined : connectorNamed(options.connector);
    return renderFile(eventPath, rulesOfChannel(checked.value, options.channel, connector), output);
  }
  if (options.file !== undefined) throw new UsageError('-f goes with --channel');
  const connector = connectorNamed(
    required(options.connector, '--connector', 'one of the names in "backflow connectors"'),
  );
  const source = await templateText(options);
  const template = source === undefined ? ok(undefined) : compileTemplate(source, connector.spec.dialect);
  if (!template.ok) return answer({ statements: [], notes: [], skipped: [], errors: template.error }, output);
  const rules: RulesFor = (event) => ok(templateRules(connector, template.value, event));
  return renderFile(eventPath, rules, output, template.value);
}

function connectorNamed(name: string): Connector {
  const connector = connectorFor(name);
  if (connector !== undefined) return connector;
  const names = allConnectors().map(({ spec }) => spec.name);
  throw new UsageError(
    `--connector: there is no ${JSON.stringify(name)}; ${suggestion(name, names, 'known connectors')}`,
  );
}

/** A file ends with a line break that its author does not mean. */
async function templateText({ template, templateFile }: Options): Promise<string | undefined> {
  if (templateFile === undefined) return template;
  return (await readInput(templateFile)).toString('utf8').replace(/\r?\n$/, '');
}

/** The channel as the target of the event's service sees it, or the first target of the connector that it can write to. */
function rulesOfChannel(config: CompiledConfig, name: string, wanted: Connector | undefined): RulesFor {
  const names = config.channels.map((channel) => channel.name);
  if (!names.includes(name)) {
    throw new UsageError(
      `--channel: there is no ${JSON.stringify(name)}; ${suggestion(name, names, 'known channels')}`,
    );
  }
  const candidates = [...config.targets.values()].flatMap((target) => {
    const connector = connectorFor(target.connector);
    const channel = config.channelsOf(target.service).find((one) => one.name === name);
    if (connector === undefined || channel === undefined) return [];
    return wanted === undefined || wanted === connector ? [{ target, connector, channel }] : [];
  });
  return (event) => {
    const found = candidates.find(({ target }) => target.service === event.service) ?? candidates[0];
    if (found !== undefined) return ok(channelRules(found.connector, found.target.service, found.channel, config));
    return err(`the channel ${name} writes to no target of ${wanted?.spec.name ?? 'any connector'}`);
  };
}

async function renderFile(
  path: string,
  rulesFor: RulesFor,
  output: Output,
  template?: CompiledTemplate,
): Promise<ExitCode> {
  const rendered: RenderedEvent[] = [];
  const add = (part: Partial<RenderedEvent>): void => {
    rendered.push({ statements: [], notes: [], skipped: [], errors: [], ...part });
  };
  for (const { part, line } of partsOfFile(await readInput(path))) {
    if (part.kind === 'change') {
      const rules = rulesFor(part.event);
      if (rules.ok) rendered.push(renderEvent(part.event, rules.value));
      else add({ skipped: [{ asset: part.event.fqn, object: '', reason: rules.error }] });
    } else if (part.kind === 'problem') {
      const { message, where } = part.problem;
      const hint = 'give the change event as the catalogue sends it';
      add({ errors: [{ line: line ?? 1, column: 1, message: `${path}: ${message} (at ${where})`, hint }] });
    } else {
      const reason =
        part.kind === 'test' ? 'it is no change event' : `changes of a ${part.entityType} are never written back`;
      add({ skipped: [{ asset: '', object: '', reason }] });
    }
  }
  const statements = rendered.flatMap((one) => one.statements);
  const notes = new Set(rendered.flatMap((one) => one.notes));
  if (template !== undefined && statements.length === 0) {
    const { aspect = 'any change', level } = template.serves;
    notes.add(`The event touches nothing that the template serves (${aspect} of a ${level}).`);
  }
  return answer(
    {
      statements,
      notes: [...notes],
      skipped: rendered.flatMap((one) => one.skipped),
      errors: rendered.flatMap((one) => one.errors),
    },
    output,
  );
}

function answer({ statements, notes, skipped, errors }: RenderedEvent, output: Output): ExitCode {
  if (errors.length > 0) {
    const shown = errors.map(({ line, column, message, hint }) => ({ line, column, message, hint: hint ?? null }));
    output.answer({ errors: shown, statements, skipped }, () => '');
    if (!output.json) for (const problem of errors) output.say(formatProblem(problem));
    return EXIT.problems;
  }
  output.answer({ statements, notes, skipped }, () => statements.map(lineOf).join('\n'));
  if (!output.json) {
    for (const skip of skipped) output.say(`no statement: ${formatSkip(skip)}`);
    for (const note of notes) output.say(`note: ${printable(note)}`);
  }
  return EXIT.ok;
}

/** Exactly as it runs, for whatever reads it; on a terminal control characters could do harm and are shown instead. */
function lineOf(statement: string): string {
  return process.stdout.isTTY ? statement.split('\n').map(printable).join('\n') : statement;
}

function formatProblem({ line, column, message, hint }: RenderProblem): string {
  return `line ${line}, column ${column}: ${printable(message)}${hint === undefined ? '' : `\n  → ${printable(hint)}`}`;
}

function formatSkip({ asset, aspect, object, reason }: RenderSkip): string {
  const what = [aspect === undefined ? undefined : `${aspect} of`, printable(asset)]
    .filter((word) => word !== undefined && word !== '')
    .join(' ');
  const column = object === '' ? '' : `.${printable(object)}`;
  return what === '' ? printable(reason) : `${what}${column}: ${printable(reason)}`;
}
