import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import pg from 'pg';
import { z } from 'zod';
import { freePort } from './free-port.ts';

/** An independent engine that reads COMMENT statements by Oracle's rules: H2 in its Oracle mode. */
export interface OracleH2 {
  /** Runs the statements as one text: what is not closed in one would swallow the next. */
  run(statements: readonly string[]): Promise<void>;
  /** Every comment by its object: schema, table, column. */
  comments(): Promise<ReadonlyMap<string, string>>;
  stop(): Promise<void>;
}

const JAVA = process.env.JAVA_HOME === undefined ? 'java' : `${process.env.JAVA_HOME}/bin/java`;

/** The program, or what is missing and how to get it. */
export function findH2(): { readonly jar: string } | { readonly missing: string } {
  const jar = process.env.BACKFLOW_TEST_H2_JAR ?? '/usr/share/java/h2.jar';
  if (!existsSync(jar))
    return { missing: 'H2 is not installed: apt-get install libh2-java, or set BACKFLOW_TEST_H2_JAR' };
  if (spawnSync(JAVA, ['-version']).status !== 0) return { missing: 'there is no java on PATH' };
  return { jar };
}

const commentRow = z.object({ s: z.string(), t: z.string(), c: z.string().nullable(), text: z.string().nullable() });

const COMMENTS = `SELECT table_schema AS "s", table_name AS "t", NULL AS "c", remarks AS "text" FROM information_schema.tables
UNION ALL SELECT table_schema, table_name, column_name, remarks FROM information_schema.columns`;

/** Starts it on 127.0.0.1, with a database in memory, and speaks to it as PostgreSQL's driver does. */
export async function startOracleH2(jar: string): Promise<OracleH2> {
  const port = await freePort();
  const server = spawn(
    JAVA,
    ['-Dh2.bindAddress=127.0.0.1', '-cp', jar, 'org.h2.tools.Server', '-pg', '-pgPort', String(port), '-ifNotExists'],
    { stdio: 'ignore' },
  );
  try {
    const client = await connect(port, server);
    await client.query('SET MODE Oracle');
    return {
      async run(statements) {
        for (let at = 0; at < statements.length; at += 25) {
          await client.query(statements.slice(at, at + 25).join(';\n'));
        }
      },
      async comments() {
        const { rows } = await client.query(COMMENTS);
        return new Map(
          z
            .array(commentRow)
            .parse(rows)
            .flatMap(({ s, t, c, text }) => (text === null || text === '' ? [] : [[JSON.stringify([s, t, c]), text]])),
        );
      },
      async stop() {
        await client.end();
        await end(server);
      },
    };
  } catch (error) {
    await end(server);
    throw error;
  }
}

async function connect(port: number, server: ChildProcess): Promise<pg.Client> {
  for (let round = 0; ; round += 1) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'sa', password: 'sa', database: 'mem:zoo' });
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (round >= 300 || server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode === null) {
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
    await gone;
  }
}
