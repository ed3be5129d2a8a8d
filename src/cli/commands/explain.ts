import type { FilterTrace } from '../../channels/channel.ts';
import { assetOf } from '../../service/asset-name.ts';
import { type Explanation, explainAsset } from '../../service/explain.ts';
import type { CommandCall } from '../command.ts';
import { configInForce } from '../config-in-force.ts';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { printable } from '../output.ts';
import { formatRuns, notAnAsset } from './runs.ts';

/** `backflow explain`: what would be decided for the newest state of an asset, clause by clause, and what was last recorded. */
export async function explain({ output, args }: CommandCall): Promise<ExitCode> {
  const [fqn = ''] = args;
  if (assetOf(fqn) === undefined) throw new UsageError(notAnAsset(fqn));
  const explanation = await withNats('read', async (link) => explainAsset(link, await configInForce(link), fqn));
  if (explanation === undefined) {
    output.answer({ fqn, known: false }, () => `nothing is known of ${printable(fqn)}: no change of it has come in`);
    return EXIT.problems;
  }
  output.answer(explanation, () => formatExplanation(explanation));
  return EXIT.ok;
}

function formatExplanation({ fqn, entityType, target, configRevision, aspects, last }: Explanation): string {
  const lines = [`${printable(fqn)} (${entityType}) on target ${target}, configuration revision ${configRevision}`];
  for (const { aspect, object, channels } of aspects) {
    lines.push('', `${aspect}${object === '' ? '' : ` of column ${printable(object)}`}`);
    if (channels.length === 0) lines.push('  no channel writes this');
    for (const { channel, answer, filter } of channels) {
      lines.push(`  ${channel}: ${printable(answer)}`);
      if (filter !== undefined) lines.push(...formatFilter(filter, '    '));
    }
  }
  lines.push('', last.length === 0 ? 'no outcome is recorded yet' : `last recorded:\n${formatRuns(last)}`);
  return lines.join('\n');
}

function formatFilter({ clause, result, children }: FilterTrace, indent: string): string[] {
  return [
    `${indent}${result ? '✓' : '✗'} ${printable(clause)}`,
    ...children.flatMap((child) => formatFilter(child, `${indent}  `)),
  ];
}
