import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sign } from '../../src/intake/signature.ts';
import { readDeadLetters, readRuns } from '../../src/service/history.ts';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import { readOldestFirst } from '../../streams/nats/read-stream.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type RunningCli, runCli, startCli } from '../support/run-cli.ts';
import { createTables } from '../support/shop-database.ts';
import { descriptionEvent } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

/** The middle of every secret: whatever escapes or encodes one for a URL, JSON or SQL leaves this as it is. */
const mark = (name: string): string => `sentinel${name}7f3a`;
/** Around it stand characters that are special in URLs, JSON, YAML and SQL. */
const secret = (name: string): string => `p'@/:"${mark(name)}#%`;

const SECRETS = ['Postgres', 'Wrong', 'Away', 'File', 'Webhook', 'Nats', 'Otlp', 'Header', 'Plain', 'NatsWrong'];
const SYSTEMS = ['Postgres', 'Mysql', 'Redshift', 'Clickhouse', 'Mssql', 'Trino', 'Oracle'] as const;
/** As it stands in the configuration, which holds no secret. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the reference itself is meant
const REFERENCE = '"${AWAY_PASSWORD}"';

/** A target of every system; on its port somebody answers with nonsense, or nobody at all. */
const awayTargets = (port: number): string =>
  SYSTEMS.map(
    (type) => `  - service: away_${type.toLowerCase()}
    connection:
      type: ${type}
      hostPort: "127.0.0.1:${port}"
      username: away_user${
        ['Postgres', 'Mysql', 'Trino'].includes(type)
          ? `\n      authType: { password: ${REFERENCE} }`
          : `\n      password: ${REFERENCE}`
      }${['Postgres', 'Redshift', 'Mssql'].includes(type) ? '\n      database: shop' : ''}${
        type === 'Oracle' ? '\n      oracleConnectionType: { oracleServiceName: HR }' : ''
      }
`,
  ).join('');

const configOf = (postgresPort: number, awayPort: number): string => `targets:
  - service: pg_good
    connection: { type: Postgres, hostPort: "127.0.0.1:${postgresPort}", username: writer_user, authType: { password: "\${GOOD_PASSWORD}" }, database: shop }
  - service: pg_wrong
    connection: { type: Postgres, hostPort: "127.0.0.1:${postgresPort}", username: writer_user, authType: { password: "\${WRONG_PASSWORD}" }, database: shop }
  - service: pg_file
    connection: { type: Postgres, hostPort: "127.0.0.1:${postgresPort}", username: writer_user, authType: { password: "\${file:${'FOLDER'}/secret}" }, database: shop }
${awayTargets(awayPort)}channels:
  - name: broken
    priority: 5
    filter: { "==": [ { var: name }, t1 ] }
    update: { descriptions: true, tags: false, owners: false }
    template: COMMENT ON FOREIGN TABLE {schema}.{table} IS {description}
  - name: docs
    update: { descriptions: true, tags: false, owners: false }
`;

describe('P10: no secret leaves the process', () => {
  let postgres: PostgresServer;
  let nats: NatsServer;
  let receiver: OtlpReceiver;
  let nonsense: Server;
  let link: NatsLink;
  let folder: string;
  let service: RunningCli;
  /** Everything that came out, by where. */
  const out = new Map<string, string>();

  const natsUrl = (password: string): string =>
    `nats://nats_user:${encodeURIComponent(password)}@127.0.0.1:${nats.port}`;

  async function command(env: Record<string, string>, ...args: string[]): Promise<void> {
    const { code, stdout, stderr } = await runCli(args, { env, cwd: folder });
    out.set(`backflow ${args.join(' ')} #${out.size}`, `${stdout}\n${stderr}\nexit code ${code}`);
  }

  /** A service that is started while NATS is away says so, and goes on trying. */
  async function waitsForNats(env: Record<string, string>): Promise<void> {
    const waiting = startCli(['serve'], { env, cwd: folder });
    await until(() => waiting.output.stderr.includes('NATS'), 60_000);
    await waiting.stop();
    out.set('serve without NATS', `${waiting.output.stdout}\n${waiting.output.stderr}`);
  }

  async function everythingStored(): Promise<void> {
    for await (const { config } of link.jsm.streams.list()) {
      const reading = { stream: config.name, filter: '>', limit: Number.POSITIVE_INFINITY };
      let text = '';
      for await (const { subject, headers, data } of readOldestFirst(link, reading))
        text += `${subject} ${JSON.stringify(headers)} ${Buffer.from(data).toString('utf8')}\n`;
      out.set(`stream ${config.name}`, text);
    }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backflow-secrets-'));
    // It answers every client with something that no driver understands.
    nonsense = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno'));
    });
    await new Promise<void>((resolve) => nonsense.listen(0, '127.0.0.1', resolve));
    const address = nonsense.address();
    const awayPort = typeof address === 'object' && address !== null ? address.port : 1;
    [postgres, nats, receiver] = await Promise.all([
      startPostgres(),
      startNatsServer({ config: `authorization { user: nats_user, password: ${JSON.stringify(secret('Nats'))} }` }),
      startOtlpReceiver(),
    ]);
    await createTables(postgres, 3);
    const admin = new pg.Client({ connectionString: postgres.url('shop') });
    await admin.connect();
    await admin.query(`CREATE ROLE writer_user SUPERUSER LOGIN PASSWORD ${pg.escapeLiteral(secret('Postgres'))}`);
    await admin.end();
    await writeFile(join(folder, 'secret'), secret('File'));
    await writeFile(join(folder, 'backflow.yaml'), configOf(postgres.port, awayPort).replace('FOLDER', folder));
    await writeFile(
      join(folder, 'plain.yaml'),
      `targets:
  - service: pg_plain
    connection: { type: Postgres, hostPort: "127.0.0.1:1", username: plain_user, authType: { password: ${JSON.stringify(secret('Plain'))} }, database: shop, paswort: ${JSON.stringify(secret('Plain'))} }
channels: []
`,
    );
    const env = {
      NATS_URL: natsUrl(secret('Nats')),
      GOOD_PASSWORD: secret('Postgres'),
      WRONG_PASSWORD: secret('Wrong'),
      AWAY_PASSWORD: secret('Away'),
      BACKFLOW_WEBHOOK_SECRETS: secret('Webhook'),
      BACKFLOW_HTTP: '127.0.0.1:0',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${encodeURIComponent(secret('Otlp'))}`,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
    service = startCli(['serve', '--config', 'backflow.yaml', '--json'], { env, cwd: folder });
    const url = await service.line(/"url": *"([^"]+)"/);
    link = await connectNats({ servers: env.NATS_URL, name: 'test' });
    const services = ['pg_good', 'pg_wrong', 'pg_file', ...SYSTEMS.map((type) => `away_${type.toLowerCase()}`)];
    await until(async () => (await consumers()) >= services.length, 60_000);

    for (const target of services)
      for (const table of ['t0', 't1']) {
        const body = Buffer.from(descriptionEvent([target, 'shop', 'public', table], `for ${target}`).body);
        const headers = {
          'x-om-signature': sign(body, secret('Webhook')),
          authorization: `Bearer ${mark('Header')}`,
          cookie: `session=${mark('Header')}`,
        };
        const response = await fetch(`${url}/ingest/openmetadata`, { method: 'POST', body, headers });
        expect(response.status).toBe(200);
      }
    const forged = { 'x-om-signature': mark('Header'), authorization: mark('Header') };
    const refused = await fetch(`${url}/ingest/openmetadata`, { method: 'POST', body: '{}', headers: forged });
    out.set('webhook 401', `${refused.status} ${await refused.text()}`);

    await until(async () => (await readRuns(link, { limit: 100, status: 'applied' })).length > 0, 60_000);
    await until(async () => (await readDeadLetters(link, { limit: 10 })).length > 0, 60_000);
    // Every target that cannot be reached has said so in its lane's row.
    await until(async () => {
      const rows: unknown = await (await fetch(`${url}/api/v1/lanes`)).json();
      return (JSON.stringify(rows).match(/"down"/g) ?? []).length >= services.length - 1;
    }, 60_000);

    for (const path of ['lanes', 'runs', 'explain?fqn=pg_good.shop.public.t0', 'connectors', 'dlq', 'openapi.json'])
      out.set(`GET ${path}`, await (await fetch(`${url}/api/v1/${path}`)).text());
    for (const path of ['metrics', 'readyz', '']) out.set(`GET /${path}`, await (await fetch(`${url}/${path}`)).text());
    const commands = [
      ['validate', '-f', 'backflow.yaml'],
      ['validate', '-f', 'plain.yaml'],
      ['apply', '-f', 'plain.yaml', '--json'],
      ['apply', '-f', 'backflow.yaml', '--dry-run'],
      ['export'],
      ['check', '-f', 'backflow.yaml'],
      ['lanes'],
      ['lanes', '--json'],
      ['runs', '--json'],
      ['explain', 'pg_good.shop.public.t1'],
      ['dlq', 'list', '--json'],
    ];
    await Promise.all(commands.map((args) => command(env, ...args)));
    await command({ ...env, NATS_URL: natsUrl(secret('NatsWrong')) }, 'runs');
    await command({ ...env, NATS_URL: `nats://u:${mark('NatsWrong')}@127.0.0.1:1` }, 'runs');
    await waitsForNats({ ...env, NATS_URL: `nats://u:${mark('NatsWrong')}@127.0.0.1:1` });

    out.set('spans', JSON.stringify(await receiver.waitFor((spans) => spans.some(({ name }) => name === 'outcome'))));
    expect(await service.stop()).toBe(0);
    out.set('log', `${service.output.stdout}\n${service.output.stderr}`);
    await everythingStored();
  }, 300_000);

  afterAll(async () => {
    await service?.stop('SIGKILL');
    await link?.close();
    await Promise.all([postgres?.stop(), nats?.stop(), receiver?.stop()]);
    nonsense?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  async function consumers(): Promise<number> {
    const info = await link.jsm.streams.info('CHANGES').catch(() => undefined);
    return info?.state.consumer_count ?? 0;
  }

  it.each(SECRETS)('P10: the secret %s stands nowhere in what came out', (name) => {
    const places = [...out].filter(([, text]) => text.includes(mark(name)));
    expect(
      places.map(([place, text]) => `${place}: …${text.slice(Math.max(0, text.indexOf(mark(name)) - 80))}`),
    ).toEqual([]);
  });

  it('P10: what came out is what there is to see: failures of every system, stored configuration, spans, answers', () => {
    const text = (place: string): string => [...out].find(([name]) => name.startsWith(place))?.[1] ?? '';
    expect(text('stream KV_backflow-config')).toContain('writer_user');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the reference itself is what has to be stored
    expect(text('stream KV_backflow-config')).toContain('${WRONG_PASSWORD}');
    expect(text('stream OUTCOMES')).toContain('COMMENT ON');
    expect(text('stream DEADLETTERS')).toContain('FOREIGN TABLE');
    expect(text('stream CHANGES')).toContain('for pg_good');
    expect(text('spans')).toContain('outcome');
    expect(text('GET /metrics')).toContain('backflow_');
    for (const type of SYSTEMS) expect(text('backflow check')).toContain(`away_${type.toLowerCase()}`);
    expect(text('backflow validate -f plain.yaml')).toContain('in the clear');
    expect(text('webhook 401')).toContain('401');
    expect(text('serve without NATS')).toContain('127.0.0.1:1');
    expect(text('log').length).toBeGreaterThan(100);
  });
});
