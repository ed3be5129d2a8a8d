import { describe, expect, it } from 'vitest';
import { tableEvent } from '../../test/support/table-event.ts';
import { readEventsFile } from './read-events.ts';

const text = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

describe('readEventsFile', () => {
  const first = tableEvent();
  const second = tableEvent();

  it.each([
    ['one event', [first], first],
    ['a list', [first, second], [first, second]],
    ['the answer of the events API', [first, second], { data: [first, second], paging: {} }],
    ['one event a line', [first, second], `${JSON.stringify(first)}\n\n${JSON.stringify(second)}\r\n`],
  ])('reads %s', (_name, expected, file) => {
    const { events, problems } = readEventsFile(text(file));
    expect(problems).toEqual([]);
    expect(events).toMatchObject(
      expected.map(({ id }) => ({
        kind: 'publish',
        eventId: id,
        service: 'pg_sales',
        asset: 'pg_sales.shop.public.orders',
      })),
    );
  });

  it('passes over what is never written back', () => {
    const { events, problems } = readEventsFile(text({ ...first, entityType: 'dashboard' }));
    expect(problems).toEqual([]);
    expect(events).toEqual([{ kind: 'pass', eventId: first.id, reason: expect.stringContaining('dashboard') }]);
  });

  it('tells the line of an event that cannot be read', () => {
    const { id, ...without } = second;
    const lines = `${JSON.stringify(first)}\n${JSON.stringify(without)}\n{"id": broken}\n`;
    expect(readEventsFile(text(lines)).problems).toEqual([
      expect.stringMatching(/^line 2: .*id/),
      expect.stringMatching(/^line 3: .*JSON/),
    ]);
  });

  it.each([
    ['nothing at all', ''],
    ['plain text', 'hello'],
    ['an empty list', '[]'],
    ['broken JSON in several lines', '{\n "id": 1,\n'],
  ])('says what is wrong with %s', (_name, file) => {
    const { events, problems } = readEventsFile(text(file));
    expect(events).toEqual([]);
    expect(problems).toHaveLength(1);
  });
});
