import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import { type Interception, type RedshiftProxy, startRedshiftProxy } from './redshift-proxy.ts';
import type { BackslashMode } from './redshift-tokens.ts';

export interface RedshiftPeerOptions {
  readonly backslash?: BackslashMode;
  readonly intercept?: (statement: string) => Interception | undefined;
}

/** PostgreSQL as it stands behind Redshift's protocol: catalogue views of Redshift's in each database, a strict proxy in front. */
export interface RedshiftPeer {
  readonly server: PostgresServer;
  readonly proxy: RedshiftProxy;
  /** A superuser's own connection, past the proxy; closed by `stop`. */
  admin(database: string): Promise<pg.Client>;
  /** A new database with the catalogue views, and a superuser's connection to it. */
  createDatabase(name: string): Promise<pg.Client>;
  /** OpenMetadata's connection JSON, for a user of the server. */
  connection(username: string, password: string, database: string): Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

export async function startRedshiftPeer(options: RedshiftPeerOptions = {}): Promise<RedshiftPeer> {
  const catalog = await readFile(new URL('./redshift-catalog.sql', import.meta.url), 'utf8');
  const server = await startPostgres();
  const { host, port } = server;
  const { backslash = 'escape', intercept } = options;
  const proxy = await startRedshiftProxy({ host, port, backslash, ...(intercept === undefined ? {} : { intercept }) });
  const clients: pg.Client[] = [];
  const admin = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: server.url(database) });
    client.on('error', () => {});
    await client.connect();
    clients.push(client);
    return client;
  };
  const root = await admin('postgres');
  return {
    server,
    proxy,
    admin,
    async createDatabase(name) {
      await root.query(`CREATE DATABASE ${root.escapeIdentifier(name)}`);
      const client = await admin(name);
      await client.query(catalog);
      return client;
    },
    connection: (username, password, database) => ({
      type: 'Redshift',
      scheme: 'redshift+psycopg2',
      hostPort: `127.0.0.1:${proxy.port}`,
      username,
      password,
      database,
      sslMode: 'disable',
    }),
    async stop() {
      await proxy.stop();
      await Promise.all(clients.map((client) => client.end()));
      await server.stop();
    },
  };
}
