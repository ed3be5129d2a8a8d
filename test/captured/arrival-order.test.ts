import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { assetKey } from '../../src/domain/asset.ts';
import type { ChangeEvent } from '../../src/domain/change-event.ts';
import type { ReceivedChange } from '../../src/domain/ledger.ts';
import type { LedgerRules } from '../../src/domain/ledger-rules.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { FIXTURES } from './captures.ts';
import { MemoryLane } from './memory-lane.ts';

interface Line {
  readonly arrivedAt: number;
  readonly id: string;
  readonly entityId: string;
  readonly timestamp: number;
  readonly previousVersion: number | null;
  readonly currentVersion: number;
  readonly user: string;
  readonly updatedAt: number;
  readonly changes: readonly { readonly field: string; readonly old?: string; readonly new?: string }[];
  readonly snapshotDescription?: string;
}

const lines: readonly Line[] = readFileSync(`${FIXTURES}arrival-order.jsonl`, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const fqnOf = ({ entityId }: Line): string => `pg.shop.public.t-${entityId.slice(0, 8)}`;
const keyOf = (line: Line): string => assetKey({ entityType: 'table', fqn: fqnOf(line) });

function eventOf(line: Line): ChangeEvent {
  const fqn = fqnOf(line);
  const snapshot: Snapshot = {
    entityId: line.entityId,
    entityType: 'table',
    fqn,
    name: fqn.split('.')[3] ?? '',
    service: 'pg',
    database: 'shop',
    schema: 'public',
    ...(line.snapshotDescription === undefined ? {} : { description: line.snapshotDescription }),
    tags: [],
    owners: [],
    domains: [],
    extension: {},
    columns: [],
    version: line.currentVersion,
    updatedAt: line.updatedAt,
    deleted: false,
    extra: {},
  };
  return {
    id: line.id,
    eventType: line.previousVersion === null ? 'entityCreated' : 'entityUpdated',
    entityType: 'table',
    entityId: line.entityId,
    fqn,
    service: 'pg',
    userName: line.user,
    timestamp: line.timestamp,
    currentVersion: line.currentVersion,
    ...(line.previousVersion === null ? {} : { previousVersion: line.previousVersion }),
    changes: line.changes.map((change) => ({
      kind: 'updated',
      name: change.field,
      ...(change.old === undefined ? {} : { oldValue: change.old }),
      ...(change.new === undefined ? {} : { newValue: change.new }),
    })),
    changedAt: new Map(),
    snapshot,
  };
}

/** Tables whose source does not hold the description of their newest edit, when `size` changes are decided together. */
function staleTables(size: number, resident: boolean, rules?: Partial<LedgerRules>): readonly string[] {
  const changes = lines.map(
    (line, index): ReceivedChange => ({ sequence: index + 1, streamTime: line.arrivedAt, event: eventOf(line) }),
  );
  const lane = new MemoryLane({ resident, ...(rules === undefined ? {} : { rules }) });
  for (let from = 0; from < changes.length; from += size) lane.deliver(changes.slice(from, from + size), from);
  const newest = new Map<string, Line>();
  for (const line of lines)
    if (line.timestamp > (newest.get(keyOf(line))?.timestamp ?? 0)) newest.set(keyOf(line), line);
  expect(newest.size).toBe(6);
  return [...newest]
    .filter(
      ([key, line]) => (lane.written.get(`${key} description`)?.value ?? null) !== (line.snapshotDescription || null),
    )
    .map(([key]) => key);
}

describe('P2 636 edits in the order in which a real server delivered them', () => {
  it.each([1, 2, 7, 50])('end right for all six tables, %i decided together', (size) => {
    expect(staleTables(size, true)).toEqual([]);
    expect(staleTables(size, false)).toEqual([]);
  });

  it('end stale for two tables when they are applied as they arrive', () => {
    expect(staleTables(1, true, { order: 'arrival' })).toHaveLength(2);
  });
});
