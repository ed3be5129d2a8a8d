import type { NatsLink } from '../../streams/nats/connection.ts';
import { getBySequence } from '../../streams/nats/stored-messages.ts';
import type { DeadLetter } from '../domain/outcome.ts';
import { STREAMS } from '../domain/subjects.ts';
import { changeBody } from './change-body.ts';
import type { StoredDeadLetter } from './history.ts';

/** The letters, one after the other; a body that was cut becomes whole again for as long as CHANGES has the change. */
export async function* wholeLetters(
  link: NatsLink,
  letters: AsyncIterable<StoredDeadLetter> | Iterable<StoredDeadLetter>,
): AsyncGenerator<StoredDeadLetter> {
  for await (const one of letters) yield { ...one, letter: await wholeLetter(link, one.letter) };
}

async function wholeLetter(link: NatsLink, letter: DeadLetter): Promise<DeadLetter> {
  if (letter.bodyCut !== true || letter.target === undefined || letter.sequence === undefined) return letter;
  const message = await getBySequence(link, STREAMS.changes, letter.sequence);
  const body = message === undefined ? undefined : await changeBody(link, message);
  if (body === undefined) return letter;
  const { bodyCut: _, ...rest } = letter;
  return { ...rest, body: Buffer.from(body).toString('utf8') };
}
