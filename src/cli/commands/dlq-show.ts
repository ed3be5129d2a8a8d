import type { DeadLetter } from '../../domain/outcome.ts';
import { discardedNote, findDeadLetter } from '../../service/dead-letters.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findLetters } from '../find-letters.ts';
import { withNats } from '../nats-access.ts';
import { formatTime, printable } from '../output.ts';
import { letterJson } from './dlq-list.ts';

/** `backflow dlq show`: everything that a letter holds; of a discarded one who discarded it, and why. */
export async function dlqShow({ output, args }: CommandCall): Promise<ExitCode> {
  const [name = ''] = args;
  return withNats('read', async (link) => {
    const stored = await findDeadLetter(link, name);
    if (stored !== undefined) {
      const { sequence, letter } = stored;
      output.answer(letterJson(sequence, letter), () => formatLetter(sequence, letter));
      return EXIT.ok;
    }
    const note = /^\d{1,15}$/.test(name) ? await discardedNote(link, Number(name)) : undefined;
    if (note === undefined) await findLetters(link, [name]);
    output.answer({ sequence: Number(name), discarded: note }, () =>
      note === undefined ? '' : `discarded by ${note.by} at ${formatTime(note.at)}: ${printable(note.reason)}`,
    );
    return EXIT.problems;
  });
}

function formatLetter(sequence: number, letter: DeadLetter): string {
  const rows: readonly (readonly [string, string | number | undefined])[] = [
    ['sequence', sequence],
    ['id', letter.id],
    ['when', `${formatTime(letter.at)} UTC`],
    ['target', letter.target ?? '_intake'],
    ['channel', letter.channel],
    ['asset', letter.asset?.fqn],
    ['object', letter.object],
    ['aspect', letter.aspect],
    ['event', letter.eventId],
    ['change', letter.sequence],
    ['class', letter.failure.class],
    ['code', letter.failure.code],
    ['message', letter.failure.message],
    ['attempts', letter.attempts],
    ['trace', letter.traceId],
    ...(letter.statements ?? []).map((statement): readonly [string, string] => ['statement', statement]),
  ];
  const lines = rows.flatMap(([label, value]) =>
    value === undefined || value === '' ? [] : [`${label.padEnd(10)} ${printable(String(value))}`],
  );
  const cut = letter.bodyCut === true ? ' (only its beginning is kept)' : '';
  return [...lines, `body${cut}`, printable(letter.body)].join('\n');
}
