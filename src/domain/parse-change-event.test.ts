import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParsedMessage, parseMessage } from './parse-change-event.ts';

const FIXTURES = new URL('../../test/fixtures/', import.meta.url).pathname;

const entity = {
  id: 't1',
  name: 'daily.orders',
  fullyQualifiedName: 'pg.shop.public."daily.orders"',
  version: 0.2,
  updatedAt: 1_796_000_000_000,
  description: 'text',
  columns: [{ name: 'a.b', dataType: 'INT', tags: [{ tagFQN: 'PII.Sensitive', source: 'Classification' }] }],
  tags: [],
};

const event = {
  id: 'e1',
  eventType: 'entityUpdated',
  entityType: 'table',
  entityId: 't1',
  userName: 'ana',
  timestamp: 1_796_000_000_000,
  currentVersion: 0.2,
  previousVersion: 0.1,
  changeDescription: {
    fieldsAdded: [{ name: 'description', newValue: 'text' }],
    fieldsUpdated: [],
    fieldsDeleted: [],
    previousVersion: 0.15,
    changeSummary: { description: { changedAt: 1_796_000_000_000 } },
  },
  entity: JSON.stringify(entity),
};

function only(message: unknown): ParsedMessage {
  const parsed = parseMessage(
    typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message),
  );
  expect(parsed).toHaveLength(1);
  const [first] = parsed;
  if (first === undefined) throw new Error('nothing parsed');
  return first;
}

function changeOf(message: unknown) {
  const parsed = only(message);
  if (parsed.kind !== 'change') throw new Error(`expected a change, got ${JSON.stringify(parsed)}`);
  return parsed.event;
}

function problemOf(message: unknown) {
  const parsed = only(message);
  if (parsed.kind !== 'problem') throw new Error(`expected a problem, got ${parsed.kind}`);
  return parsed.problem;
}

describe('parseMessage', () => {
  it('reads all captured and invented events', () => {
    const kinds = { change: 0, other: 0, test: 0, problem: 0 };
    for (const folder of ['real-1.12', 'real-1.6', '.']) {
      for (const file of readdirSync(`${FIXTURES}${folder}`).filter((name) => name.endsWith('.json'))) {
        for (const parsed of parseMessage(readFileSync(`${FIXTURES}${folder}/${file}`))) {
          kinds[parsed.kind] += 1;
          if (parsed.kind !== 'change') continue;
          expect(parsed.event.snapshot, file).toBeDefined();
          expect(parsed.event.service, file).toBe(parsed.event.snapshot?.service);
        }
      }
    }
    expect(kinds).toEqual({ change: 171, other: 18, test: 0, problem: 0 });
  });

  it('takes from the envelope what is true there, and the rest from the entity', () => {
    expect(changeOf(event)).toMatchObject({
      fqn: 'pg.shop.public."daily.orders"',
      service: 'pg',
      userName: 'ana',
      previousVersion: 0.15,
      changes: [{ kind: 'added', name: 'description', newValue: 'text' }],
      snapshot: {
        database: 'shop',
        schema: 'public',
        name: 'daily.orders',
        columns: [{ path: ['a.b'], tags: [{ tagFQN: 'PII.Sensitive' }] }],
      },
    });
    expect(changeOf(event).changedAt.get('description')).toBe(1_796_000_000_000);
  });

  it.each([
    ['a bare event', event, 1],
    ['the entity as an object', { ...event, entity }, 1],
    ['a list response', { data: [event, event], paging: { total: 2 } }, 2],
    ['a bare array', [event, event, event], 3],
    ['an envelope', { source: 'bridge', payload: event }, 1],
    ['an envelope around JSON text', { event: JSON.stringify(event) }, 1],
    ['a list in an envelope', { value: { data: [event] } }, 1],
  ])('finds events in %s', (_, message, count) => {
    const parsed = parseMessage(JSON.stringify(message));
    expect(parsed.map(({ kind }) => kind)).toEqual(Array.from({ length: count }, () => 'change'));
  });

  it('tells test messages, in JSON and in plain text', () => {
    expect(only({ message: 'This is a test' })).toEqual({ kind: 'test', form: 'json', text: 'This is a test' });
    expect(only('This is a test message')).toEqual({ kind: 'test', form: 'text', text: 'This is a test message' });
  });

  it('keeps other entity types apart', () => {
    expect(only({ ...event, entityType: 'THREAD' })).toMatchObject({ kind: 'other', id: 'e1', entityType: 'THREAD' });
  });

  it('knows a missing change description from an empty one', () => {
    const { changeDescription: _, ...without } = event;
    expect(changeOf(without)).not.toHaveProperty('changes');
    expect(changeOf({ ...event, changeDescription: {} }).changes).toEqual([]);
  });

  it('takes a missing list for not loaded, and the tags of columns with it', () => {
    const { tags: _, ...untagged } = entity;
    const snapshot = changeOf({ ...event, entity: untagged }).snapshot;
    expect(snapshot).not.toHaveProperty('tags');
    expect(snapshot).not.toHaveProperty('owners');
    expect(snapshot?.columns[0]?.tags).toEqual([]);
    expect(changeOf(event).snapshot?.tags).toEqual([]);
  });

  it('decodes reserved characters of names', () => {
    const encoded = {
      ...entity,
      fullyQualifiedName: 'pg.shop.public.a__reserved__colon__b',
      columns: [{ name: 'x__reserved__quote__y', dataType: 'INT' }],
    };
    const { fqn, snapshot } = changeOf({ ...event, entity: encoded });
    expect(fqn).toBe('pg.shop.public.a::b');
    expect(snapshot?.columns[0]?.name).toBe('x"y');
  });

  it('finds the name by the parents where the full name cannot be split', () => {
    const named = (name: string) => ({ name });
    const broken = {
      ...entity,
      name: 'a"b.c',
      fullyQualifiedName: 'pg.shop.public.a\\"b.c',
      service: named('pg'),
      database: named('shop'),
      databaseSchema: named('public'),
    };
    expect(changeOf({ ...event, entity: broken }).snapshot).toMatchObject({
      name: 'a"b.c',
      fqn: 'pg.shop.public."a\\"b.c"',
    });
  });

  it('takes the older single owner, and each label once', () => {
    const tag = { tagFQN: 'PII.Sensitive', source: 'Classification' };
    const snapshot = changeOf({
      ...event,
      entity: { ...entity, owner: { id: 'u1', type: 'user', name: 'kim' }, tags: [tag, tag] },
    }).snapshot;
    expect(snapshot?.owners).toEqual([{ id: 'u1', type: 'user', name: 'kim', inherited: false }]);
    expect(snapshot?.tags).toHaveLength(1);
  });
});

describe('bad input', () => {
  it.each([
    ['broken JSON', '{"id": "e1",', 'json-syntax', '$'],
    ['an empty message', '', 'json-syntax', '$'],
    ['bytes that are no text', new Uint8Array([0xc3, 0x28]), 'not-utf8', '$'],
    ['a number', '7', 'no-event', '$'],
    ['an object without an event', { hello: 'world' }, 'no-event', '$'],
    ['a missing id', { ...event, id: undefined }, 'invalid-event', '$.id'],
    [
      'a timestamp of the wrong type',
      { data: [{ ...event, timestamp: 'now' }] },
      'invalid-event',
      '$.data[0].timestamp',
    ],
    ['no name anywhere', { ...event, entity: { id: 't1' } }, 'no-name', '$.entity'],
    ['an entity that is no JSON', { ...event, entity: '{broken' }, 'entity-unreadable', '$.entity'],
    [
      'a name with too few parts',
      { ...event, entity: { ...entity, fullyQualifiedName: 'pg.shop' } },
      'no-name',
      '$.entity',
    ],
  ])('%s: %s', (_, message, code, where) => {
    expect(problemOf(message)).toMatchObject({ code, where });
    expect(problemOf(message).message).toMatch(/^[A-Z].*\.$/);
  });

  it('bounds nesting in the message and in the entity, without a crash', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(problemOf(deep).code).toBe('json-too-deep');
    expect(problemOf({ ...event, entity: `{"name":${deep}}` })).toMatchObject({
      code: 'json-too-deep',
      where: '$.entity',
    });
    expect(only(`${'{"data":'.repeat(50)}1${'}'.repeat(50)}`).kind).toBe('problem');
  });

  it.each(['"__proto__"', '"\\u005f_proto__"'])('is not harmed by a member %s', (name) => {
    const hostile = `{"a":1,${name}:{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`;
    const text = JSON.stringify({ ...event, entity: { ...entity, extension: 'HERE' } }).replace('"HERE"', hostile);
    const { snapshot } = changeOf(text);
    expect(snapshot?.extension.a).toBe(1);
    expect(Object.keys(snapshot?.extension ?? {})).not.toContain('__proto__');
    expect(Object.getPrototypeOf(snapshot?.extension)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });

  it('keeps NUL and lone surrogates as they are', () => {
    const text = 'a\u0000b\ud800c';
    expect(changeOf({ ...event, entity: { ...entity, description: text } }).snapshot?.description).toBe(text);
  });

  it('never throws, whatever JSON it gets', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5 }),
        fc.constantFrom('entity', 'changeDescription', 'data', 'timestamp', 'entityType'),
        (json, member) => {
          expect(parseMessage(json).every(({ kind }) => kind !== 'change')).toBe(true);
          const value: unknown = JSON.parse(json);
          expect(() => parseMessage(JSON.stringify({ ...event, [member]: value }))).not.toThrow();
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('reads an entity of 5 MB', () => {
    const columns = Array.from({ length: 5_000 }, (_, i) => ({
      name: `c${i}`,
      dataType: 'INT',
      description: 'x'.repeat(1_000),
    }));
    expect(changeOf({ ...event, entity: JSON.stringify({ ...entity, columns }) }).snapshot?.columns).toHaveLength(
      5_000,
    );
  });
});
