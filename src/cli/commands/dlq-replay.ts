import { z } from 'zod';
import type { NatsLink } from '../../../streams/nats/connection.ts';
import { groupForReplay, type Replayed, removeDeadLetter, replayGroup } from '../../service/dead-letters.ts';
import { readDeadLetters, type StoredDeadLetter } from '../../service/history.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import { findLetters } from '../find-letters.ts';
import { withNats } from '../nats-access.ts';
import { readOptions } from '../options.ts';
import { commandPublisher } from '../publisher.ts';

const schema = z.object({
  all: z.boolean().optional(),
  target: z.string().optional(),
  yes: z.boolean().optional(),
  keep: z.boolean().optional(),
});

/**
 * `backflow dlq replay`: each letter becomes a new change for the target and channel that it failed on. The recorded `failed`
 * stands; the new change gets an outcome of its own. A letter goes once its replay is stored, unless it is to be kept.
 */
export async function dlqReplay({ output, args, options }: CommandCall): Promise<ExitCode> {
  const { all = false, target, yes = false, keep = false } = readOptions(schema, options);
  if (all === args.length > 0) throw new UsageError('name the letters to replay, or give --all (and --target)');
  if (!all && target !== undefined) throw new UsageError('--target goes with --all');
  return withNats('write', async (link) => {
    const letters = all
      ? await readDeadLetters(link, { target, limit: Number.POSITIVE_INFINITY })
      : await findLetters(link, args);
    if (all && !yes) {
      const of = target === undefined ? '' : ` of ${target}`;
      const remark = letters.length === 0 ? '' : '; add --yes to do it';
      output.answer(
        { replayed: [], wouldReplay: letters.length },
        () => `${letters.length} dead ${letters.length === 1 ? 'letter' : 'letters'}${of} would be replayed${remark}`,
      );
      return letters.length === 0 ? EXIT.ok : EXIT.usage;
    }
    const replayed = await replayAll(link, letters, keep);
    output.answer({ replayed }, () =>
      replayed.length === 0 ? 'no dead letters' : replayed.map(formatReplayed).join('\n'),
    );
    return replayed.every(({ result }) => result === 'replayed') ? EXIT.ok : EXIT.problems;
  });
}

/** One after the other, oldest first, so that an interruption leaves what was not replayed where it is. */
async function replayAll(
  link: NatsLink,
  letters: readonly StoredDeadLetter[],
  keep: boolean,
): Promise<readonly Replayed[]> {
  const publisher = commandPublisher(link);
  const replayed: Replayed[] = [];
  for (const group of groupForReplay(letters.toSorted((a, b) => a.sequence - b.sequence))) {
    const answer = await replayGroup(publisher, group, Date.now());
    if (answer === undefined) continue;
    replayed.push(answer);
    if (answer.result !== 'replayed' || keep) continue;
    for (const sequence of answer.letters) await removeDeadLetter(link, sequence);
  }
  return replayed;
}

function formatReplayed({ letters, result, target, channel, eventId, stream, sequence, reason }: Replayed): string {
  const which = `${letters.length === 1 ? 'letter' : 'letters'} ${letters.join(', ')}`;
  if (result !== 'replayed') return `${which} cannot be replayed: ${reason ?? ''}`;
  const whom = channel === undefined ? target : `${target}, channel ${channel}`;
  const change =
    eventId === undefined ? `message ${sequence} of ${stream}` : `event ${eventId} (message ${sequence} of ${stream})`;
  return `${which} replayed for ${whom}: ${change}`;
}
