import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { oracleConnector } from '../../connectors/oracle/connector.ts';
import { type Answer, type OracleListener, startOracleListener } from '../support/oracle-listener.ts';

const SECRET = 'secret "%';

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

async function listening(answer: Answer): Promise<OracleListener> {
  const listener = await startOracleListener(answer);
  ending.push(() => listener.stop());
  return listener;
}

/** What the real driver, in front of the whole connector, makes of the attempt. */
async function failureOf(connection: object): Promise<ConnectorError> {
  const config = oracleConnector.spec.config.parse({ username: 'backflow', password: SECRET, ...connection });
  try {
    const open = await oracleConnector.open(config, { lane: 'shop.0', epoch: 3 });
    await open.close();
  } catch (error) {
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(SECRET);
    if (error instanceof ConnectorError) return error;
    throw error;
  }
  throw new Error('it connected');
}

const service = (hostPort: string) => ({ hostPort, oracleConnectionType: { oracleServiceName: 'shop.svc' } });
const to = ({ port }: OracleListener) => service(`127.0.0.1:${port}`);

describe("Oracle's driver", () => {
  it('says where it wants to go, and who it is', async () => {
    const listener = await listening({ refuse: 12514 });
    await failureOf(to(listener));
    await failureOf({ hostPort: `127.0.0.1:${listener.port}`, oracleConnectionType: { databaseSchema: 'ORCL' } });
    expect(listener.connects[0]).toContain('(SERVICE_NAME=shop.svc)');
    expect(listener.connects[0]).toContain('(PROGRAM=backflow/shop.0/3)');
    expect(listener.connects[1]).toContain('(SID=ORCL)');
    expect(listener.connects.join()).not.toContain(SECRET);
  });

  it.each([
    [12514, 'NJS-518', 'transient'],
    [12505, 'NJS-519', 'transient'],
    [12516, 'ORA-12516', 'throttled'],
    [12519, 'ORA-12519', 'throttled'],
    [12528, 'ORA-12528', 'transient'],
    [1, 'NJS-511', 'transient'],
  ])('takes the refusal ORA-%i for %s, %s', async (refuse, code, failureClass) => {
    const { failure } = await failureOf(to(await listening({ refuse })));
    expect(failure).toMatchObject({ code, class: failureClass, scope: 'target' });
  });

  it('reports a port where nothing listens', async () => {
    expect((await failureOf(service('127.0.0.1:1'))).failure).toMatchObject({ code: 'NJS-503', class: 'transient' });
  });

  it('reports a listener that hangs up, or that is none', async () => {
    for (const answer of ['hang up', 'talk HTTP'] as const) {
      const { failure } = await failureOf(to(await listening(answer)));
      expect([answer, failure]).toEqual([answer, expect.objectContaining({ class: 'transient', scope: 'target' })]);
    }
  });

  it('reports a server without TLS where TLS is asked for', async () => {
    const { port } = await listening('talk HTTP');
    const { failure } = await failureOf(service(`tcps://127.0.0.1:${port}`));
    expect(failure).toMatchObject({ scope: 'target', code: expect.stringMatching(/^NJS-50[0-9]$/) });
  });

  it('reports a wallet that is not there', async () => {
    const connection = { ...service('tcps://127.0.0.1:1'), walletLocation: '/nowhere/wallet', walletPassword: SECRET };
    expect((await failureOf(connection)).failure).toMatchObject({ scope: 'target' });
  });

  it('finds a TNS alias in the folder of the configuration, and says when it does not', async () => {
    const listener = await listening({ refuse: 12514 });
    const configDir = await mkdtemp(join(tmpdir(), 'tns-'));
    ending.push(() => rm(configDir, { recursive: true }));
    const address = `(ADDRESS=(PROTOCOL=TCP)(HOST=127.0.0.1)(PORT=${listener.port}))`;
    await writeFile(
      join(configDir, 'tnsnames.ora'),
      `shop_high = (DESCRIPTION=${address}(CONNECT_DATA=(SERVICE_NAME=by.alias)))\n`,
    );
    const by = (oracleTNSConnection: string) => ({ configDir, oracleConnectionType: { oracleTNSConnection } });
    expect((await failureOf(by('shop_high'))).code).toBe('NJS-518');
    expect(listener.connects[0]).toContain('(SERVICE_NAME=by.alias)');
    expect((await failureOf(by('nobody'))).failure).toMatchObject({ class: 'auth', code: 'NJS-517' });
    const nowhere = { ...by('shop_high'), configDir: join(configDir, 'nowhere') };
    expect((await failureOf(nowhere)).failure).toMatchObject({ class: 'auth', code: 'NJS-520' });
    const broken = await failureOf(by('(DESCRIPTION=(ADDRESS='));
    expect(broken.failure).toMatchObject({ class: 'auth', scope: 'target' });
  });
});
