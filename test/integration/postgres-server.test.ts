import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '../support/postgres-server.ts';

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ answer: unknown }>(sql)).rows[0]?.answer;
  } finally {
    await client.end();
  }
}

describe('startPostgres', () => {
  it('runs a real server that survives a crash and is gone after stop', async () => {
    const server = await startPostgres({ settings: { standard_conforming_strings: 'off' } });
    try {
      expect(await ask(server.url(), 'SELECT current_setting($$server_version$$) AS answer')).toBe('18.4');
      expect(await ask(server.url(), 'SELECT current_setting($$standard_conforming_strings$$) AS answer')).toBe('off');
      await ask(server.url(), 'CREATE TABLE kept (id int)');
      await server.crash();
      expect(server.pid).toBeUndefined();
      await server.restart();
      expect(await ask(server.url(), 'SELECT count(*)::int AS answer FROM kept')).toBe(0);
    } finally {
      await server.stop();
    }
    await expect(ask(server.url(), 'SELECT 1 AS answer')).rejects.toThrow('ECONNREFUSED');
    await server.stop();
  });

  it('demands the password', async () => {
    const server = await startPostgres({ user: 'admin', password: "it's % hard" });
    try {
      expect(await ask(server.url(), 'SELECT current_user AS answer')).toBe('admin');
      const wrong = server.url().replace(encodeURIComponent("it's % hard"), 'wrong');
      await expect(ask(wrong, 'SELECT 1 AS answer')).rejects.toThrow('password authentication failed');
    } finally {
      await server.stop();
    }
  });
});
