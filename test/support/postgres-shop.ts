import pg from 'pg';
import type { Connection, SessionName } from '../../connectors/contract.ts';
import { postgresConnector } from '../../connectors/postgres/connector.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** A server that logs every statement, with the database `shop`, whose schema `app` belongs to the account `backflow`. */
export interface PostgresShop {
  readonly server: PostgresServer;
  /** What the server has logged so far; it writes that on its own time. */
  log(): string;
  /** A client that may do everything, to be ended by the test. */
  connect(database: string): Promise<pg.Client>;
  /** The connector's connection as `backflow`, to be closed by the test; `over`: members of the connection that differ. */
  open(session: SessionName, over?: Readonly<Record<string, unknown>>): Promise<Connection>;
}

/** `tables`: statements that make the tables, run as `backflow`. */
export async function startPostgresShop(tables: string): Promise<PostgresShop> {
  let log = '';
  const server = await startPostgres({
    settings: { log_statement: 'all' },
    onLog: (text) => {
      log += text;
    },
  });
  const connect = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: server.url(database) });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const root = await connect('postgres');
  await root.query('CREATE DATABASE shop');
  await root.query("CREATE ROLE backflow LOGIN PASSWORD 'pw'");
  await root.query('ALTER DATABASE shop OWNER TO backflow');
  await root.end();
  const shop = await connect('shop');
  await shop.query('CREATE SCHEMA app AUTHORIZATION backflow');
  await shop.query(`SET ROLE backflow; ${tables}`);
  await shop.end();
  return {
    server,
    log: () => log,
    connect,
    open: (session, over = {}) => {
      const json = { ...server.connection('shop'), username: 'backflow', authType: { password: 'pw' }, ...over };
      return postgresConnector.open(postgresConnector.spec.config.parse(json), session);
    },
  };
}

/** The comment that stands on a table of the schema `app`. */
export async function commentOf(client: pg.Client, name: string): Promise<string | null> {
  const { rows } = await client.query<{ text: string | null }>(
    "SELECT obj_description(to_regclass($1), 'pg_class') AS text",
    [`app.${name}`],
  );
  return rows[0]?.text ?? null;
}
