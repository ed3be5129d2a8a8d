import { createServer, type Server, type Socket, connect as tcpConnect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../connectors/contract.ts';
import { mysqlConnector } from '../../connectors/mysql/connector.ts';
import type { DescriptionOperation, ObjectRef } from '../../src/domain/operation.ts';
import { type MariadbServer, startTestMariadb } from '../support/mariadb-server.ts';
import { adminOf, ref } from '../support/mysql-harness.ts';

const TABLE = ref('table', 'app', 't');

/** The sample database on a server. */
async function withSample(...serverArguments: readonly string[]): Promise<MariadbServer> {
  const server = await startTestMariadb(...serverArguments);
  const admin = await adminOf(server);
  await admin.query('CREATE DATABASE app');
  await admin.query("CREATE TABLE app.t (id int NOT NULL DEFAULT 7) COMMENT 'old'");
  await admin.end();
  return server;
}

function open({ user, password, host }: MariadbServer, port: number): Promise<Connection> {
  const config = mysqlConnector.spec.config.parse({ username: user, password, hostPort: `${host}:${port}` });
  return mysqlConnector.open(config, { lane: 'sessions', epoch: 1 });
}

/** Stands before a server and can fall silent without closing anything, as a network does. */
class SilentProxy {
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  #silent = false;

  constructor(port: number) {
    this.#listener = createServer((client) => {
      const upstream = tcpConnect(port, '127.0.0.1');
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from);
        from.on('data', (chunk) => {
          if (!this.#silent) to.write(chunk);
        });
        from.on('close', () => to.destroy());
        from.on('error', () => to.destroy());
      }
    });
  }

  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#listener.listen(0, '127.0.0.1', () => {
        const address = this.#listener.address();
        if (address === null || typeof address === 'string') reject(new Error('no port'));
        else resolve(address.port);
      });
    });
  }

  silence(): void {
    this.#silent = true;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#listener.close();
  }
}

describe('closing', () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await withSample();
  });
  afterAll(() => server.stop());

  it('does not wait for ever for a server that has fallen silent; what was under way fails as transient', async () => {
    const proxy = new SilentProxy(server.port);
    try {
      const connection = await open(server, await proxy.listen());
      expect(await connection.read([TABLE])).toMatchObject([{ exists: true, description: 'old' }]);
      proxy.silence();
      const reading = connection.read([TABLE]);
      const failing = expect(reading).rejects.toMatchObject({
        class: 'transient',
        scope: 'target',
        code: 'connection-lost',
      });
      await connection.close();
      await failing;
    } finally {
      proxy.close();
    }
  });

  it('lets calls that come at the same time run one after the other, and then refuses more', async () => {
    const connection = await open(server, server.port);
    const reads = Array.from({ length: 20 }, () => connection.read([TABLE, ref('column', 'app', 't', 'id')]));
    const closed = connection.close();
    for (const sources of await Promise.all(reads)) expect(sources).toMatchObject([{ exists: true }, { exists: true }]);
    await closed;
    await expect(connection.read([TABLE])).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a server that says it is MySQL 8', () => {
  let server: MariadbServer;
  let connection: Connection;
  beforeAll(async () => {
    server = await withSample('--version=8.0.36');
    connection = await open(server, server.port);
  });
  afterAll(async () => {
    await connection.close();
    await server.stop();
  });

  const describeAs = (object: ObjectRef): DescriptionOperation => ({ aspect: 'description', object, text: 'new' });

  it('gets no comments on schemas, with the reason', async () => {
    const object = ref('schema', 'app');
    const [source] = await connection.read([object]);
    expect(source).toMatchObject({ exists: true });
    expect(mysqlConnector.plan(describeAs(object), source, {})).toMatchObject({
      ok: false,
      error: {
        outcome: 'skipped',
        failure: { code: 'no-schema-comments', message: expect.stringContaining('MySQL 8.0.36') },
      },
    });
    expect(await connection.check([])).toMatchObject({
      ok: true,
      server: 'MySQL 8.0.36',
      findings: [{ severity: 'info' }],
    });
  });

  it('gets comments on tables and columns, in one ALTER', async () => {
    const operations = [TABLE, ref('column', 'app', 't', 'id')].map(describeAs);
    const sources = await connection.read(operations.map(({ object }) => object));
    const writes = operations.map((operation, index) => {
      const source = sources[index];
      const plan = mysqlConnector.plan(operation, source, {});
      if (source === undefined || !plan.ok) throw new Error('the write cannot be planned');
      return { id: String(index), operation, plan: plan.value, options: {}, source };
    });
    const statements = [
      "ALTER TABLE `app`.`t` COMMENT 'new', MODIFY COLUMN `id` int(11) NOT NULL DEFAULT 7 COMMENT 'new', ALGORITHM=INSTANT",
    ];
    expect(await connection.apply(writes)).toEqual([
      { id: '0', ok: true, verified: 'read', value: 'new', statements },
      { id: '1', ok: true, verified: 'read', value: 'new', statements },
    ]);
  });
});
