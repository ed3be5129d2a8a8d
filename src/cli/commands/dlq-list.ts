import { z } from 'zod';
import type { DeadLetter } from '../../domain/outcome.ts';
import { allDeadLetters } from '../../service/dead-letters.ts';
import { readDeadLetters, type StoredDeadLetter } from '../../service/history.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { limitOption, readOptions } from '../options.ts';
import { clip, formatTable, formatTime } from '../output.ts';

const schema = z.object({ target: z.string().optional(), limit: limitOption(50), group: z.boolean().optional() });

/** A cause that letters have in common. */
export interface LetterGroup {
  readonly target: string;
  readonly channel?: string;
  readonly class: string;
  readonly code: string;
  readonly count: number;
  /** Epoch milliseconds. */
  readonly newest: number;
  /** Sequence and message of the newest. */
  readonly example: number;
  readonly message: string;
}

/** `backflow dlq list`: dead letters without their bodies, or one row for each cause. */
export async function dlqList({ output, options }: CommandCall): Promise<ExitCode> {
  const { target, limit, group = false } = readOptions(schema, options);
  if (group) {
    const groups = await withNats('read', (link) => groupLetters(allDeadLetters(link, target)));
    const shown = groups.slice(0, limit);
    output.answer(shown, () => (shown.length === 0 ? 'no dead letters' : formatGroups(shown)));
  } else {
    const letters = await withNats('read', (link) => readDeadLetters(link, { target, limit }));
    const rows = letters.map(({ sequence, letter }) => ({ ...letterJson(sequence, letter), body: undefined }));
    output.answer(rows, () => (letters.length === 0 ? 'no dead letters' : formatLetters(letters)));
  }
  return EXIT.ok;
}

/** A letter as JSON: `sequence` names it in the dead letters, `changeSequence` the change that failed in CHANGES. */
export function letterJson(sequence: number, { sequence: changeSequence, ...letter }: DeadLetter) {
  return { sequence, ...letter, changeSequence };
}

function formatLetters(letters: readonly StoredDeadLetter[]): string {
  return formatTable(
    ['SEQUENCE', 'WHEN (UTC)', 'TARGET', 'CHANNEL', 'ASSET', 'ASPECT', 'CAUSE'],
    letters.map(({ sequence, letter }) => [
      sequence,
      formatTime(letter.at),
      letter.target ?? '_intake',
      letter.channel,
      clip([letter.asset?.fqn, letter.object].filter(Boolean).join('.'), 60),
      letter.aspect,
      clip(`${letter.failure.class} ${letter.failure.code}: ${letter.failure.message}`, 100),
    ]),
  );
}

function formatGroups(groups: readonly LetterGroup[]): string {
  return formatTable(
    ['COUNT', 'TARGET', 'CHANNEL', 'CLASS', 'CODE', 'NEWEST (UTC)', 'EXAMPLE', 'MESSAGE'],
    groups.map((one) => [
      one.count,
      one.target,
      one.channel,
      one.class,
      one.code,
      formatTime(one.newest),
      one.example,
      clip(one.message, 80),
    ]),
  );
}

/** Groups letters (oldest first) by target, channel and cause; the largest group comes first. */
export async function groupLetters(
  letters: AsyncIterable<StoredDeadLetter> | Iterable<StoredDeadLetter>,
): Promise<readonly LetterGroup[]> {
  const groups = new Map<string, LetterGroup>();
  for await (const { sequence, letter } of letters) {
    const { class: failureClass, code, message } = letter.failure;
    const key = JSON.stringify([letter.target ?? null, letter.channel ?? null, failureClass, code]);
    groups.set(key, {
      target: letter.target ?? '_intake',
      ...(letter.channel === undefined ? {} : { channel: letter.channel }),
      class: failureClass,
      code,
      count: (groups.get(key)?.count ?? 0) + 1,
      newest: letter.at,
      example: sequence,
      message,
    });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}
