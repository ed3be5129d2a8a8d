import { describe, expect, it } from 'vitest';
import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { mssqlConnector } from '../../connectors/mssql/connector.ts';
import { mssqlRef, startMssqlHarness } from '../support/mssql-harness.ts';
import { ownServerConnection, startOwnServer } from '../support/mssql-own-server.ts';
import { MssqlProxy } from '../support/mssql-proxy.ts';

/** A server of the user's own: `mssql://user:password@host:port?encrypt=false` or OpenMetadata's JSON. */
const own = process.env.BACKFLOW_TEST_MSSQL_URL;
if (own !== undefined && own !== '')
  conformanceSuite("a SQL Server of the user's own", mssqlConnector, () => startOwnServer(own));

describe("the suite for a user's own SQL Server", () => {
  it('takes a URL or connection JSON', () => {
    expect(ownServerConnection('mssql://sa:p%40ss@db:1500?encrypt=false')).toEqual({
      type: 'Mssql',
      hostPort: 'db:1500',
      username: 'sa',
      password: 'p@ss',
      encrypt: false,
    });
    expect(ownServerConnection('{"hostPort":"db"}')).toEqual({ hostPort: 'db' });
  });

  it('does not start where it could not watch', async () => {
    await expect(startOwnServer('mssql://sa:x@127.0.0.1:1')).rejects.toThrow('encrypt: false');
  });

  it('sees on the wire what the server sees', async () => {
    const running = await startMssqlHarness();
    const [host = '', port = ''] = running.peer.hostPort.split(':');
    const proxy = await MssqlProxy.start(host, Number(port));
    const json = { ...Object(running.harness.connection), hostPort: proxy.hostPort };
    const connection = await mssqlConnector.open(mssqlConnector.spec.config.parse(json), { lane: 'proxy', epoch: 1 });
    const object = mssqlRef('table', 'app', 'orders');
    const [source] = await connection.read([object]);
    const operation = { aspect: 'description', object, text: "it's \\\n long ".repeat(200) } as const;
    const plan = mssqlConnector.plan(operation, source, {});
    if (!plan.ok || source === undefined) throw new Error('not planned');
    await connection.apply([{ id: 'one', operation, plan: plan.value, options: {}, source }]);
    expect(proxy.takeJournal()).toEqual(plan.value.statements);
    expect(running.peer.takeJournal().map(({ statement }) => statement)).toEqual(plan.value.statements);
    proxy.breakConnections();
    // The connection in use is gone; a later read gets another one.
    const reads = [1, 2, 3].map(() => () => connection.read([object]).then(([one]) => one?.description));
    const answers: unknown[] = [];
    for (const read of reads) answers.push(await read().catch((error: unknown) => error));
    expect(answers.at(-1)).toBe(operation.text);
    await connection.close();
    await proxy.stop();
    await running.stop();
  });
});
