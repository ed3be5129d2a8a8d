import { z } from 'zod';
import { allDeadLetters, type Replayed, removeDeadLetter, replayLetters } from '../../service/dead-letters.ts';
import { wholeLetters } from '../../service/whole-letters.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import { findLetters } from '../find-letters.ts';
import { withNats } from '../nats-access.ts';
import { readOptions } from '../options.ts';
import type { Output } from '../output.ts';
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
    if (all && !yes) return answerCount(await count(allDeadLetters(link, target)), target, output);
    const letters = wholeLetters(link, all ? allDeadLetters(link, target) : await findLetters(link, args));
    const stored = async (sequence: number): Promise<void> => {
      if (!keep) await removeDeadLetter(link, sequence);
    };
    const replayed = await replayLetters(commandPublisher(link), link.maxPayload(), letters, Date.now, stored);
    output.answer({ replayed }, () =>
      replayed.length === 0 ? 'no dead letters' : replayed.map(formatReplayed).join('\n'),
    );
    return replayed.every(({ result }) => result === 'replayed') ? EXIT.ok : EXIT.problems;
  });
}

async function count(letters: AsyncIterable<unknown>): Promise<number> {
  let found = 0;
  for await (const _ of letters) found += 1;
  return found;
}

/** Replaying everything is asked for twice: without `--yes` nothing is done, and a script notices. */
function answerCount(letters: number, target: string | undefined, output: Output): ExitCode {
  const of = target === undefined ? '' : ` of ${target}`;
  const remark = letters === 0 ? '' : '; add --yes to do it';
  output.answer(
    { replayed: [], wouldReplay: letters },
    () => `${letters} dead ${letters === 1 ? 'letter' : 'letters'}${of} would be replayed${remark}`,
  );
  return letters === 0 ? EXIT.ok : EXIT.usage;
}

function formatReplayed({ letters, result, target, channel, eventId, stream, sequence, reason }: Replayed): string {
  const which = `${letters.length === 1 ? 'letter' : 'letters'} ${letters.join(', ')}`;
  if (result !== 'replayed') return `${which} cannot be replayed: ${reason ?? ''}`;
  const whom = channel === undefined ? target : `${target}, channel ${channel}`;
  const change =
    eventId === undefined ? `message ${sequence} of ${stream}` : `event ${eventId} (message ${sequence} of ${stream})`;
  return `${which} replayed for ${whom}: ${change}`;
}
