import { describe, expect, it } from 'vitest';
import { readBody } from './read-body.ts';

const event = {
  id: 'e1',
  eventType: 'entityUpdated',
  entityType: 'table',
  entityId: 't1',
  entityFullyQualifiedName: 'pg.shop.public.orders',
  timestamp: 1,
};
const read = (value: unknown) => readBody(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
const kinds = (value: unknown) => read(value).map((found) => found.kind);

describe('readBody', () => {
  it('sorts the parts of a body by what has to be done with them', () => {
    expect(kinds(event)).toEqual(['change']);
    expect(kinds({ data: [event, { ...event, entityType: 'user' }] })).toEqual(['change', 'other']);
    expect(kinds({ message: 'This is a test message' })).toEqual(['test']);
    expect(kinds([])).toEqual([]);
  });

  it('takes a test message in plain text as something that cannot be read', () => {
    expect(read('This is a test message')).toMatchObject([{ kind: 'problem', problem: { code: 'plain-text' } }]);
  });

  it('keeps the good events of a list, and each broken one with its own text', () => {
    const broken = { ...event, id: 'e2', timestamp: 'yesterday' };
    const found = read([event, broken]);
    expect(found.map((one) => one.kind)).toEqual(['change', 'problem']);
    const [, problem] = found;
    expect(problem).toMatchObject({
      problem: { code: 'invalid-event', eventId: 'e2', message: expect.stringContaining('$[1].timestamp') },
    });
    expect(problem?.kind === 'problem' && JSON.parse(Buffer.from(problem.body).toString())).toEqual(broken);
  });

  it('makes one problem of a body full of things that are no events', () => {
    const found = read(`[${'1,'.repeat(100_000)}1]`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      kind: 'problem',
      problem: { message: expect.stringContaining('And 99998 more') },
    });
  });

  it('makes one problem of a body with very many broken events', () => {
    expect(kinds(Array.from({ length: 101 }, () => ({ ...event, timestamp: null })))).toEqual(['problem']);
  });
});
