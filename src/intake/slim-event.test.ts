import { describe, expect, it } from 'vitest';
import { slimEvent } from './slim-event.ts';

const label = {
  tagFQN: 'PII.Sensitive',
  source: 'Classification',
  labelType: 'Manual',
  state: 'Confirmed',
  description: 'long',
  style: {},
};
const slimLabel = { tagFQN: 'PII.Sensitive', source: 'Classification', labelType: 'Manual', state: 'Confirmed' };

const entity = {
  id: 'e',
  name: 't',
  description: 'kept',
  tags: [label],
  owners: [{ id: 'o', type: 'user', name: 'ana', description: 'about Ana', href: 'x' }],
  extension: { cost: 'high' },
  sampleData: { rows: [['1']] },
  profile: { rowCount: 1 },
  changeDescription: { fieldsUpdated: [] },
  columns: [
    {
      name: 'a',
      dataType: 'STRUCT',
      description: 'd',
      profile: { x: 1 },
      tags: [label],
      children: [{ name: 'b', dataType: 'INT', tags: [], jsonSchema: '{}' }],
    },
  ],
};
const slimmedEntity = {
  id: 'e',
  name: 't',
  description: 'kept',
  tags: [slimLabel],
  owners: [{ id: 'o', type: 'user', name: 'ana' }],
  extension: { cost: 'high' },
  columns: [
    {
      name: 'a',
      dataType: 'STRUCT',
      description: 'd',
      tags: [slimLabel],
      children: [{ name: 'b', dataType: 'INT', tags: [] }],
    },
  ],
};

describe('slimEvent', () => {
  it.each([
    ['an object', entity],
    ['a JSON string', JSON.stringify(entity)],
  ])('keeps texts, tags, owners, columns and custom properties of an entity given as %s', (_how, given) => {
    expect(slimEvent({ id: '1', entity: given, debris: 'x' })).toEqual({ id: '1', entity: slimmedEntity });
  });

  it('keeps the diff but for the values of bulky fields', () => {
    const change = { name: 'columns.a.description', oldValue: 'x', newValue: 'y' };
    const slim = slimEvent({
      id: '1',
      changeDescription: {
        previousVersion: 0.1,
        changeSummary: { description: { changedAt: 1 } },
        fieldsUpdated: [change, { name: 'sampleData', newValue: 'huge' }],
      },
    });
    expect(slim.changeDescription).toEqual({
      previousVersion: 0.1,
      changeSummary: { description: { changedAt: 1 } },
      fieldsUpdated: [change, { name: 'sampleData' }],
    });
  });

  it('leaves an entity that cannot be read as it is, and pollutes no prototype', () => {
    expect(slimEvent({ id: '1', entity: 'not json' })).toEqual({ id: '1', entity: 'not json' });
    const hostile = slimEvent(JSON.parse('{"id":"1","entity":{"__proto__":{"polluted":true},"constructor":1}}'));
    expect(JSON.stringify(hostile)).toContain('__proto__');
    expect(Object.prototype).not.toHaveProperty('polluted');
    expect(Object.getPrototypeOf(hostile.entity)).toBe(Object.prototype);
  });
});
