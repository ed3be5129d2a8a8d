import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { MariadbError } from '../../src/demo/mariadb-server.ts';
import { startMariadb, startTestMariadb } from '../support/mariadb-server.ts';

describe('startMariadb', () => {
  it('gives a server with the wanted modes, a root account by password, and stops twice without complaint', async () => {
    const server = await startTestMariadb('--sql-mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES');
    try {
      const { host, port, user, password } = server;
      const connection = await createConnection({ host, port, user, password });
      const [rows] = await connection.query('SELECT CURRENT_USER() AS account, @@GLOBAL.sql_mode AS mode');
      await connection.end();
      expect(rows).toEqual([{ account: 'root@127.0.0.1', mode: expect.stringContaining('NO_BACKSLASH_ESCAPES') }]);
      await expect(createConnection({ host, port, user, password: 'wrong' })).rejects.toThrow(/Access denied/);
    } finally {
      await server.stop();
      await server.stop();
    }
  });

  it('names the command that installs MariaDB when it is missing', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'backflow-empty-'));
    const starting = startMariadb({ programFolders: [empty] });
    await expect(starting).rejects.toThrow(MariadbError);
    await expect(starting).rejects.toThrow(/apt-get install mariadb-server/);
    await rm(empty, { recursive: true });
  });

  it('tells why a server did not start, and leaves nothing running', async () => {
    await expect(startTestMariadb('--no-such-option')).rejects.toThrow(/unknown option/);
  });
});
