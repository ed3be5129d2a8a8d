import { z } from 'zod';
import type { OutcomeStatus } from '../../domain/outcome.ts';
import { assetOf } from '../../service/asset-name.ts';
import { type Run, readRuns } from '../../service/history.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { limitOption, readOptions, wordOption } from '../options.ts';
import { clip, formatTable, formatTime } from '../output.ts';

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
  limit: limitOption(20),
});

/** `backflow runs`: recorded outcomes, newest first. */
export async function runs({ output, options }: CommandCall): Promise<ExitCode> {
  const { target, status, channel, asset, event, limit } = readOptions(schema, options);
  const named = asset === undefined ? undefined : assetOf(asset);
  if (asset !== undefined && named === undefined) throw new UsageError(`--asset: ${notAnAsset(asset)}`);
  const found = await withNats('read', (link) =>
    readRuns(link, {
      limit,
      target,
      status,
      channel,
      eventId: event,
      asset: named?.asset.fqn,
      column: named?.column,
    }),
  );
  output.answer(found, () => (found.length === 0 ? 'no outcome is recorded that fits' : formatRuns(found)));
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

function describeObject(run: Run): string {
  const asset = run.asset ?? '';
  return run.object === '' ? asset : `${asset}.${run.object}`;
}
