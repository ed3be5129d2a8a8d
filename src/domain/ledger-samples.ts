// Samples for the tests of the ledger; nothing of the product imports them.
import { createLedger } from './asset-ledger.ts';
import type { ChangeEvent, FieldChange } from './change-event.ts';
import type { Ledger, OpenField, ReceivedChange } from './ledger.ts';
import type { Column, Snapshot, TagLabel } from './snapshot.ts';
import { fieldValueHash } from './value-hash.ts';

export const ASSET = { entityType: 'table', fqn: 'pg.shop.public.orders' } as const;
export const T = 1_796_000_000_000;

export const tag = (tagFQN: string): TagLabel => ({
  tagFQN,
  source: 'Classification',
  labelType: 'Manual',
  state: 'Confirmed',
});
export const column = (name: string, more: Partial<Column> = {}): Column => ({
  name,
  path: [name],
  dataType: 'INT',
  tags: [],
  children: [],
  ...more,
});

export function snapshot(more: Partial<Snapshot> = {}): Snapshot {
  return {
    entityId: 't1',
    ...ASSET,
    name: 'orders',
    service: 'pg',
    database: 'shop',
    schema: 'public',
    domains: [],
    extension: {},
    columns: [],
    version: 0.2,
    updatedAt: T,
    deleted: false,
    extra: {},
    ...more,
  };
}

let ids = 0;

/** A change at `at` milliseconds after T; its id is new unless given. */
export function change(
  sequence: number,
  at: number,
  changes: readonly FieldChange[] | undefined,
  state: Partial<Snapshot> | undefined,
  more: Partial<ChangeEvent> = {},
): ReceivedChange {
  ids += 1;
  return {
    sequence,
    streamTime: T + at + 1_000,
    event: {
      id: `event-${ids}`,
      eventType: 'entityUpdated',
      ...ASSET,
      entityId: 't1',
      service: 'pg',
      userName: 'ana',
      timestamp: T + at,
      currentVersion: 0.2,
      previousVersion: 0.2,
      ...(changes === undefined ? {} : { changes }),
      changedAt: new Map(),
      ...(state === undefined ? {} : { snapshot: snapshot(state) }),
      ...more,
    },
  };
}

export const described = (
  sequence: number,
  at: number,
  text: string,
  more: Partial<ChangeEvent> = {},
): ReceivedChange =>
  change(
    sequence,
    at,
    [{ kind: 'updated', name: 'description', oldValue: 'old', newValue: text }],
    { description: text, tags: [] },
    more,
  );

export const tagged = (
  sequence: number,
  at: number,
  tags: readonly string[],
  diff: { added?: string; removed?: string },
  more: Partial<ChangeEvent> = {},
): ReceivedChange =>
  change(
    sequence,
    at,
    [
      ...(diff.added === undefined
        ? []
        : [{ kind: 'added', name: 'tags', newValue: [{ ...tag(diff.added) }] } as const]),
      ...(diff.removed === undefined
        ? []
        : [{ kind: 'deleted', name: 'tags', oldValue: [{ ...tag(diff.removed) }] } as const]),
    ],
    { tags: tags.map(tag) },
    more,
  );

/** Decides all open fields as a lane would, from the value of each. */
export function settleAll(ledger: Ledger): void {
  const open = ledger.open();
  ledger.settle(
    open.flatMap(({ winner, losers }) => [winner, ...losers]),
    open
      .filter(({ stale }) => !stale)
      .map(({ field, key, winner }) => {
        const value = ledger.value(field);
        const hash = fieldValueHash(value);
        return { key, rank: value.known ? value.rank : winner.rank, ...(hash === undefined ? {} : { hash }) };
      }),
  );
}

/** The ledger as another replica would continue it: from its sync state, as JSON. */
export function reborn(ledger: Ledger): Ledger {
  return createLedger(ASSET, JSON.parse(JSON.stringify(ledger.toSyncState())));
}

export function field(ledger: Ledger, key: string): OpenField {
  const found = ledger.open().find((open) => open.key === key);
  if (found === undefined) throw new Error(`${key} is not open`);
  return found;
}
