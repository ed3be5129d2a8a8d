import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { PlannedWrite } from '../contract.ts';
import type { ClickhouseClient } from './client.ts';
import { failureOf } from './errors.ts';
import { planClickhouse } from './plan.ts';
import { writeAll } from './write.ts';

/** A client of our own behind the narrowest boundary: what a server answers that cannot be had here. */
class ScriptedClient implements ClickhouseClient {
  readonly server = 'ClickHouse 24.3';
  readonly user = 'backflow';
  readonly cluster: string | undefined;
  readonly closed = false;
  readonly ran: string[] = [];
  readonly #rows: (query: string) => readonly (readonly string[])[];
  readonly #code: string | undefined;

  constructor(
    rows: (query: string) => readonly (readonly string[])[],
    options: { cluster?: string; code?: string } = {},
  ) {
    this.#rows = rows;
    this.cluster = options.cluster;
    this.#code = options.code;
  }

  async rows<Row>(query: string, row: z.ZodType<Row>): Promise<readonly Row[]> {
    return row.array().parse(this.#rows(query));
  }

  async text(): Promise<string> {
    return '';
  }

  async run(statement: string): Promise<void> {
    this.ran.push(statement);
    if (this.#code !== undefined) throw new ConnectorError(failureOf({ code: this.#code }, 'statement'));
  }

  async close(): Promise<void> {}
}

const table: ObjectRef = {
  level: 'table',
  entityType: 'table',
  fqn: 'click.default.shop.orders',
  service: 'click',
  database: 'default',
  schema: 'shop',
  table: 'orders',
};
const schema: ObjectRef = { ...table, level: 'schema', entityType: 'databaseSchema' };
const column = (name: string): ObjectRef => ({ ...table, level: 'column', column: [name] });

function write(object: ObjectRef, id: string): PlannedWrite {
  const operation = { aspect: 'description', object, text: 'new' } as const;
  const plan = planClickhouse(operation, undefined, {});
  if (!plan.ok) throw new Error(plan.error.failure.code);
  return { id, operation, plan: plan.value, options: {}, source: { exists: true } };
}

const database = ['schema', 'shop', '', '', 'Atomic', '', '', '0'];
const orders = (comment: string) => ['table', 'shop', 'orders', '', 'MergeTree', comment, 'uuid', '100'];

describe('writing', () => {
  it('is not done while one server of the cluster holds another comment', async () => {
    const elsewhere = (comment: string) =>
      new ScriptedClient(
        (query) =>
          query.includes('clusterAllReplicas') ? [orders('new'), orders(comment)] : [database, orders('new')],
        { cluster: 'all' },
      );
    expect(await writeAll(elsewhere('old'), [write(table, 'a')])).toMatchObject([
      { id: 'a', ok: false, failure: { class: 'conflict', code: 'replicas-differ' } },
    ]);
    expect(await writeAll(elsewhere('new'), [write(table, 'a')])).toMatchObject([
      { id: 'a', ok: true, verified: 'read' },
    ]);
  });

  it('tells a comment that was overtaken from one that was not kept', async () => {
    const client = (comment: string) => new ScriptedClient(() => [database, orders(comment)]);
    expect(await writeAll(client("somebody else's"), [write(table, 'a')])).toMatchObject([
      { failure: { code: 'read-back-differs' } },
    ]);
    expect(await writeAll(client(''), [write(table, 'a')])).toMatchObject([{ failure: { code: 'comment-not-kept' } }]);
    const gone = new ScriptedClient(() => [database]);
    expect(await writeAll(gone, [write(table, 'a')])).toMatchObject([
      { failure: { code: 'table-missing', class: 'not_found' } },
    ]);
  });

  it('does not try the parts of an ALTER again that failed for the whole table', async () => {
    const writes = ['a', 'b', 'c', 'd'].map((name) => write(column(name), name));
    for (const [code, statements] of [
      ['473', 1],
      ['517', 1],
      ['60', 1],
      ['62', 7],
    ] as const) {
      const client = new ScriptedClient(() => [], { code });
      const results = await writeAll(client, writes);
      expect(results.map((result) => result.ok || result.failure.code)).toEqual([code, code, code, code]);
      expect(client.ran).toHaveLength(statements);
    }
  });

  it('ends with the target when the server has gone', async () => {
    const client = new ScriptedClient(() => [], { code: 'ECONNRESET' });
    await expect(writeAll(client, [write(table, 'a')])).rejects.toMatchObject({
      failure: { scope: 'target', class: 'transient' },
    });
  });

  it('knows that older servers have no comments on databases', async () => {
    const client = new ScriptedClient(() => [], { code: '62' });
    expect(await writeAll(client, [write(schema, 'a')])).toMatchObject([
      { failure: { class: 'unsupported', code: '62' } },
    ]);
  });

  it('puts the columns of a table into one ALTER, of which each result shows its own share', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `c${index}`);
    const client = new ScriptedClient(() => [
      database,
      orders(''),
      ...names.map((name) => ['column', 'shop', 'orders', name, 'String', 'new', '', '0']),
    ]);
    const results = await writeAll(
      client,
      names.map((name) => write(column(name), name)),
    );
    expect(client.ran.map((statement) => statement.split('COMMENT COLUMN').length - 1)).toEqual([500]);
    expect(results).toEqual(
      names.map((id) => ({
        id,
        ok: true,
        verified: 'read',
        value: 'new',
        statements: [
          `ALTER TABLE \`shop\`.\`orders\` COMMENT COLUMN \`${id}\` 'new' /* and 499 more in one statement */`,
        ],
      })),
    );
  });

  it('puts no more bytes than a statement may have into one ALTER', async () => {
    const client = new ScriptedClient(() => []);
    const writes = Array.from({ length: 30 }, (_, index): PlannedWrite => {
      const one = write(column(`c${index}`), `c${index}`);
      // As long as what it replaces, so that the table's definition does not grow.
      const operation = { aspect: 'description', object: one.operation.object, text: 'x'.repeat(30_000) } as const;
      return { ...one, operation, source: { exists: true, description: 'y'.repeat(30_000) } };
    });
    await writeAll(client, writes);
    expect(client.ran.map((statement) => statement.split('COMMENT COLUMN').length - 1)).toEqual([6, 6, 6, 6, 6]);
  });
});
