import { randomBytes } from 'node:crypto';
import { createClient } from '@clickhouse/client';
import { clickhouseConfig } from '../../connectors/clickhouse/config.ts';
import type { RunningHarness } from '../../connectors/conformance/harness.ts';
import { backquoted } from './clickhouse-dump.ts';
import { clickhouseHarness } from './clickhouse-harness.ts';
import { startClickhouseProxy } from './clickhouse-proxy.ts';

/**
 * A user's own server: `BACKFLOW_TEST_CLICKHOUSE_URL` is its address (`http://user:password@host:8123`) or OpenMetadata's connection
 * JSON. The account makes databases whose names begin with `backflow_test_` and drops them afterwards; it touches no others.
 */
export async function startOwnClickhouse(variable: string): Promise<RunningHarness> {
  const config = clickhouseConfig.parse(
    variable.trimStart().startsWith('{') ? JSON.parse(variable) : connectionOf(variable),
  );
  const { host, port, https, user: username, password } = config;
  const admin = createClient({ url: `${https ? 'https' : 'http'}://${host}:${port}`, username, password });
  const prefix = `backflow_test_${randomBytes(4).toString('hex')}_`;
  const proxy = await startClickhouseProxy(config);
  const stop = async () => {
    const query = `SELECT name FROM system.databases WHERE startsWith(name, '${prefix}')`;
    const result = await admin.query({ query, format: 'JSONCompactEachRow' });
    for (const [name = ''] of await result.json<string[]>()) {
      await admin.command({ query: `DROP DATABASE ${backquoted(name)} SYNC` });
    }
    await admin.close();
    await proxy.close();
  };
  try {
    const connection = { type: 'Clickhouse', username, password, hostPort: `127.0.0.1:${proxy.port}` };
    return { harness: await clickhouseHarness({ ...proxy, admin, prefix, connection }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function connectionOf(address: string): object {
  const url = new URL(address);
  return {
    hostPort: url.host,
    https: url.protocol === 'https:',
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}
