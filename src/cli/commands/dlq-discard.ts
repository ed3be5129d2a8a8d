import { userInfo } from 'node:os';
import { z } from 'zod';
import { discardDeadLetter } from '../../service/dead-letters.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findLetters } from '../find-letters.ts';
import { withNats } from '../nats-access.ts';
import { readOptions, required } from '../options.ts';

const schema = z.object({ reason: z.string().optional() });

/** `backflow dlq discard`: removes letters for good. The recorded outcome stays `failed`; who, when and why is kept. */
export async function dlqDiscard({ output, args, options }: CommandCall): Promise<ExitCode> {
  const reason = required(readOptions(schema, options).reason, '--reason', 'say why the letters are not needed');
  return withNats('write', async (link) => {
    const letters = await findLetters(link, args);
    const by = userInfo().username;
    for (const stored of letters) {
      await discardDeadLetter(link, stored, { id: stored.letter.id, by, at: Date.now(), reason });
    }
    const sequences = letters.map(({ sequence }) => sequence);
    output.answer({ discarded: sequences, by, reason }, () => `discarded: ${sequences.join(', ')}`);
    return EXIT.ok;
  });
}
