import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresConnector } from '../../connectors/postgres/connector.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { selfSignedCertificate } from '../support/self-signed-certificate.ts';

const own = selfSignedCertificate('the server');
const foreign = selfSignedCertificate('somebody else');
let server: PostgresServer;
let admin: pg.Client;

beforeAll(async () => {
  server = await startPostgres({ tls: own });
  admin = new pg.Client({ connectionString: server.url() });
  await admin.connect();
});

afterAll(async () => {
  await admin.end();
  await server.stop();
});

/** Whether the session is encrypted, or the class and scope of the failure. */
async function connectWith(over: Record<string, unknown>): Promise<string> {
  const config = postgresConnector.spec.config.parse({ ...server.connection(), ...over });
  const connection = await postgresConnector.open(config, { lane: 'tls', epoch: 1 }).catch((error) => error);
  if (connection instanceof Error) return `${Reflect.get(connection, 'class')} ${Reflect.get(connection, 'scope')}`;
  const { rows } = await admin.query<{ ssl: boolean }>(
    "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'backflow/tls/1'",
  );
  await connection.close();
  await expect.poll(async () => (await sessions()).length).toBe(0);
  return rows.map(({ ssl }) => (ssl ? 'encrypted' : 'plain')).join();
}

async function sessions(): Promise<readonly unknown[]> {
  return (await admin.query("SELECT FROM pg_stat_activity WHERE application_name = 'backflow/tls/1'")).rows;
}

describe('PostgreSQL over TLS', () => {
  const right = { sslConfig: { caCertificate: own.cert } };
  const wrong = { sslConfig: { caCertificate: foreign.cert } };

  it.each([
    ['disable', {}, 'plain'],
    ['prefer', {}, 'encrypted'],
    ['allow', wrong, 'encrypted'],
    ['require', {}, 'encrypted'],
    ['require', right, 'encrypted'],
    ['require', wrong, 'auth target'],
    ['verify-ca', {}, 'auth target'],
    ['verify-ca', right, 'encrypted'],
    ['verify-ca', wrong, 'auth target'],
    ['verify-full', right, 'encrypted'],
    ['verify-full', wrong, 'auth target'],
  ])('sslMode %s with %o: %s', async (sslMode, more, expected) => {
    expect(await connectWith({ sslMode, ...more })).toBe(expected);
  });

  it('looks at the host name only with verify-full', async () => {
    const byName = { ...right, hostPort: `localhost:${server.port}` };
    expect(await connectWith({ ...byName, sslMode: 'verify-full' })).toBe('auth target');
    expect(await connectWith({ ...byName, sslMode: 'verify-ca' })).toBe('encrypted');
  });
});
