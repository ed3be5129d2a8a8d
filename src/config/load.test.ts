import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig, parseConfig } from './load.ts';
import { formatProblem } from './problem.ts';

function textOf(...texts: readonly string[]): string {
  const loaded = parseConfig(texts.map((text, index) => ({ file: `${'abc'.charAt(index)}.yaml`, text })));
  return loaded.ok ? 'no problem' : loaded.error.map(formatProblem).join('\n');
}

const TARGET = 'targets:\n  - service: pg_sales\n    connection: { type: Postgres }\n';

describe('what a file may not hold, told with its place and a remedy', () => {
  it.each<readonly [string, string, string]>([
    [
      'an unknown key',
      'target:\n  - service: x\n',
      'a.yaml:1:1: target: unknown key "target"\n  → did you mean "targets"?',
    ],
    [
      'an unknown key inside',
      `${TARGET}    ratelimit: { perSecond: 1 }\n`,
      'a.yaml:4:5: targets[0].ratelimit: unknown key "ratelimit"\n  → did you mean "rateLimit"?',
    ],
    [
      'an unknown key far from any',
      'channels:\n  - name: a\n    xyzzy: 1\n',
      'known keys here: acceptRace, description',
    ],
    [
      'another word for a key',
      'channels:\n  - name: a\n    filters: true\n',
      'a.yaml:3:5: channels[0].filters: unknown key "filters"\n  → did you mean "filter"?',
    ],
    [
      'a wrong switch',
      'channels:\n  - name: a\n    update: { description: true }\n',
      'a.yaml:3:15: channels[0].update.description: unknown key "description"\n  → did you mean "descriptions"?',
    ],
    [
      'a wrong value',
      'channels:\n  - name: a\n    mode: dryrun\n',
      'a.yaml:3:5: channels[0].mode: must be one of: write, observe',
    ],
    ['a wrong kind', 'channels:\n  name: a\n', 'a.yaml:1:1: channels: must be a list\n  → begin each entry with "- "'],
    [
      'a number for a name',
      'channels:\n  - name: 5\n',
      'a.yaml:2:5: channels[0].name: must be a text\n  → put quotes around it',
    ],
    ['nothing for a name', 'channels:\n  - mode: write\n', 'a.yaml:2:5: channels[0].name: is missing'],
    [
      'a negative rate',
      `${TARGET}    rateLimit: { perSecond: -1 }\n`,
      'a.yaml:4:18: targets[0].rateLimit.perSecond: too small',
    ],
    [
      'a guard of another kind',
      'channels:\n  - name: a\n    guard: 50\n',
      'a.yaml:3:5: channels[0].guard: must be off, or a limit such as { clears: 50, per: 10m }',
    ],
    [
      'a guard with a wrong duration',
      'channels:\n  - name: a\n    guard: { clears: 5, per: soon }\n',
      'a.yaml:3:25: channels[0].guard.per: must be a duration such as 30s, 10m or 2h',
    ],
    [
      'a guard with an unknown key',
      'channels:\n  - name: a\n    guard: { clear: 5 }\n',
      'a.yaml:3:14: channels[0].guard.clear: unknown key "clear"\n  → did you mean "clears"?',
    ],
    ['a list as the whole', '- a\n', 'a configuration is a map\n  → begin with "targets:"'],
    ['a key twice', 'channels: []\nchannels: []\n', 'a.yaml:2:1: (document): YAML: Map keys must be unique'],
    ['broken YAML', 'channels: [\n', 'a.yaml:2:1'],
    [
      'a bracket too many',
      'channels: [ { name: a } } ]\nowners: {}\n',
      'put quotes around a text that holds any of { }',
    ],
    ['a tab', 'channels:\n\t- name: a\n', 'indent with blanks'],
    ['two documents', 'channels: []\n---\nchannels: []\n', 'put the second document into a file of its own'],
    ['an unknown tag', 'channels: !env X\n', `!env are not supported; write \${NAME}`],
    ['an explosion of anchors', explosion(), 'the anchors of the file multiply too often'],
    ['too many aliases', `a: &x 1\nb: [${'*x,'.repeat(3000)}]\n`, 'there are more than 2000 aliases'],
    [
      'an anchor that is large and used often',
      `a: &x [${'1,'.repeat(9000)}]\nchannels: [${'*x,'.repeat(150)}]\n`,
      'holds more than 500000 values',
    ],
    [
      'an alias to nothing',
      'channels: *nowhere\n',
      'a.yaml:1:11: (document): YAML: there is no anchor &nowhere\n  → put &nowhere before',
    ],
    ['a prototype', 'channels:\n  - name: a\n    filter: { "__proto__": 1 }\n', 'the key "__proto__" is not allowed'],
    ['a value that is no number', 'channels:\n  - name: a\n    filter: { "==": [ .nan, 1 ] }\n', 'channels[0].filter'],
    ['deep nesting', `channels: ${'['.repeat(200)}${']'.repeat(200)}\n`, 'nested deeper than 100 levels'],
    ['very deep nesting', `channels: ${'['.repeat(100_000)}`, 'a.yaml:1:'],
    ['a control character in a name', 'channels:\n  - name: "a\\u0007b"\n', 'must not hold control characters'],
    ['a huge file', `# ${'x'.repeat(5_000_000)}\n`, 'the file is larger than 4194304 bytes\n  → split it'],
  ])('%s', (_, text, expected) => {
    expect(textOf(text)).toContain(expected);
  });

  function explosion(): string {
    const lines = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (const [name, before] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg'].map((pair) => pair.split(''))) {
      lines.push(`${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(',')}]`);
    }
    return lines.join('\n');
  }
});

describe('what a file may hold', () => {
  it('takes anchors and merge keys, and places in what was merged', () => {
    const text = 'channels:\n  - &base\n    name: a\n    priority: 1\n    mode: observe\n  - <<: *base\n    name: b\n';
    const loaded = parseConfig([{ file: 'a.yaml', text }]);
    if (!loaded.ok) throw new Error(textOf(text));
    expect(loaded.value.document.channels).toEqual([
      { name: 'a', priority: 1, mode: 'observe' },
      { name: 'b', priority: 1, mode: 'observe' },
    ]);
    expect(loaded.value.locate(['channels', 1, 'priority'])).toEqual({ file: 'a.yaml', line: 4, column: 5 });
    expect(loaded.value.locate(['channels', 1, 'name'])).toEqual({ file: 'a.yaml', line: 7, column: 5 });
  });

  it('finds positions inside texts', () => {
    const text =
      'channels:\n  - name: a\n    template: |\n      COMMENT ON\n        TABLE {x}\n  - name: b\n    template: "AB {y}"\n  - name: c\n    template: AB {z}\n';
    const loaded = parseConfig([{ file: 'a.yaml', text }]);
    if (!loaded.ok) throw new Error(textOf(text));
    const { locate } = loaded.value;
    expect(locate(['channels', 0, 'template'], { line: 2, column: 9 })).toEqual({
      file: 'a.yaml',
      line: 5,
      column: 15,
    });
    expect(locate(['channels', 1, 'template'], { line: 1, column: 4 })).toEqual({
      file: 'a.yaml',
      line: 7,
      column: 19,
    });
    expect(locate(['channels', 2, 'template'], { line: 1, column: 4 })).toEqual({
      file: 'a.yaml',
      line: 9,
      column: 18,
    });
  });

  it('takes references without quotes, wherever they stand, and keeps all places', () => {
    const ref = (inner: string): string => `$\{${inner}}`;
    const text = `targets:
  - service: s
    connection: { type: Postgres, authType: { password: ${ref('PG_PASSWORD')} }, list: [${ref('A:b')}, x-${ref('C:')}-y, "${ref('D')}"], k: ${ref('file:/run/pw')} }
    nope: 1
`;
    const [head, rest] = text.split('    nope');
    expect(textOf(`${head}    nope${rest}`)).toContain('a.yaml:4:5: targets[0].nope: unknown key');
    const loaded = parseConfig([{ file: 'a.yaml', text: head ?? '' }]);
    expect(loaded.ok && loaded.value.document.targets?.[0]?.connection).toEqual({
      type: 'Postgres',
      authType: { password: ref('PG_PASSWORD') },
      list: [ref('A:b'), `x-${ref('C:')}-y`, ref('D')],
      k: ref('file:/run/pw'),
    });
    expect(loaded.ok && loaded.value.locate(['targets', 0, 'connection', 'k'])).toMatchObject({
      line: 3,
      column: (text.split('\n')[2]?.indexOf(', k: ') ?? 0) + 3,
    });
  });

  it('leaves private characters of a text alone', () => {
    const text = `ignoreUsers: ["\ue000\\ue001", $\{X}]`;
    const loaded = parseConfig([{ file: 'a.yaml', text }]);
    expect(loaded.ok && loaded.value.document.ignoreUsers).toEqual(['\ue000\ue001', `$\{X}`]);
  });

  it('an empty file is an empty configuration', () => {
    const loaded = parseConfig([{ file: 'a.yaml', text: '' }]);
    expect(loaded.ok && loaded.value.document).toEqual({});
  });
});

describe('a folder of files', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backflow-config-'));
    await writeFile(join(folder, '10-targets.yaml'), `${TARGET}owners: { map: { ana: ana_role } }\n`);
    await writeFile(
      join(folder, '20-channels.yml'),
      'channels:\n  - name: one\n  - name: two\nowners: { map: { bo: bo_role }, team: skip }\n',
    );
    await writeFile(join(folder, '30-more.yaml'), 'channels:\n  - name: three\nignoreUsers: [bot]\n');
    await writeFile(join(folder, 'notes.txt'), 'not: [valid');
    await writeFile(join(folder, '.hidden.yaml'), 'not: [valid');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is merged, and places stay those of the files', async () => {
    const loaded = await loadConfig(folder);
    if (!loaded.ok) throw new Error(loaded.error.map(formatProblem).join('\n'));
    expect(loaded.value.document).toEqual({
      targets: [{ service: 'pg_sales', connection: { type: 'Postgres' } }],
      channels: [{ name: 'one' }, { name: 'two' }, { name: 'three' }],
      owners: { map: { ana: 'ana_role', bo: 'bo_role' }, team: 'skip' },
      ignoreUsers: ['bot'],
    });
    expect(loaded.value.locate(['channels', 2, 'name'])).toEqual({
      file: join(folder, '30-more.yaml'),
      line: 2,
      column: 5,
    });
    expect(loaded.value.locate(['owners', 'map', 'bo'])).toMatchObject({
      file: join(folder, '20-channels.yml'),
      line: 4,
    });
  });

  it('has a hash that changes with any of its texts', async () => {
    const one = parseConfig([
      { file: 'a', text: 'channels: []' },
      { file: 'b', text: '' },
    ]);
    const two = parseConfig([
      { file: 'a', text: '' },
      { file: 'b', text: 'channels: []' },
    ]);
    const three = parseConfig([
      { file: 'other', text: 'channels: []' },
      { file: 'name', text: '' },
    ]);
    expect(one.ok && two.ok && one.value.hash !== two.value.hash).toBe(true);
    expect(one.ok && three.ok && one.value.hash === three.value.hash).toBe(true);
  });

  it('says where a setting stands twice', () => {
    const text = textOf('owners: { map: { ana: a } }\n', 'owners:\n  map:\n    ana: b\n');
    expect(text).toBe('b.yaml:3:5: owners.map.ana: this is already set in another file\n  → keep one of them');
  });

  it('tells a path that is not there, and a folder without files', async () => {
    const gone = await loadConfig(join(folder, 'gone'));
    expect(gone.ok ? '' : gone.error.map(formatProblem).join()).toMatch(
      /cannot be read \(ENOENT\)\n {2}→ there is no such file/,
    );
    const empty = await mkdtemp(join(tmpdir(), 'backflow-empty-'));
    const loaded = await loadConfig(empty);
    await rm(empty, { recursive: true });
    expect(loaded.ok ? '' : loaded.error.map(formatProblem).join()).toContain('holds no *.yaml');
  });
});
