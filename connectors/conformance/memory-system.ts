/** What one object of the in-memory system holds. */
interface Row {
  readonly kind: string;
  description: string | undefined;
  owner: string;
  readonly tags: Map<string, string>;
}

/** An error of the system, with a code as real ones have. */
export class MemoryFault extends Error {
  readonly code: 'syntax' | 'no-object' | 'no-principal' | 'denied' | 'disconnected' | 'refused' | 'unreachable';

  constructor(code: MemoryFault['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const NAME = `"(?:[^"]|"")*"`;
const LITERAL = `'(?:[^']|'')*'`;
const STATEMENT = new RegExp(
  String.raw`^(?<verb>DESCRIBE|GIVE|TAG|UNTAG) (?<names>${NAME}(?:\.${NAME})*) (?<first>NULL|${LITERAL})(?: (?<second>${LITERAL}))?(?: /\*[^*]*\*/)?$`,
  'u',
);

/** Addresses are JSON arrays of names. */
export function addressOf(names: readonly string[]): string {
  return JSON.stringify(names);
}

/**
 * A small system with a statement language of its own, sessions that can break, locks and a journal. Literals know one escape, the
 * doubled quote. It exists so that the conformance kit can be tested against connectors that are wrong on purpose.
 *
 *     DESCRIBE "s"."t" 'text' | DESCRIBE "s"."t" NULL | GIVE "s" 'owner' | TAG "s"."t" 'key' 'value' | UNTAG "s"."t" 'key'
 */
export class MemorySystem {
  readonly rows = new Map<string, Row>();
  readonly principals = new Set<string>(['root', 'ada', 'grace']);
  readonly denied = new Set<string>();
  readonly password: string;
  readonly #sessions = new Set<symbol>();
  readonly #locks = new Map<string, (() => void)[]>();
  #journal: string[] = [];

  constructor(password: string) {
    this.password = password;
  }

  add(names: readonly string[], kind: string): void {
    this.rows.set(addressOf(names), { kind, description: undefined, owner: 'root', tags: new Map() });
  }

  connect(password: string): symbol {
    if (password !== this.password) throw new MemoryFault('refused', 'wrong password');
    const session = Symbol('session');
    this.#sessions.add(session);
    return session;
  }

  alive(session: symbol): void {
    if (!this.#sessions.has(session)) throw new MemoryFault('disconnected', 'the session is gone');
  }

  breakSessions(): void {
    this.#sessions.clear();
    for (const waiting of this.#locks.values()) {
      waiting.splice(0).forEach((wake) => {
        wake();
      });
    }
  }

  lock(names: readonly string[]): () => void {
    const address = addressOf(names);
    this.#locks.set(address, []);
    return () => {
      const waiting = this.#locks.get(address) ?? [];
      this.#locks.delete(address);
      for (const wake of waiting) wake();
    };
  }

  takeJournal(): readonly string[] {
    const journal = this.#journal;
    this.#journal = [];
    return journal;
  }

  /** All or nothing, like a transaction. */
  async run(session: symbol, statements: readonly string[]): Promise<void> {
    this.alive(session);
    const undo: (() => void)[] = [];
    try {
      for (const statement of statements) {
        const { names, apply } = this.#parse(statement);
        const waiting = this.#locks.get(addressOf(names));
        if (waiting !== undefined) await new Promise<void>((wake) => waiting.push(wake));
        this.alive(session);
        this.#journal.push(statement.replace(/ \/\*[^*]*\*\/$/, ''));
        undo.push(apply());
      }
    } catch (error) {
      for (const one of undo.toReversed()) one();
      throw error;
    }
  }

  dump(): Map<string, string> {
    const dump = new Map<string, string>();
    for (const [address, { kind, description, owner, tags }] of this.rows) {
      dump.set(`kind ${address}`, kind);
      dump.set(`description ${address}`, description ?? '');
      dump.set(`owners ${address}`, owner);
      const pairs = [...tags].map(([key, value]) => `${key}=${value}`);
      dump.set(`tags ${address}`, pairs.sort().join('\n'));
    }
    return dump;
  }

  /** The statement's object, and a function that carries it out and returns the one that takes it back. */
  #parse(statement: string): { readonly names: readonly string[]; readonly apply: () => () => void } {
    const { verb, names: list, first, second } = STATEMENT.exec(statement)?.groups ?? {};
    if (verb === undefined || list === undefined || first === undefined) {
      throw new MemoryFault('syntax', 'that is no statement');
    }
    const names = [...list.matchAll(new RegExp(NAME, 'gu'))].map(([quoted]) => unquoted(quoted, '"'));
    const [one, two] = [first === 'NULL' ? undefined : unquoted(first, "'"), unquoted(second ?? "''", "'")];
    return { names, apply: () => this.#carryOut(verb, this.#row(names), one, two) };
  }

  #row(names: readonly string[]): Row {
    const address = addressOf(names);
    const row = this.rows.get(address);
    if (row === undefined) throw new MemoryFault('no-object', 'no such object');
    if (this.denied.has(address)) throw new MemoryFault('denied', 'not yours');
    return row;
  }

  #carryOut(verb: string, row: Row, one: string | undefined, two: string): () => void {
    const { description, owner } = row;
    const tags = [...row.tags];
    if (verb === 'DESCRIBE') row.description = one;
    if (verb === 'GIVE') {
      if (!this.principals.has(one ?? '')) throw new MemoryFault('no-principal', 'no such principal');
      row.owner = one ?? '';
    }
    if (verb === 'TAG') row.tags.set(one ?? '', two);
    if (verb === 'UNTAG') row.tags.delete(one ?? '');
    return () => {
      row.description = description;
      row.owner = owner;
      row.tags.clear();
      for (const [key, value] of tags) row.tags.set(key, value);
    };
  }
}

function unquoted(quoted: string, quote: string): string {
  return quoted.slice(1, -1).replaceAll(quote + quote, quote);
}
