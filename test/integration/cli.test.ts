import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type CliResult, type RunningCli, runCli, startCli } from '../support/run-cli.ts';
import { tableEvent } from '../support/table-event.ts';
import { until } from '../support/until.ts';

let nats: NatsServer;
let postgres: PostgresServer;
let database: Client;
let service: RunningCli;
let folder: string;
let env: Record<string, string>;

/** The password as it stands in the configuration, which never holds it. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the reference itself is meant
const REFERENCE = '${PG_PASSWORD}';

const path = (name: string): string => join(folder, name);
const cli = (...args: string[]): Promise<CliResult> => runCli(args, { env, cwd: folder });

const config = (extra = ''): string => `targets:
  - service: pg_sales
    connection: { type: Postgres, hostPort: "127.0.0.1:${postgres.port}", username: backflow, authType: { password: "${REFERENCE}" }, database: shop }
channels:
  - name: documentation
    update: { descriptions: true }
${extra}`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backflow-cli-'));
  [nats, postgres] = await Promise.all([startNatsServer(), startPostgres()]);
  const admin = new Client({ connectionString: postgres.url('postgres') });
  await admin.connect();
  await admin.query("CREATE ROLE backflow LOGIN PASSWORD 'cli-password'");
  await admin.query('CREATE ROLE keeper');
  await admin.query('CREATE DATABASE shop OWNER backflow');
  await admin.end();
  database = new Client({ connectionString: postgres.url('shop') });
  // The server is ended while the tests still hold their connection.
  database.on('error', () => {});
  await database.connect();
  await database.query('CREATE TABLE orders (order_id bigint); ALTER TABLE orders OWNER TO backflow');
  env = {
    NATS_URL: nats.url,
    PG_PASSWORD: 'cli-password',
    BACKFLOW_HTTP: '127.0.0.1:0',
    BACKFLOW_WEBHOOK_SECRETS: 'secret',
  };
  writeFileSync(path('backflow.yaml'), config());
});

afterAll(async () => {
  await service?.stop('SIGKILL');
  await database?.end();
  await Promise.all([nats?.stop(), postgres?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const runsSchema = z.array(
  z.looseObject({
    eventId: z.string(),
    status: z.string(),
    target: z.string(),
    asset: z.string().nullish(),
    reason: z.string().optional(),
    statements: z.array(z.string()).optional(),
  }),
);

async function runsOf(...filter: string[]) {
  return runsSchema.parse((await cli('runs', '--json', ...filter)).json());
}

async function publishTable(table: string, description: string) {
  const event = tableEvent({
    path: ['pg_sales', 'shop', 'public', table],
    description,
    envelope: { timestamp: Date.now() },
  });
  const file = path(`${event.id}.json`);
  writeFileSync(file, JSON.stringify(event));
  const published = await cli('publish', file, '--json');
  expect(published.code).toBe(0);
  expect(published.json()).toMatchObject({
    ok: true,
    events: [{ eventId: event.id, result: 'published', subject: 'events.pg_sales' }],
  });
  return event;
}

async function commentOf(table: string): Promise<string | null> {
  const { rows } = await database.query<{ comment: string | null }>(
    "SELECT obj_description(to_regclass($1), 'pg_class') AS comment",
    [`public.${table}`],
  );
  return rows[0]?.comment ?? null;
}

describe('configuration by the command line', () => {
  it('tells that nothing is in force before the first apply', async () => {
    const [exported, paused] = await Promise.all([cli('export'), cli('runs')]);
    expect(exported).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('not run on this NATS yet'),
    });
    expect(paused.code).toBe(1);
  });

  it('applies with a difference, exports what apply takes back, and changes nothing by a dry run', async () => {
    const dry = await cli('apply', '-f', 'backflow.yaml', '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('+ target pg_sales\n+ channel documentation'),
    });
    const applied = await cli('apply', '-f', 'backflow.yaml', '--json');
    expect(applied.json()).toMatchObject({ ok: true, applied: true, revision: 1 });

    const exported = await cli('export');
    expect(exported.code).toBe(0);
    expect(exported.stdout).not.toContain('cli-password');
    expect(exported.stdout).toContain(REFERENCE);
    writeFileSync(path('exported.yaml'), exported.stdout);
    const again = await cli('apply', '-f', 'exported.yaml', '--dry-run', '--json');
    expect(again.json()).toMatchObject({ changes: [], revision: 1 });

    writeFileSync(path('wrong.yaml'), config('ignoreUser: [ bot ]\n'));
    const wrong = await cli('apply', '-f', 'wrong.yaml');
    expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('wrong.yaml:7:1: ignoreUser') });
    expect((await cli('export', '--json')).json()).toMatchObject({ revision: 1 });
  });

  it('checks the targets and names the GRANT that is missing', async () => {
    const good = await cli('check', '--json');
    expect(good.code).toBe(0);
    expect(good.json()).toMatchObject({
      ok: true,
      targets: [{ target: 'pg_sales', connected: true, user: 'backflow' }],
    });

    await database.query('CREATE TABLE kept (id int); ALTER TABLE kept OWNER TO keeper');
    const lacking = await cli('check', 'pg_sales');
    expect(lacking).toMatchObject({ code: 1, stdout: expect.stringContaining('GRANT "keeper" TO "backflow";') });
    await database.query('DROP TABLE kept');

    writeFileSync(path('away.yaml'), config().replace(String(postgres.port), '1'));
    const [away, unknown] = await Promise.all([cli('check', '-f', 'away.yaml'), cli('check', 'pg_sale')]);
    expect(away.code).toBe(3);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "pg_sales"?') });
  });
});

describe('a running service by the command line', () => {
  it('serves, takes a published event in, writes it, and shows the run, the lane and the explanation', async () => {
    service = startCli(['serve'], { env, cwd: folder });
    const url = await service.line(/listens on (http:\S+)/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);

    const event = await publishTable('orders', 'Orders of the web shop');
    await until(async () => (await commentOf('orders')) === 'Orders of the web shop');
    await until(async () => (await runsOf('--event', event.id)).length > 0);
    const runs = await runsOf('--asset', 'pg_sales.shop.public.orders', '--status', 'applied');
    expect(runs).toMatchObject([
      {
        eventId: event.id,
        status: 'applied',
        target: 'pg_sales',
        channel: 'documentation',
        aspect: 'description',
        statements: [`COMMENT ON TABLE "public"."orders" IS 'Orders of the web shop'`],
      },
    ]);
    expect(await runsOf('--asset', 'pg_sales.shop.public.orders.order_id')).toEqual([]);

    const [lanes, members, explained, nobody, again] = await Promise.all([
      cli('lanes', '--json'),
      cli('members', '--json'),
      cli('explain', 'pg_sales.shop.public.orders'),
      cli('explain', 'pg_sales.shop.public.nobody', '--json'),
      cli('publish', path(`${event.id}.json`), '--json'),
    ]);
    expect(lanes.json()).toMatchObject([
      { target: 'pg_sales', partition: 0, paused: false, owner: expect.any(String) },
    ]);
    const { owner } = z.array(z.looseObject({ owner: z.string() })).parse(lanes.json())[0] ?? {};
    expect(members.json()).toMatchObject([{ replica: owner, state: 'running', lanes: 1 }]);
    expect(explained).toMatchObject({ code: 0, stdout: expect.stringContaining('documentation: writes') });
    expect(explained.stdout).toContain('applied');
    expect(nobody).toMatchObject({ code: 1 });

    expect(again.json()).toMatchObject({ events: [{ eventId: event.id, result: 'duplicate' }] });
  });

  it('holds changes of a paused target back until it is resumed', async () => {
    const [wrong, paused] = await Promise.all([
      cli('pause', 'pg_salez'),
      cli('pause', 'pg_sales', '--reason', 'maintenance', '--json'),
    ]);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "pg_sales"?') });
    expect(paused.json()).toMatchObject({ target: 'pg_sales', paused: true, reason: 'maintenance' });
    await until(async () => {
      const rows: unknown = await (await fetch(`${await service.line(/listens on (http:\S+)/)}/api/v1/lanes`)).json();
      return JSON.stringify(rows).includes('"phase":"paused"');
    });
    const event = await publishTable('orders', 'Written after the pause');
    await until(async () => (await laneLag()) > 0);
    // What waits in the stream counts as much as what is in hand.
    await until(async () => /"breaker": "closed"/.test((await cli('lanes', '--json')).stdout));
    expect((await cli('lanes', '--json')).json()).toMatchObject([
      { oldestUnappliedMs: expect.any(Number), perSecond: expect.any(Number), held: 0 },
    ]);
    expect(await commentOf('orders')).toBe('Orders of the web shop');
    expect(await runsOf('--event', event.id)).toEqual([]);

    const resumed = await cli('resume', 'pg_sales', '--json');
    expect(resumed.json()).toMatchObject({ target: 'pg_sales', paused: false, wasPaused: true });
    await until(async () => (await commentOf('orders')) === 'Written after the pause');
  });

  it('holds what a paused channel would write until it is resumed, and says what is wrong with a name', async () => {
    const paused = await cli('pause', '--channel', 'documentation', '--json');
    expect(paused.json()).toMatchObject({ channel: 'documentation', paused: true });
    const probe = async () => {
      const rows: unknown = await (await fetch(`${await service.line(/listens on (http:\S+)/)}/api/v1/lanes`)).json();
      return JSON.stringify(rows).includes('"why":"paused"');
    };
    const event = await publishTable('orders', 'Written once the channel is resumed');
    await until(probe);
    expect(await commentOf('orders')).toBe('Written after the pause');
    const resumed = await cli('resume', '--channel', 'documentation', '--json');
    expect(resumed.json()).toMatchObject({ channel: 'documentation', paused: false, wasPaused: true });
    await until(async () => (await runsOf('--event', event.id)).some(({ status }) => status === 'applied'));

    const [neither, both, typo, unknown, idle] = await Promise.all([
      cli('pause'),
      cli('pause', 'pg_sales', '--channel', 'documentation'),
      cli('pause', '--channel', 'documentatoin'),
      cli('release', 'nobody'),
      cli('release', 'documentation', '--target', 'pg_sales'),
    ]);
    for (const wrong of [neither, both])
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('either a target, or a channel') });
    expect(typo).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "documentation"?') });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no channel "nobody"') });
    expect(idle).toMatchObject({ code: 0, stdout: expect.stringContaining('held nothing back') });
  });

  it('replays a change that failed, once its cause is repaired', async () => {
    const event = await publishTable('invoices', 'One row per invoice');
    await until(async () => (await runsOf('--event', event.id)).some(({ status }) => status === 'failed'));
    const letters = z
      .array(z.looseObject({ sequence: z.number(), id: z.string(), eventId: z.string() }))
      .parse((await cli('dlq', 'list', '--target', 'pg_sales', '--json')).json());
    expect(letters).toMatchObject([
      { eventId: event.id, target: 'pg_sales', channel: 'documentation', failure: { class: 'not_found' } },
    ]);
    const [letter] = letters;
    if (letter === undefined) throw new Error('no letter');
    const [grouped, shown] = await Promise.all([
      cli('dlq', 'list', '--group', '--json'),
      cli('dlq', 'show', letter.id, '--json'),
    ]);
    expect(grouped.json()).toMatchObject([
      { target: 'pg_sales', class: 'not_found', count: 1, example: letter.sequence },
    ]);
    expect(JSON.parse(String(z.looseObject({ body: z.string() }).parse(shown.json()).body))).toMatchObject({
      id: event.id,
    });

    await database.query('CREATE TABLE invoices (id int); ALTER TABLE invoices OWNER TO backflow');
    const asked = await cli('dlq', 'replay', '--all', '--target', 'pg_sales');
    expect(asked).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('1 dead letter of pg_sales would be replayed'),
    });
    expect(await commentOf('invoices')).toBeNull();

    const replayed = await cli('dlq', 'replay', String(letter.sequence), '--json');
    const {
      replayed: [answer],
    } = z
      .object({ replayed: z.array(z.looseObject({ eventId: z.string(), result: z.string() })) })
      .parse(replayed.json());
    expect(answer).toMatchObject({
      result: 'replayed',
      replayOf: event.id,
      target: 'pg_sales',
      letters: [letter.sequence],
    });
    await until(async () => (await commentOf('invoices')) === 'One row per invoice');
    const newId = answer?.eventId ?? '';
    await until(async () => (await runsOf('--event', newId)).some(({ status }) => status === 'applied'));
    // The record of the first try stands, the letter is gone.
    expect((await runsOf('--event', event.id)).map(({ status }) => status)).toEqual(['failed']);
    expect((await cli('dlq', 'list', '--json')).json()).toEqual([]);
  });

  it('shows, replays and discards what intake could not read', async () => {
    const broken = await runCli(['publish', '-', '--json'], {
      env,
      cwd: folder,
      input: '{"id": "x", "entityType": "table"}',
    });
    expect(broken.code).toBe(1);
    expect(broken.json()).toMatchObject({ ok: false, events: [] });

    const url = await service.line(/listens on (http:\S+)/);
    const body = '{"id": "x", "entityType": "table"}';
    const signature = `sha256=${createHmac('sha256', 'secret').update(body).digest('base64')}`;
    const response = await fetch(`${url}/ingest/openmetadata`, {
      method: 'POST',
      headers: { 'x-om-signature': signature },
      body,
    });
    expect(response.status).toBe(200);

    const list = async () =>
      z
        .array(z.looseObject({ sequence: z.number(), failure: z.looseObject({ code: z.string() }) }))
        .parse((await cli('dlq', 'list', '--target', '_intake', '--json')).json());
    const [first] = await list();
    const replayed = await cli('dlq', 'replay', String(first?.sequence ?? 0), '--json');
    expect(replayed.json()).toMatchObject({ replayed: [{ result: 'replayed', target: '_intake', stream: 'EVENTS' }] });
    // Nothing was repaired, so it comes back as a new letter.
    await until(async () => (await list()).some(({ sequence }) => sequence !== first?.sequence));

    const [second] = await list();
    const sequence = String(second?.sequence ?? 0);
    const refused = await cli('dlq', 'discard', sequence);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') });
    const discarded = await cli('dlq', 'discard', sequence, '--reason', 'only a test', '--json');
    expect(discarded.json()).toMatchObject({ discarded: [second?.sequence], reason: 'only a test' });
    expect(await list()).toEqual([]);
    const gone = await cli('dlq', 'show', sequence);
    expect(gone).toMatchObject({ code: 1, stdout: expect.stringContaining('only a test') });
  });

  it('drains on SIGTERM and exits 0', async () => {
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(service.output.stderr).toContain('draining');
    expect(service.output.stderr).not.toContain('cli-password');
  });

  it('serves with a nats-server of its own, which the other commands find', async () => {
    const { NATS_URL, ...own } = env;
    const options = { env: { ...own, BACKFLOW_DATA: path('data') }, cwd: folder };
    const alone = startCli(['serve', '--config', 'backflow.yaml', '--json'], options);
    await alone.line(/"webhook"/);
    const exported = await runCli(['export', '--json'], options);
    expect(exported.json()).toMatchObject({ revision: 1 });
    // Ctrl-C under npm arrives twice.
    alone.signal('SIGINT');
    expect(await alone.stop('SIGINT')).toBe(0);
    const after = await runCli(['lanes'], options);
    expect(after.code).toBe(3);

    const orphan = startCli(['serve'], options);
    await orphan.line(/listens on/);
    process.kill(Number(readFileSync(path('data/nats/nats-server.pid'), 'utf8')), 'SIGKILL');
    expect(await orphan.ended).toBe(1);
    expect(orphan.output.stderr).toContain('cannot go on: our own nats-server has ended');

    const invalid = await runCli(['serve', '--config', 'wrong.yaml'], { env, cwd: folder });
    expect(invalid).toMatchObject({ code: 1, stderr: expect.stringContaining('wrong.yaml:7:1') });
  });
});

async function laneLag(): Promise<number> {
  const rows = z.array(z.looseObject({ lag: z.number() })).parse((await cli('lanes', '--json')).json());
  return rows[0]?.lag ?? 0;
}
