import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleConnectors } from '../../test/support/sample-connectors.ts';
import type { Json } from '../domain/json.ts';
import { checkConnection } from './check-connection.ts';
import { diffConfig, formatDifference } from './diff.ts';
import { exportConfig } from './export.ts';
import { parseConfigDocument } from './load.ts';
import { formatProblem } from './problem.ts';
import { redact } from './redact.ts';
import { resolveConnection } from './resolve-connection.ts';
import { processSecrets, resolveSecrets, SecretError } from './resolve-secrets.ts';

/** `${…}` without an own template literal in every line. */
const ref = (inner: string): string => `$\{${inner}}`;

const noFile = (): string => {
  throw new Error('no such file: hunter2');
};
const sources = { env: { PW: `p"w: [x]\n\${NOT}`, USER: 'ana' }, readFile: noFile };
const spec = sampleConnectors.connectorFor('Postgres')?.spec;
if (spec === undefined) throw new Error('no sample connector');

describe('references', () => {
  it('are resolved in texts at any depth, once, and never make structure', () => {
    const value: Json = {
      a: [ref('PW'), { b: `x-${ref('USER')}-y` }],
      n: 5,
      plain: 'cash $5 {x}',
      escaped: `$${ref('PW')}`,
    };
    expect(resolveSecrets(value, sources)).toEqual({
      a: [sources.env.PW, { b: 'x-ana-y' }],
      n: 5,
      plain: 'cash $5 {x}',
      escaped: ref('PW'),
    });
  });

  it('take the fallback only when the variable is not set', () => {
    expect(resolveSecrets([ref('GONE:a:b'), ref('GONE:'), ref('USER:x')], sources)).toEqual(['a:b', '', 'ana']);
  });

  it('read files without the newline at their end', () => {
    const folder = mkdtempSync(join(tmpdir(), 'backflow-secret-'));
    const file = join(folder, 'pw');
    writeFileSync(file, 'from file\n');
    expect(resolveSecrets(ref(`file:${file}`), processSecrets())).toBe('from file');
    rmSync(folder, { recursive: true });
  });

  it.each<readonly [string, string, string]>([
    ['a missing variable', ref('NOT_SET'), 'connection.password: the environment variable NOT_SET is not set'],
    ['a missing file', ref('file:/nowhere/pw'), 'the file /nowhere/pw cannot be read'],
    ['a bad name', ref('a b'), 'holds the name of a variable'],
    ['no end', '${PW', 'never ends'],
    ['a relative file', ref('file:pw'), 'needs an absolute path'],
    ['a name of every object', ref('toString'), 'toString is not set'],
  ])('tell %s by its name and never by a value', (_, text, expected) => {
    const resolve = (): unknown => resolveSecrets({ password: text, other: ref('PW') }, sources, ['connection']);
    expect(resolve).toThrow(SecretError);
    expect(resolve).toThrow(expected);
    expect(resolve).not.toThrow(/hunter2|p"w/);
  });

  it('whatever a variable holds stays one text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ maxLength: 5 }), (secret, around) => {
        fc.pre(!around.includes('$'));
        const text = `${around}${ref('S')}${around}`;
        expect(resolveSecrets({ k: text }, { env: { S: secret }, readFile: noFile })).toEqual({
          k: around + secret + around,
        });
      }),
      { seed: 5 },
    );
  });
});

describe('connections', () => {
  const check = (connection: Json): string =>
    checkConnection(connection, spec.config, ['c']).map(formatProblem).join('\n');
  const ok = { hostPort: 'db:5432', username: 'ana' };

  it('may hold a reference wherever a text stands, whatever the connector asks of the text', () => {
    expect(check({ hostPort: ref('DB'), username: ref('U'), authType: { jwt: ref('J') } })).toBe('');
    expect(
      check({ hostPort: `${ref('H')}:${ref('P')}`, username: 'a', authType: { password: ref('file:/run/pw') } }),
    ).toBe('');
    expect(check({ ...ok, hostPort: 'nonsense', password: ref('X') })).toContain('c.hostPort: must be host:port');
    expect(check({ ...ok, authType: { nothing: 1, password: 5 } })).toContain('c.authType');
  });

  it.each<readonly [string, Json]>([
    ['a password', { ...ok, authType: { password: 'hunter2' } }],
    ['a flat password', { ...ok, password: 'hunter2' }],
    ['a fallback', { ...ok, password: ref('PW:hunter2') }],
    ['a part', { ...ok, token: `hunter2${ref('PW')}` }],
    ['a key', { ...ok, credentials: { gcpConfig: { privateKey: 'hunter2', projectId: 'p', privateKeyId: 'k' } } }],
    ['an address', { ...ok, uri: 'postgresql://ana:hunter2@db/x' }],
    ['an option', { ...ok, connectionOptions: { extra: 'user=a;password=hunter2' } }],
  ])('may not hold %s in the clear', (_, connection) => {
    const text = check(connection);
    expect(text).toMatch(/a secret stands here in the clear.*\n {2}→ write \$\{[A-Z_]+\} and set that variable/);
    expect(text).not.toContain('hunter2');
  });

  it('say that a masked secret is one', () => {
    expect(check({ ...ok, authType: { password: '*********' } })).toMatch(
      /authType.password: the value is masked.*\n.*PASSWORD/,
    );
  });

  it('take an empty password, keys that only sound secret, and text that is none', () => {
    const open = {
      privateKeyId: 'k',
      tokenURL: 'https://x/y',
      keyfile: '/k',
      awsAccessKeyId: 'AKIA',
      credentials: { type: 'x' },
    };
    expect(check({ ...ok, ...open, password: '', description: 'the password is elsewhere' })).toBe('');
  });

  it('are opened with what the references stand for, or fail without telling it', () => {
    const resolved = resolveConnection(spec, { ...ok, authType: { password: ref('PW') } }, sources);
    expect(resolved).toMatchObject({ authType: { password: sources.env.PW } });
    const open = (): unknown => resolveConnection(spec, { hostPort: ref('PW'), username: 'a' }, sources);
    expect(open).toThrow('the connection does not fit postgres: connection.hostPort: must be host:port');
    expect(open).not.toThrow(/p"w/);
  });
});

describe('what is shown', () => {
  const connection = {
    type: 'Postgres',
    hostPort: 'db:5432',
    username: 'ana',
    authType: { password: 'hunter2' },
    token: ref('T:hunter2'),
    sslConfig: { sslKey: 'hunter2', caCertificate: 'public' },
    list: { secrets: ['hunter2', { value: 'hunter2' }] },
    url: 'https://ana:hunter2@host/path',
    privateKey: ref('file:/run/key'),
  };
  const parsed = parseConfigDocument({
    targets: [{ service: 's', connection }],
    channels: [{ name: 'c', filter: { '==': [1, 1] } }],
  });
  if (!parsed.ok) throw new Error('document');
  const document = parsed.value;

  it('masks secrets and keeps references and the rest', () => {
    expect(redact(connection)).toEqual({
      type: 'Postgres',
      hostPort: 'db:5432',
      username: 'ana',
      authType: { password: '***' },
      token: ref('T:***'),
      sslConfig: { sslKey: '***', caCertificate: 'public' },
      list: { secrets: ['***', { value: '***' }] },
      url: 'https://ana:***@host/path',
      privateKey: ref('file:/run/key'),
    });
  });

  it('an export holds none, and comes back as the same document', () => {
    expect(exportConfig(document)).not.toContain('hunter2');
    const clean = {
      targets: [{ service: 's', connection: { type: 'Postgres', password: ref('PW') }, paused: true }],
      channels: document.channels,
    };
    const source = parseConfigDocument(clean);
    if (!source.ok) throw new Error('clean');
    expect(exportConfig(source.value)).toContain(`password: ${ref('PW')}`);
  });

  it('a difference tells that a secret changed and not what to', () => {
    const other = parseConfigDocument({
      targets: [
        { service: 's', connection: { ...connection, authType: { password: 'hunter2-new' }, list: { secrets: [] } } },
      ],
    });
    if (!other.ok) throw new Error('other');
    const text = formatDifference(diffConfig(document, other.value));
    expect(text).toContain('- channel c');
    expect(text).toContain('connection.authType.password: "***" → "***"');
    expect(text).toContain('connection.list.secrets');
    expect(text).not.toContain('hunter2');
  });
});
