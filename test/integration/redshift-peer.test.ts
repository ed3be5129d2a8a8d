import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedshiftPeer, startRedshiftPeer } from '../support/redshift-peer.ts';

let peer: RedshiftPeer;
let client: pg.Client;

beforeAll(async () => {
  peer = await startRedshiftPeer();
  const admin = await peer.createDatabase('shop');
  await admin.query(`
    CREATE SCHEMA app; CREATE SCHEMA spectrum; CREATE TABLE app.b (id int); CREATE VIEW app.late AS SELECT;
    CREATE VIEW app.totals AS SELECT id FROM app.b; INSERT INTO redshift_catalog.external_schemas VALUES ('spectrum')`);
  const { user, password } = peer.server;
  client = new pg.Client({ host: '127.0.0.1', port: peer.proxy.port, user, password, database: 'shop' });
  client.on('error', () => {});
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await peer.stop();
});

describe('the peer of Redshift', () => {
  it('says what Redshift says where PostgreSQL says something else', async () => {
    const row = async (query: string) => (await client.query<{ x: unknown }>(query)).rows[0]?.x;
    expect(await row('SELECT pg_catalog.version() AS x')).toContain('Redshift');
    // Its ancestor reads a backslash between single quotes as an escape.
    expect(await row(String.raw`SELECT 'a\\b\101\n' AS x`)).toBe('a\\bA\n');
    expect(await row('SELECT e.schemaname AS x FROM pg_catalog.svv_external_schemas e')).toBe('spectrum');
    expect((await client.query(`SELECT 1 AS "X"`)).rows).toEqual([{ x: 1 }]);
    await client.query('SET enable_case_sensitive_identifier TO true');
    expect((await client.query(`SELECT 1 AS "X"`)).rows).toEqual([{ X: 1 }]);
  });

  it.each<[string, string, string[]?]>([
    ['COMMENT ON TABLE app.b IS $1', '42601', ['x']],
    ["SELECT * FROM pg_catalog.unnest('{1}')", '42601'],
    ['SELECT 1 FROM pg_catalog.pg_class c, LATERAL (SELECT 1) x', '42601'],
    ["SELECT '{1}'::int[]", '42601'],
    ["SET LOCAL lock_timeout = '3s'", '42704'],
    ["SET statement_timeout TO '30s'", '22023'],
    ['SAVEPOINT item', '0A000'],
    [`COMMENT ON TABLE app.b IS U&'x'`, '42601'],
    [`COMMENT ON TABLE app.b IS E'x'`, '42601'],
    [`COMMENT ON MATERIALIZED VIEW app.totals IS 'x'`, '42601'],
    [`COMMENT ON COLUMN app.late.id IS 'x'`, '42703'],
    [`COMMENT ON TABLE spectrum.clicks IS 'x'`, '42P01'],
    ['ALTER VIEW app.late OWNER TO sales', '42601'],
    ['SELECT pg_catalog.shobj_description(1, $$pg_database$$)', '42601'],
    ['SELECT pg_catalog.to_regclass($$x$$)', '42P01'],
  ])('refuses %s, as Redshift does', async (statement, code, values?: string[]) => {
    await expect(client.query(statement, values)).rejects.toMatchObject({ code });
  });
});
