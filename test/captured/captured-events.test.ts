import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { assetKey } from '../../src/domain/asset.ts';
import { ENTITY_TYPES, fieldKey } from '../../src/domain/entity.ts';
import type { ReceivedChange } from '../../src/domain/ledger.ts';
import type { LedgerRules } from '../../src/domain/ledger-rules.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { seededRandom, shuffled } from '../support/seeded-random.ts';
import { type Capture, FIXTURES, inOrder, readCaptures } from './captures.ts';
import { type Expected, expectedState } from './expected-state.ts';
import { finalStates } from './final-states.ts';
import { MemoryLane, type MemoryLaneOptions, writtenKey } from './memory-lane.ts';

type Server = 'real-1.12' | 'real-1.6';
const SERVERS: readonly Server[] = ['real-1.12', 'real-1.6'];
const FILES = { 'real-1.12': 'expected-1.12.json', 'real-1.6': 'expected-1.6.json' } as const;

/** The committed expectation, by the capture after which it holds (`end`: all of them). */
function committed(server: Server): ReadonlyMap<string, readonly Expected[]> {
  const rows: (Expected & { until: string })[] = JSON.parse(
    readFileSync(new URL(FILES[server], import.meta.url), 'utf8'),
  );
  const byCut = new Map<string, Expected[]>();
  for (const { until, ...row } of rows) byCut.set(until, [...(byCut.get(until) ?? []), row]);
  return byCut;
}

/** What of the expectation the lane does not hold. */
function differences(lane: MemoryLane, expected: readonly Expected[]): readonly string[] {
  return expected.flatMap(({ asset, column, aspect, value, from }) => {
    const [type, ...name] = asset.split(' ');
    const entityType = ENTITY_TYPES.find((known) => known === type);
    if (entityType === undefined || (aspect !== 'description' && aspect !== 'owners' && aspect !== 'tags'))
      return [asset];
    const field = { aspect, ...(column === undefined ? {} : { column: [column] }) } as const;
    const key = writtenKey(assetKey({ entityType, fqn: name.join(' ') }), fieldKey(field));
    const held = lane.written.get(key)?.value ?? null;
    return held === value ? [] : [`${asset} ${column ?? ''} ${aspect}: ${held}, expected ${value} (${from})`];
  });
}

interface Run {
  readonly changes: readonly ReceivedChange[];
  readonly options: Omit<MemoryLaneOptions, 'rules'>;
  /** How many changes are delivered together; 1 is the default. */
  readonly batch?: () => number;
}

function run({ changes, options, batch = () => 1 }: Run, rules?: Partial<LedgerRules>): MemoryLane {
  const lane = new MemoryLane({ ...options, ...(rules === undefined ? {} : { rules }) });
  let at = 0;
  let now = 0;
  while (at < changes.length) {
    const size = batch();
    lane.deliver(changes.slice(at, at + size), now);
    at += size;
    now += 20;
  }
  lane.finish(now + 10_000);
  return lane;
}

const stepOrder = (captures: readonly Capture[], resident: boolean): Run => ({
  changes: inOrder(captures),
  options: { resident },
});

const arrivalOrder = (captures: readonly Capture[], resident: boolean): Run => ({
  changes: inOrder([...captures].sort((a, b) => a.arrivedAt - b.arrivedAt)),
  options: { resident },
});

function randomOrder(captures: readonly Capture[], seed: number, withCatalogue: boolean): Run {
  const random = seededRandom(seed);
  const final = finalStates(captures);
  const catalogue = (key: string): Snapshot | 'gone' => final.get(key) ?? 'gone';
  return {
    changes: inOrder(shuffled(captures, random)),
    options: { resident: !withCatalogue || seed % 2 === 0, ...(withCatalogue ? { catalogue } : {}) },
    batch: () => 1 + Math.floor(random() * 4),
  };
}

describe.each(SERVERS)('P2 captured events of %s', (server) => {
  const captures = readCaptures(server);
  const expected = committed(server);
  const end = expected.get('end') ?? [];
  const until = (cut: string): readonly Capture[] => captures.filter(({ file }) => cut === 'end' || file <= cut);

  it('has the committed expectation from the script', () => {
    for (const [cut, rows] of expected) expect(rows).toEqual(expectedState(`${FIXTURES}${server}`, cut));
  });

  it.each([true, false])('in step order, resident: %s', (resident) => {
    for (const [cut, rows] of expected) expect(differences(run(stepOrder(until(cut), resident)), rows)).toEqual([]);
    console.log(`${server}, step order: ${[...expected.values()].flat().length} fields compared`);
  });

  it('after every single step', () => {
    let compared = 0;
    for (const { file } of captures) {
      const rows = expectedState(`${FIXTURES}${server}`, file).filter((row) => row.aspect !== 'tags');
      expect(differences(run(stepOrder(until(file), true)), rows)).toEqual([]);
      compared += rows.length;
    }
    console.log(`${server}, after each of ${captures.length} steps: ${compared} fields compared`);
  });

  it.each([true, false])('in arrival order without a reader, resident: %s', (resident) => {
    expect(differences(run(arrivalOrder(captures, resident)), end)).toEqual([]);
    console.log(`${server}, arrival order: ${end.length} fields compared`);
  });

  it('in 50 random orders with a reader that answers the final state', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      expect(differences(run(randomOrder(captures, seed, true)), end), `seed ${seed}`).toEqual([]);
    }
    console.log(`${server}, 50 random orders with a reader: ${50 * end.length} fields compared`);
  });

  it('in 50 random orders without a reader, all in memory', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      expect(differences(run(randomOrder(captures, seed, false)), end), `seed ${seed}`).toEqual([]);
    }
  });
});

const MUTANTS: readonly (readonly [string, Partial<LedgerRules>])[] = [
  ['rank replaced by arrival order', { order: 'arrival' }],
  ['undo rule off', { undo: 'off' }],
  ['column candidates taken by their last segment', { columns: 'last-segment' }],
  ['empty tags trusted', { emptyTags: 'trusted' }],
];

describe('the comparison fails with', () => {
  it.each(MUTANTS)('%s', (name, rules) => {
    const found = new Set<string>();
    for (const server of SERVERS) {
      const captures = readCaptures(server);
      for (const [cut, rows] of committed(server)) {
        const these = captures.filter(({ file }) => cut === 'end' || file <= cut);
        const note = (order: string, one: Run): void => {
          for (const difference of differences(run(one, rules), rows))
            found.add(`${order}, ${server} until ${cut}: ${difference}`);
        };
        note('step order', stepOrder(these, true));
        note('arrival order', arrivalOrder(these, true));
        for (let seed = 1; seed <= 10; seed += 1) {
          note('random order', randomOrder(these, seed, false));
          note('random order with reader', randomOrder(these, seed, true));
        }
      }
    }
    const some = [...found].slice(0, 3).map((difference) => difference.slice(0, 160));
    console.log(`${name}: ${found.size} differences, among them\n  ${some.join('\n  ')}`);
    expect(found.size).toBeGreaterThan(0);
  });
});
