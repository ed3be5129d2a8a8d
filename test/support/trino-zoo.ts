import type { Connection, Connector, PlannedWrite } from '../../connectors/contract.ts';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { plannerFor } from '../../connectors/trino/plan.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { trinoDumpKey, trinoRef } from './trino-harness.ts';

/** What shall stand in one comment, and how it came to be written. */
export interface Wish {
  readonly object: ObjectRef;
  /** The description of the operation. */
  readonly text: string | undefined;
  /** What shall be read afterwards; undefined: no comment. */
  readonly expected: string | undefined;
  readonly template?: readonly string[];
}

/** Where the zoo stands: a model or a real server, seen from outside. */
export interface ZooPlace {
  /** Makes `memory.zoo` anew with these tables, each with a column of its own name, and a canary. */
  build(names: readonly string[]): Promise<void>;
  dump(): Promise<ReadonlyMap<string, string>>;
}

/** A schema full of tables with hostile names, and eyes of its own on everything that changes in the server. */
export class TrinoZoo {
  readonly #place: ZooPlace;
  readonly #connection: Connection;
  readonly #plan: Connector['plan'];
  /** As the last batch left the server; nobody else writes. */
  #last: ReadonlyMap<string, string> | undefined;

  constructor(place: ZooPlace, connection: Connection, dialect: Dialect) {
    this.#place = place;
    this.#connection = connection;
    this.#plan = plannerFor(dialect);
  }

  async build(names: readonly string[]): Promise<void> {
    await this.#place.build(names);
    this.#last = undefined;
  }

  table(name: string): ObjectRef {
    return trinoRef('table', 'memory', 'zoo', name);
  }

  column(name: string): ObjectRef {
    return trinoRef('column', 'memory', 'zoo', name, name);
  }

  /** What the connector's plan makes of a wish: refused, with the code. */
  refusal({ object, text }: Pick<Wish, 'object' | 'text'>): string | undefined {
    const source = { exists: true, kind: 'table' };
    const planned = this.#plan({ aspect: 'description', object, text }, source, { overlong: 'refuse' });
    return planned.ok ? undefined : planned.error.failure.code;
  }

  /**
   * Writes the wishes (each to another object) in one batch, and compares the whole server before and after: each comment is the one
   * wished for, code point by code point, and nothing else has changed. The answers are problems.
   */
  async fulfil(wishes: readonly Wish[]): Promise<readonly string[]> {
    const problems: string[] = [];
    const sources = await this.#connection.read(wishes.map(({ object }) => object));
    const writes: PlannedWrite[] = [];
    for (const [index, { object, text, template }] of wishes.entries()) {
      const operation = { aspect: 'description', object, text } as const;
      const options = template === undefined ? {} : { template };
      const source = sources[index] ?? { exists: false };
      const planned = this.#plan(operation, source, options);
      if (planned.ok) writes.push({ id: String(index), operation, plan: planned.value, options, source });
      else problems.push(`refused: ${planned.error.failure.code} for ${JSON.stringify(wishes[index])}`);
    }
    const before = this.#last ?? (await this.#place.dump());
    for (const result of await this.#connection.apply(writes)) {
      if (!result.ok) problems.push(`failed: ${result.failure.code} for ${JSON.stringify(wishes[Number(result.id)])}`);
    }
    const after = await this.#place.dump();
    this.#last = after;
    const expected = new Map(wishes.map((wish) => [keyOf(wish.object), wish.expected]));
    for (const [key, text] of expected) {
      if (after.get(key) !== text)
        problems.push(`${key} is ${JSON.stringify(after.get(key))}, not ${JSON.stringify(text)}`);
    }
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(key) !== after.get(key) && !expected.has(key)) problems.push(`${key} has changed too`);
    }
    return problems;
  }
}

/** The engine has lower-cased every name. */
function keyOf(object: ObjectRef): string {
  const lower = (name: string | undefined) => name?.toLowerCase() ?? '';
  const column = object.column?.map(lower) ?? [];
  return trinoDumpKey(trinoRef(object.level, 'memory', 'zoo', lower(object.table), ...column), 'description');
}
