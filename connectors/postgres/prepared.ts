import type { Session } from '../postgres-wire/database-pools.ts';

/** A statement that a session parses and plans once. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

/** Sessions that keep no statements: behind a pooler that gives each transaction another session of the server. */
const FORGETFUL = new WeakSet<Session>();

/** The server does not know the statement (26000), or has one of this name from somebody else of the pooler's (42P05). */
const MIXED_UP: ReadonlySet<string> = new Set(['26000', '42P05']);

/** The rows of a prepared statement; outside of transactions only. Throws the driver's errors. */
export async function askPrepared<Row extends object>(
  session: Session,
  { name, text }: Prepared,
  lists: readonly (readonly (string | null)[])[],
): Promise<readonly Row[]> {
  const values = [...lists];
  if (!FORGETFUL.has(session)) {
    try {
      return (await session.query<Row>({ name, text, values })).rows;
    } catch (error) {
      if (!isMixedUp(error)) throw error;
      FORGETFUL.add(session);
    }
  }
  return (await session.query<Row>(text, values)).rows;
}

function isMixedUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && MIXED_UP.has(error.code);
}
