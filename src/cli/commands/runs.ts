import { z } from 'zod';
import type { OutcomeStatus } from '../../domain/outcome.ts';
import { assetOf } from '../../service/asset-name.ts';
import { type Run, readRuns } from '../../service/history.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { limitOption, readOptions, wordOption } from '../options.ts';
import { clip, formatTable, formatTime, printable } from '../output.ts';

const STATUSES = [
  'applied',
  'unchanged',
  'superseded',
  'skipped',
  'failed',
  'observed',
] as const satisfies readonly OutcomeStatus[];

const schema = z.object({
  target: z.string().optional(),
  status: wordOption(STATUSES),
  channel: z.string().optional(),
  asset: z.string().optional(),
  event: z.string().optional(),
  full: z.boolean().optional(),
  limit: limitOption(20),
});

/** `backflow runs`: recorded outcomes, newest first. */
export async function runs({ output, options }: CommandCall): Promise<ExitCode> {
  const { target, status, channel, asset, event, full, limit } = readOptions(schema, options);
  const named = asset === undefined ? undefined : assetOf(asset);
  if (asset !== undefined && named === undefined) throw new UsageError(`--asset: ${notAnAsset(asset)}`);
  const found = await withNats('read', (link) =>
    readRuns(link, {
      limit,
      target,
      status,
      channel,
      eventId: event,
      whole: full,
      asset: named?.asset.fqn,
      column: named?.column,
    }),
  );
  output.answer(found, () => {
    if (found.length === 0) return 'no outcome is recorded that fits';
    return full === true ? found.map(formatWholeRun).join('\n\n') : formatRuns(found);
  });
  return EXIT.ok;
}

export function notAnAsset(fqn: string): string {
  return `${JSON.stringify(fqn)} names no asset; write service.database, service.database.schema or service.database.schema.table, with quotes around names that hold dots`;
}

export function formatRuns(runs: readonly Run[]): string {
  return formatTable(
    ['RECORDED (UTC)', 'STATUS', 'TARGET', 'ASSET', 'ASPECT', 'CHANNEL', 'WHAT'],
    runs.map((run) => [
      formatTime(run.recordedAt),
      run.status,
      run.target,
      clip(describeObject(run), 60),
      run.aspect,
      run.channel,
      clip(run.failure?.message ?? run.reason ?? run.statements?.join('; ') ?? '', 100),
    ]),
  );
}

/** One run with everything that is known of its value, nothing cut. */
function formatWholeRun(run: Run): string {
  const head = [formatTime(run.recordedAt), run.status, run.target, describeObject(run), run.aspect, run.channel];
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['event', run.eventId],
    ['reason', run.failure?.message ?? run.reason],
    ['before', run.before],
    ['after', run.after],
    ...(run.statements ?? []).map((statement) => ['statement', statement] as const),
    ...(run.notes ?? []).map((note) => ['note', note] as const),
  ];
  return [
    printable(head.filter((part) => part !== undefined).join('  ')),
    ...lines.flatMap(([name, text]) => (text === undefined ? [] : [`  ${name}: ${printable(text)}`])),
  ].join('\n');
}

function describeObject(run: Run): string {
  const asset = run.asset ?? '';
  return run.object === '' ? asset : `${asset}.${run.object}`;
}
