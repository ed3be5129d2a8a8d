import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../src/service/history.ts';
import { hostileName, hostileText } from '../support/hostile-text.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { dumpPostgres } from '../support/postgres-dump.ts';
import { loggedStatements } from '../support/postgres-log.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createTables, postgresTarget } from '../support/shop-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { descriptionEvent } from '../support/traced-changes.ts';

const TABLES = 120;
const SEED = 20_261_130;
/** What the service may run around its planned statements. */
const AROUND =
  /^(?:\s|;|\/\*traceparent='[0-9a-f-]{55}'\*\/|(?:BEGIN|COMMIT|SAVEPOINT \w+|RELEASE(?: SAVEPOINT)? \w+)\b)+/i;

/** What is left of a logged text once planned statements are taken out of it, each at most as often as it was planned. */
function unplanned(text: string, planned: Map<string, number>): string {
  let rest = text;
  for (;;) {
    rest = rest.replace(AROUND, '');
    const found = [...planned].find(([statement, left]) => left > 0 && rest.startsWith(statement));
    if (found === undefined) return rest;
    planned.set(found[0], found[1] - 1);
    rest = rest.slice(found[0].length);
  }
}

describe('hostile texts and names through the running service into PostgreSQL', () => {
  let nats: NatsServer;
  let postgres: PostgresServer;
  let replica: TestService;
  let shop: pg.Client;
  let log = '';
  let before: ReadonlyMap<string, string>;
  let after: ReadonlyMap<string, string>;
  let runs: readonly Run[];
  /** Table by schema and name → the comment that it has to have in the end. */
  const wanted = new Map<string, string>();

  beforeAll(async () => {
    [nats, postgres] = await Promise.all([
      startNatsServer(),
      startPostgres({
        settings: { log_statement: 'all', log_line_prefix: '@@%a@@' },
        onLog: (text) => {
          log += text;
        },
      }),
    ]);
    await createTables(postgres, 0);
    shop = new pg.Client({ connectionString: postgres.url('shop') });
    await shop.connect();
    const names = [...new Set(fc.sample(hostileName({ max: 63, unit: 'bytes' }), { numRuns: TABLES, seed: SEED }))];
    await shop.query('CREATE SCHEMA said; CREATE TABLE public.canary (id int); COMMENT ON TABLE canary IS $$alive$$');
    for (const schema of ['public', 'said'])
      for (const name of names) await shop.query(`CREATE TABLE ${schema}.${pg.escapeIdentifier(name)} (id int)`);
    replica = await startTestService({
      natsUrl: nats.url,
      config: `targets:
${postgresTarget(postgres)}channels:
  - { name: plain, filter: { "==": [ { var: databaseSchema.name }, public ] }, update: { descriptions: true, tags: false, owners: false } }
  - name: template
    filter: { "==": [ { var: databaseSchema.name }, said ] }
    update: { descriptions: true, tags: false, owners: false }
    template: "COMMENT ON TABLE {schema}.{table} IS E'said: {description}'"
`,
    });
    await replica.lanes();

    before = await dumpPostgres(new Map([['shop', shop]]));
    const texts = fc.sample(hostileText(), { numRuns: 4 * TABLES, seed: SEED + 1 });
    const events = texts.map((text, i) => {
      const [schema, name] = [i % 2 === 0 ? 'public' : 'said', names[(i >> 1) % names.length] ?? ''] as const;
      wanted.set(JSON.stringify(['shop', schema, name]), schema === 'said' ? `said: ${text}` : text);
      return descriptionEvent(['pg_sales', 'shop', schema, name], text);
    });
    log = '';
    await replica.postAll(events);
    runs = await replica.outcomes(
      events.map(({ id }) => id),
      120_000,
    );
    after = await dumpPostgres(new Map([['shop', shop]]));
  }, 240_000);

  afterAll(async () => {
    await replica?.stop();
    await shop?.end();
    await Promise.all([postgres?.stop(), nats?.stop()]);
  });

  it('P5: the server ran the recorded statements and no other, whatever the texts and names', () => {
    const recorded = runs.filter(({ status }) => status === 'applied').flatMap(({ statements }) => statements ?? []);
    const planned = new Map<string, number>();
    for (const statement of recorded) planned.set(statement, (planned.get(statement) ?? 0) + 1);
    expect(recorded.length).toBeGreaterThan(TABLES);
    const logged = loggedStatements(log, /^backflow\//);
    expect(logged.map((text) => unplanned(text, planned)).filter((rest) => rest !== '')).toEqual([]);
    // Nothing was recorded that did not run either.
    expect([...planned].filter(([, left]) => left > 0)).toEqual([]);
    // Each table has its channel; the other one says that its filter is false.
    const unexpected = runs.filter(({ status, reason }) =>
      status === 'skipped'
        ? reason?.startsWith('the filter is false') !== true
        : !['applied', 'superseded', 'unchanged'].includes(status),
    );
    expect(unexpected).toEqual([]);
  });

  it('P5: the comparison notices a statement that nobody planned', () => {
    const planned = () => new Map([["COMMENT ON TABLE a IS 'x'", 1]]);
    expect(unplanned("BEGIN;COMMENT ON TABLE a IS 'x';COMMIT", planned())).toBe('');
    expect(unplanned("COMMENT ON TABLE a IS 'x'; DROP TABLE canary", planned())).toBe('DROP TABLE canary');
    expect(unplanned("COMMENT ON TABLE a IS 'x';COMMENT ON TABLE a IS 'x'", planned())).not.toBe('');
  });

  it('P6: each comment that was meant stands there, and nothing else of the database has changed', () => {
    const expected = new Map(before);
    for (const [table, text] of wanted) expected.set(`description ${table}`, text);
    expect(after).toEqual(expected);
    expect(wanted.size).toBeGreaterThan(TABLES);
    expect(after.get(`description ${JSON.stringify(['shop', 'public', 'canary'])}`)).toBe('alive');
  });
});
