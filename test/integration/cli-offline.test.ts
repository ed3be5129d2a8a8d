import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { tableEvent } from '../support/table-event.ts';

const FIXTURES = new URL('../fixtures/', import.meta.url).pathname;
const DATABASE_EVENT = join(FIXTURES, '05-database-description-added.json');
const TEMPLATE = 'ALTER DATABASE "{database}" SET COMMENT = {description}';
const STATEMENT = `ALTER DATABASE "FIN_DB" SET COMMENT = 'Financial ledgers of the group. Owner: Data Platform.'`;

const CONFIG = `targets:
  - service: pg_sales
    connection: { type: Postgres, hostPort: "127.0.0.1:5432", username: backflow, authType: { password: "\${PG_PASSWORD}" }, database: shop }
channels:
  - name: sensitive
    filter: { some: [ { var: tags }, { "==": [ { var: tagFQN }, PII.Sensitive ] } ] }
    update: { descriptions: true }
    template: COMMENT ON TABLE {schema}.{table} IS '{description} [checked]'
  - name: documentation
    update: { descriptions: true, owners: true }
`;

let folder: string;
const path = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backflow-cli-'));
  writeFileSync(path('good.yaml'), CONFIG);
  writeFileSync(path('comment.sql'), `${TEMPLATE}\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('backflow render, without any server', () => {
  const render = (args: readonly string[], input?: string) =>
    runCli(['render', ...args], input === undefined ? {} : { input });

  it('prints the exact statement of a template, as text and as JSON, from the line and from a file', async () => {
    const [text, json, file] = await Promise.all([
      render(['--connector', 'postgres', '--template', TEMPLATE, '--event', DATABASE_EVENT]),
      render(['--connector', 'postgres', '--template', TEMPLATE, '--event', DATABASE_EVENT, '--json']),
      render(['--connector', 'Postgres', '--template-file', path('comment.sql'), '--event', DATABASE_EVENT]),
    ]);
    expect(text).toMatchObject({ code: 0, stdout: `${STATEMENT}\n`, stderr: '' });
    expect(json.code).toBe(0);
    expect(json.json()).toMatchObject({ statements: [STATEMENT] });
    expect(file).toMatchObject({ code: 0, stdout: `${STATEMENT}\n` });
  });

  it('names line, column and remedy of what is wrong in the template', async () => {
    const wrong = 'ALTER DATABASE "{database}"\n  SET COMMENT = {descripton}';
    const [json, text] = await Promise.all([
      render(['--connector', 'postgres', '--template', wrong, '--event', DATABASE_EVENT, '--json']),
      render(['--connector', 'postgres', '--template', wrong, '--event', DATABASE_EVENT]),
    ]);
    expect(json.code).toBe(1);
    expect(json.json()).toMatchObject({
      errors: [
        { line: 2, column: 17, message: expect.stringContaining('{descripton}'), hint: 'did you mean {description}?' },
      ],
    });
    expect(text).toMatchObject({ code: 1, stdout: '' });
    expect(text.stderr).toContain('line 2, column 17');
  });

  it('names the place of a value that cannot be written', async () => {
    const event = tableEvent({ description: 'before\u0000after' });
    const json = await render(
      [
        '--connector',
        'postgres',
        '--template',
        'COMMENT ON TABLE {schema}.{table}\nIS {description}',
        '--event',
        '-',
        '--json',
      ],
      JSON.stringify(event),
    );
    expect(json.code).toBe(1);
    expect(json.json()).toMatchObject({ errors: [{ line: 2, column: 4, message: expect.stringContaining('NUL') }] });
  });

  it('quotes what the catalogue says, whatever it is', async () => {
    const event = tableEvent({
      description: `it's "here" \\ '; DROP TABLE x; --`,
      path: ['pg_sales', 'shop', 'pub"lic', 'or.ders'],
    });
    const result = await render(['--connector', 'postgres', '--event', '-', '--json'], JSON.stringify(event));
    expect(result.json()).toMatchObject({
      statements: [`COMMENT ON TABLE "pub""lic"."or.ders" IS E'it''s "here" \\\\ ''; DROP TABLE x; --'`],
    });
  });

  it('uses a channel of a configuration: its template, its filter, its owners', async () => {
    const tagged = {
      tags: [{ tagFQN: 'PII.Sensitive', source: 'Classification', labelType: 'Manual', state: 'Confirmed' }],
    };
    const channel = (name: string, event: object) =>
      render(['--channel', name, '-f', path('good.yaml'), '--event', '-', '--json'], JSON.stringify(event));
    const [fits, not, plain] = await Promise.all([
      channel('sensitive', tableEvent({ entity: tagged })),
      channel('sensitive', tableEvent()),
      channel('documentation', tableEvent()),
    ]);
    expect(fits.json()).toMatchObject({
      statements: [`COMMENT ON TABLE "public"."orders" IS 'Orders of the shop [checked]'`],
    });
    expect(not).toMatchObject({ code: 0 });
    expect(not.json()).toMatchObject({
      statements: [],
      skipped: [{ aspect: 'description', reason: expect.stringContaining('filter') }],
    });
    expect(plain.json()).toMatchObject({ statements: [`COMMENT ON TABLE "public"."orders" IS 'Orders of the shop'`] });
  });

  it('says so when the event touches nothing that the template serves', async () => {
    const template = 'COMMENT ON TABLE {schema}.{table} IS {description}';
    const result = await render(['--connector', 'postgres', '--template', template, '--event', DATABASE_EVENT]);
    expect(result).toMatchObject({ code: 0, stdout: '' });
    expect(result.stderr).toContain('touches nothing that the template serves (description of a table)');
  });

  it('answers wrong calls with the way to call it right', async () => {
    const [both, unknown, channel, missing, broken] = await Promise.all([
      render(['--connector', 'postgres', '--template', TEMPLATE, '--channel', 'x', '--event', DATABASE_EVENT]),
      render(['--connector', 'postgress', '--event', DATABASE_EVENT]),
      render(['--channel', 'sensitiv', '-f', path('good.yaml'), '--event', DATABASE_EVENT]),
      render(['--connector', 'postgres', '--event', path('nowhere.json')]),
      render(['--connector', 'postgres', '--event', '-', '--json'], '{"id": 1'),
    ]);
    expect(both).toMatchObject({ code: 2, stdout: '' });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "postgres"?') });
    expect(channel).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "sensitive"?') });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('no such file') });
    expect(broken.code).toBe(1);
    expect(broken.json()).toMatchObject({ errors: [{ message: expect.stringContaining('JSON') }] });
  });
});

describe('backflow validate, connectors and wrong usage, without any server', () => {
  it('a wrong call is told the help of its own command', async () => {
    const [argument, option] = await Promise.all([runCli(['validate', 'x.yaml']), runCli(['dlq', 'list', '--bogus'])]);
    expect(argument).toMatchObject({ code: 2, stderr: expect.stringContaining('(see backflow validate --help)') });
    expect(option).toMatchObject({ code: 2, stderr: expect.stringContaining('(see backflow dlq list --help)') });
  });

  it('names file, line, column and remedy of each problem of a configuration', async () => {
    const bad = CONFIG.replace('update: { descriptions: true, owners: true }', 'updates: { descriptions: true }');
    writeFileSync(path('bad.yaml'), bad);
    const [good, text, json] = await Promise.all([
      runCli(['validate', '-f', path('good.yaml'), '--json']),
      runCli(['validate', '-f', path('bad.yaml')]),
      runCli(['validate', '-f', '-', '--json'], { input: bad }),
    ]);
    expect(good.code).toBe(0);
    expect(good.json()).toMatchObject({ ok: true, problems: [], targets: 1, channels: 2 });
    expect(text.code).toBe(1);
    expect(text.stdout).toContain(`${path('bad.yaml')}:10:5: channels[1]`);
    expect(text.stdout).toContain('did you mean "update"?');
    expect(json.code).toBe(1);
    expect(json.json()).toMatchObject({ ok: false, problems: [{ file: '<stdin>', line: 10, column: 5 }] });
  });

  it('lists connectors in the shape that scripts depend on', async () => {
    const result = await runCli(['connectors', '--json']);
    expect(result.json()).toContainEqual(
      expect.objectContaining({
        connector: 'postgres',
        serviceTypes: ['Postgres'],
        sink: false,
        abilities: expect.arrayContaining([
          {
            aspect: 'description',
            level: 'column',
            kinds: expect.arrayContaining(['view']),
            set: true,
            clear: true,
            provenOn: 'real',
          },
        ]),
        limits: expect.any(Array),
        rateLimit: expect.objectContaining({ perSecond: expect.any(Number) }),
      }),
    );
  });

  it('exits 2 with the nearest word for an unknown command or option, and shows no stack', async () => {
    const [command, option, group, version, help] = await Promise.all([
      runCli(['expalin', 'x']),
      runCli(['runs', '--stauts', 'failed']),
      runCli(['dlq', 'lits']),
      runCli(['--version']),
      runCli(['publish', '--help']),
    ]);
    expect(command).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean explain?') });
    expect(option).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean --status?') });
    expect(group).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean list?') });
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Example:\n  backflow publish') });
    for (const { stderr } of [command, option, group]) expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('exits 3 where there is no NATS to talk to, and says how to get one', async () => {
    const [none, away] = await Promise.all([
      runCli(['runs', '--json'], { cwd: folder }),
      runCli(['lanes'], { env: { NATS_URL: 'nats://user:hunter2@127.0.0.1:1' } }),
    ]);
    expect(none.code).toBe(3);
    expect(none.json()).toMatchObject({ error: { exitCode: 3, message: expect.stringContaining('NATS_URL') } });
    expect(away).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('127.0.0.1:1') });
    expect(away.stderr).not.toContain('hunter2');
    expect(away.stderr).not.toMatch(/\n\s+at /);
  });
});
