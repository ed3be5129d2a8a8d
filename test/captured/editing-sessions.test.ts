import { describe, expect, it } from 'vitest';
import { assetKey } from '../../src/domain/asset.ts';
import type { ReceivedChange } from '../../src/domain/ledger.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { seededRandom, shuffled } from '../support/seeded-random.ts';
import { type Content, EditingServer, TABLE } from './editing-server.ts';
import { MemoryLane } from './memory-lane.ts';

const START = 1_796_000_000_000;
const POLL_MS = 2_000;
const KEY = assetKey({ entityType: 'table', fqn: TABLE });

interface Session {
  readonly server: EditingServer;
  /** What each poll of the server delivered, with the time of it. */
  readonly batches: readonly { readonly at: number; readonly changes: readonly ReceivedChange[] }[];
  /** The entity after each step, oldest first. */
  readonly states: readonly { readonly at: number; readonly snapshot: Snapshot }[];
}

interface Habits {
  readonly steps: number;
  /** How often an edit is taken back, and often done again. */
  readonly undo: number;
}

/** Two people edit one table for a while: edits, undos, redos, further steps of one session, votes in between. */
function session(seed: number, { steps, undo }: Habits = { steps: 40, undo: 0.35 }): Session {
  const random = seededRandom(seed);
  const server = new EditingServer(START);
  const undoable: { readonly before: Content; readonly user: string }[] = [];
  const times = [START];
  const states = [{ at: START, snapshot: server.snapshot() }];
  let now = START;
  let user = 'ana';
  for (let step = 0; step < steps; step += 1) {
    now += random() < 0.02 ? 700_000 : 20 + Math.floor(random() * 900);
    if (random() < 0.4) user = user === 'ana' ? 'ben' : 'ana';
    const before = server.content;
    const last = undoable.at(-1);
    const dice = random();
    if (dice < 0.15) server.vote(user, now);
    else if (dice < 0.15 + undo && last !== undefined) {
      undoable.pop();
      server.edit(last.user, now, last.before);
      if (random() < 0.3) {
        states.push({ at: now, snapshot: server.snapshot() });
        now += 5;
        server.edit(last.user, now, before);
      }
    } else {
      server.edit(user, now, randomEdit(random, step));
      undoable.push({ before, user });
    }
    while (times.length < server.events.length) times.push(now);
    states.push({ at: now, snapshot: server.snapshot() });
  }
  return { server, batches: deliver(server, times, random), states };
}

function randomEdit(random: () => number, step: number): Partial<Content> {
  const text = random() < 0.2 ? '' : `text ${random() < 0.5 ? step : Math.floor(random() * 3)}`;
  const some = ['A.x', 'B.y', 'C.z'].filter(() => random() < 0.5);
  const edits: readonly Partial<Content>[] = [
    { description: text },
    { columnDescription: text },
    { tags: some },
    { columnTags: some },
    { owners: ['kim', 'lee'].filter(() => random() < 0.5) },
    { description: text, tags: some },
  ];
  return edits[Math.floor(random() * edits.length)] ?? {};
}

/** The order inside a poll's batch is arbitrary, batches come in turn. */
function deliver(server: EditingServer, times: readonly number[], random: () => number): Session['batches'] {
  const polls = new Map<number, number[]>();
  for (const index of server.events.keys()) {
    const poll = Math.ceil(((times[index] ?? 0) - START + 1) / POLL_MS);
    polls.set(poll, [...(polls.get(poll) ?? []), index]);
  }
  let sequence = 0;
  return [...polls].map(([poll, indexes]) => {
    const at = START + poll * POLL_MS;
    const changes = shuffled(indexes, random).flatMap((index): ReceivedChange[] => {
      const event = server.events[index];
      sequence += 1;
      return event === undefined ? [] : [{ sequence, streamTime: at, event }];
    });
    return { at, changes };
  });
}

const FIELDS = ['description', 'tags', 'owners', 'description:["amount"]', 'tags:["amount"]'] as const;

function wanted({ content }: EditingServer): Record<string, string | null> {
  const list = (items: readonly string[]): string | null => [...items].sort().join(', ') || null;
  return {
    description: content.description || null,
    tags: list(content.tags),
    owners: list(content.owners),
    'description:["amount"]': content.columnDescription || null,
    'tags:["amount"]': list(content.columnTags),
  };
}

function held(lane: MemoryLane): Record<string, string | null> {
  return Object.fromEntries(FIELDS.map((field) => [field, lane.written.get(`${KEY} ${field}`)?.value ?? null]));
}

const END = Number.MAX_SAFE_INTEGER;
const SEEDS = 300;

function stateAt({ states }: Session, now: number): Snapshot | 'gone' {
  return states.findLast(({ at }) => at <= now)?.snapshot ?? 'gone';
}

/** Delivers poll after poll, half a second later; `pieces`: in parts of a few changes that are decided apart. */
function play({ batches }: Session, lane: MemoryLane, pieces?: () => number): MemoryLane {
  for (const { at, changes } of batches) {
    for (let from = 0, size = 0; from < changes.length; from += size) {
      size = pieces?.() ?? changes.length;
      lane.deliver(changes.slice(from, from + size), at + 500);
    }
  }
  lane.finish((batches.at(-1)?.at ?? 0) + 20_000);
  return lane;
}

/** All changes in any order at all, in parts of a few. */
function playShuffled({ batches }: Session, lane: MemoryLane, random: () => number): MemoryLane {
  const changes = shuffled(
    batches.flatMap((batch) => batch.changes),
    random,
  ).map((change, index) => ({ ...change, sequence: index + 1 }));
  const end = batches.at(-1)?.at ?? 0;
  for (let from = 0, size = 0; from < changes.length; from += size) {
    size = 1 + Math.floor(random() * 4);
    lane.deliver(changes.slice(from, from + size), end + from);
  }
  lane.finish(end + 20_000);
  return lane;
}

/** Seeds after which the lane holds something else than the catalogue. */
function wrongSeeds(
  make: (seed: number, random: () => number) => { one: Session; lane: MemoryLane },
): readonly number[] {
  return Array.from({ length: SEEDS }, (_, index) => index + 1).filter((seed) => {
    const { one, lane } = make(seed, seededRandom(seed + 1_000_000));
    return JSON.stringify(held(lane)) !== JSON.stringify(wanted(one.server));
  });
}

describe('P2 editing sessions end right', () => {
  it.each([true, false])('poll after poll, without a reader; resident: %s', (resident) => {
    const wrong = wrongSeeds((seed) => {
      const one = session(seed);
      return { one, lane: play(one, new MemoryLane({ resident })) };
    });
    expect(wrong).toEqual([]);
  });

  it('in pieces that are decided apart, with a reader that answers the state at that time', () => {
    const wrong = wrongSeeds((seed, random) => {
      const one = session(seed);
      const lane = new MemoryLane({ resident: seed % 2 === 0, catalogue: (_, now) => stateAt(one, now) });
      return { one, lane: play(one, lane, () => 1 + Math.floor(random() * 3)) };
    });
    expect(wrong).toEqual([]);
  });

  it('in any order at all, with a reader that answers the final state', () => {
    const wrong = wrongSeeds((seed, random) => {
      const one = session(seed);
      const lane = new MemoryLane({ resident: seed % 2 === 0, catalogue: () => stateAt(one, END) });
      return { one, lane: playShuffled(one, lane, random) };
    });
    expect(wrong).toEqual([]);
  });

  it('in any order at all, without a reader, where nothing is taken back', () => {
    let played = 0;
    const wrong = wrongSeeds((seed, random) => {
      const habits = { steps: 40, undo: 0 };
      const lane = new MemoryLane({ resident: true });
      const one = session(seed, habits);
      // Now and then an edit happens to give back what was there before.
      const plain = one.server.events.every((event) => (event.previousVersion ?? 0) <= event.currentVersion);
      played += plain ? 1 : 0;
      return { one, lane: plain ? playShuffled(one, lane, random) : play(one, lane) };
    });
    expect(wrong).toEqual([]);
    expect(played).toBeGreaterThan(SEEDS / 10);
  });

  it('when every change is delivered twice, and the copies decide nothing', () => {
    const wrong = wrongSeeds((seed, random) => {
      const one = session(seed);
      const lane = new MemoryLane({ resident: true });
      const copied = one.batches.map(({ at, changes }) => ({
        at,
        changes: shuffled(
          [...changes, ...changes.map((change) => ({ ...change, sequence: change.sequence + 10_000 }))],
          random,
        ),
      }));
      play({ ...one, batches: copied }, lane);
      const ids = new Map<string, string[]>();
      for (const { sequence, event } of copied.flatMap(({ changes }) => changes)) {
        const outcomes = [...lane.outcomes].filter(([key]) => key.startsWith(`${sequence} `)).map(([, what]) => what);
        ids.set(event.id, [...(ids.get(event.id) ?? []), ...outcomes]);
      }
      for (const outcomes of ids.values()) {
        expect(outcomes.filter((what) => what === 'duplicate').length * 2).toBeLessThanOrEqual(outcomes.length);
      }
      return { one, lane };
    });
    expect(wrong).toEqual([]);
  });
});

describe('editing sessions end wrong', () => {
  it.each([{ undo: 'off' }, { order: 'arrival' }] as const)('with %o', (rules) => {
    const wrong = wrongSeeds((seed) => {
      const one = session(seed);
      return { one, lane: play(one, new MemoryLane({ resident: true, rules })) };
    });
    expect(wrong.length).toBeGreaterThan(SEEDS / 20);
  });

  it('with empty tags trusted', () => {
    const wrong = wrongSeeds((seed, random) => {
      const one = session(seed, { steps: 40, undo: 0 });
      return {
        one,
        lane: playShuffled(one, new MemoryLane({ resident: true, rules: { emptyTags: 'trusted' } }), random),
      };
    });
    expect(wrong.length).toBeGreaterThan(0);
  });
});
