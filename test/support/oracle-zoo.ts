import { createRequire } from 'node:module';
import { z } from 'zod';
import type { Connection, PlannedWrite, PlanOptions } from '../../connectors/contract.ts';
import { oracleConnector } from '../../connectors/oracle/connector.ts';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import { dumpModel, oracleOver, ref } from './oracle-harness.ts';
import { OracleServer } from './oracle-server.ts';

const SCHEMA = 'ZOO';

/** A text for an object, by the connector's own plan or through a template, and what must stand there afterwards. */
export interface Wish {
  readonly operation: Operation;
  readonly template?: readonly string[];
  /** Key of the dump and the value that it must have; undefined: none. */
  readonly key: string;
  readonly expected: string | undefined;
}

/** A model database with one table for each name, and a connector that writes to it. */
export class OracleZoo {
  readonly #server: OracleServer;
  readonly #connection: Connection;

  private constructor(server: OracleServer, connection: Connection) {
    this.#server = server;
    this.#connection = connection;
  }

  static async open(names: readonly string[]): Promise<OracleZoo> {
    const config = oracleConnector.spec.config.parse({
      username: 'keeper',
      password: 'key',
      oracleConnectionType: { oracleTNSConnection: 'zoo' },
    });
    const server = new OracleServer(config.connectString, {
      connect: () => Promise.reject(new Error('there is no other server')),
    });
    server.model.addUser('KEEPER', 'key', [
      'CREATE SESSION',
      'COMMENT ANY TABLE',
      'ALTER ANY TABLE',
      'SELECT ANY TABLE',
    ]);
    server.model.addUser(SCHEMA, 'zoo');
    for (const name of new Set(names)) server.model.addObject(SCHEMA, name, 'TABLE', [...new Set([name, 'A', 'B'])]);
    server.model.addObject(SCHEMA, 'CANARY', 'TABLE', ['ID']).comment = 'sings';
    return new OracleZoo(server, await oracleOver(server.driver).open(config, { lane: 'property', epoch: 1 }));
  }

  table(name: string): ObjectRef {
    return ref('table', SCHEMA, name);
  }

  column(table: string, column: string): ObjectRef {
    return ref('column', SCHEMA, table, column);
  }

  /** Fulfils all of them in one batch; the problems are everything that stands differently than it should, anywhere. */
  async fulfil(wishes: readonly Wish[]): Promise<readonly string[]> {
    const expected = new Map(dumpModel(this.#server.model));
    const sources = await this.#connection.read(wishes.map(({ operation }) => operation.object));
    const problems: string[] = [];
    const writes = wishes.flatMap(({ operation, template }, index): PlannedWrite[] => {
      const source = sources[index];
      const options: PlanOptions = template === undefined ? {} : { template };
      const planned = source === undefined ? undefined : oracleConnector.plan(operation, source, options);
      if (source !== undefined && planned?.ok === true) {
        return [{ id: String(index), operation, plan: planned.value, options, source, traceparent: TRACEPARENT }];
      }
      problems.push(`not planned: ${JSON.stringify([operation, planned])}`);
      return [];
    });
    const logged = this.#server.log.length;
    const results = await this.#connection.apply(writes);
    for (const result of results) {
      if (!result.ok)
        problems.push(`failed: ${result.failure.code} ${writes[Number(result.id)]?.plan.statements.join()}`);
      else if (result.verified === 'no')
        problems.push(`not verified: ${writes[Number(result.id)]?.plan.statements.join()}`);
    }
    for (const { sql } of this.#server.log.slice(logged)) {
      if (!/^SELECT\b/.test(sql)) problems.push(...driverProblems(sql));
    }
    for (const { key, expected: value } of wishes) {
      if (value === undefined || value === '') expected.delete(key);
      else expected.set(key, value);
    }
    const found = dumpModel(this.#server.model);
    for (const key of new Set([...expected.keys(), ...found.keys()])) {
      if (expected.get(key) !== found.get(key)) {
        problems.push(`${key}: ${JSON.stringify(found.get(key))}, expected ${JSON.stringify(expected.get(key))}`);
      }
    }
    return problems;
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const driverStatement = z.looseObject({ bindInfoList: z.array(z.unknown()), isDdl: z.boolean() });

/** What the real driver itself reads in a statement before it sends it: values that it would wait for. */
function driverProblems(sql: string): readonly string[] {
  const { Statement } = createRequire(import.meta.url)('oracledb/lib/thin/statement.js');
  const statement = new Statement();
  statement._prepare(sql);
  const { bindInfoList, isDdl } = driverStatement.parse(statement);
  const problems = bindInfoList.length === 0 ? [] : [`the driver sees ${bindInfoList.length} binds: ${sql}`];
  const ddl = /^(?:comment|alter)\b/i.test(sql);
  return ddl === isDdl ? problems : [...problems, `the driver takes it for something else: ${sql}`];
}
