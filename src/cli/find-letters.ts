import type { NatsLink } from '../../streams/nats/connection.ts';
import { BackflowError } from '../domain/failure.ts';
import { findDeadLetter } from '../service/dead-letters.ts';
import type { StoredDeadLetter } from '../service/history.ts';

/** The letters that a person named, all of them or an error that says which is missing. */
export async function findLetters(link: NatsLink, names: readonly string[]): Promise<readonly StoredDeadLetter[]> {
  const found: StoredDeadLetter[] = [];
  for (const name of names) {
    const letter = await findDeadLetter(link, name);
    if (letter === undefined) {
      const message = `there is no dead letter ${JSON.stringify(name)}; backflow dlq list shows their sequences and ids`;
      throw new BackflowError('no-letter', 'not_found', message);
    }
    if (!found.some(({ sequence }) => sequence === letter.sequence)) found.push(letter);
  }
  return found;
}
