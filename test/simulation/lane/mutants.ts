import type { ProgramEdit } from '../../support/program-copy.ts';

/** A mistake put into a copy of the lane's sources. */
export interface LaneMutant {
  readonly name: string;
  /** What the simulation has to say about it. */
  readonly noticedAs: RegExp;
  /** It takes a contested lane to see it. */
  readonly contested?: boolean;
  readonly edits: readonly ProgramEdit[];
}

export const LANE_MUTANTS: readonly LaneMutant[] = [
  {
    name: 'ack before outcome',
    noticedAs: /acknowledged before its outcome is stored/,
    edits: [
      {
        file: 'actors/asset-coalescer/asset-coalescer.ts',
        from: '    record(state, entry, round);',
        to: '    acknowledge(entry, round.message.settles);\n    record(state, entry, round);',
      },
    ],
  },
  {
    name: 'losers are not recorded',
    noticedAs: /has 0 outcomes for/,
    edits: [
      {
        file: 'actors/outcome-recorder/asset-outcome.ts',
        from: 'of verdict.losers)',
        to: 'of verdict.losers.slice(0, 0))',
      },
    ],
  },
  {
    name: 'work that the dispatcher gives back is lost',
    noticedAs: /not at rest/,
    edits: [
      {
        file: 'actors/asset-coalescer/asset-coalescer.ts',
        from: '|| work === undefined) continue;\n          state.dispatched.delete(key);',
        to: '|| work === undefined || state.dispatched.delete(key)) continue;',
      },
    ],
  },
  {
    name: 'a batch that is given back is not asked for again',
    noticedAs: /not at rest/,
    edits: [
      {
        file: 'actors/connector-dispatcher/connector-dispatcher.ts',
        from: '    state.owed += 1;\n    reopen',
        to: '    reopen',
      },
    ],
  },
  {
    name: 'what the stages held is not given back when they end',
    noticedAs: /not at rest|credits are not back/,
    edits: [{ file: 'actors/lane/deliveries-in-hand.ts', from: 'for (const giveBack of open) giveBack();', to: '' }],
  },
  {
    name: 'an asset is dropped between its load and its change',
    noticedAs: /not at rest/,
    edits: [
      {
        file: 'actors/asset-coalescer/asset-cache.ts',
        from: '    this.measure(entry);\n  }',
        to: '    this.measure(entry);\n    this.evict();\n  }',
      },
    ],
  },
  {
    name: 'keys recorded before a takeover are decided again',
    noticedAs: /two outcomes for/,
    edits: [
      {
        file: 'actors/asset-coalescer/partly-recorded.ts',
        from: 'if (!entry.partial.has(sequence)) return;',
        to: 'if (sequence > 0) return;',
      },
    ],
  },
  {
    name: 'a decision that was made from an outdated state is not made again',
    contested: true,
    noticedAs: /two outcomes for|settled twice|not at rest|is never settled/,
    edits: [
      {
        file: 'actors/asset-coalescer/asset-coalescer.ts',
        from: '      await reloadAsset(entry, ports.store);',
        to: '',
      },
    ],
  },
  {
    name: 'the outcome comes before the dead letter',
    noticedAs: /before its dead letter/,
    edits: [
      { file: 'actors/outcome-recorder/record-round.ts', from: 'of round.failed)', to: 'of round.failed.slice(0, 0))' },
    ],
  },
  {
    name: 'a bulk outcome that is delivered again is recorded again',
    noticedAs: /settled twice|two outcomes for/,
    edits: [
      {
        file: 'actors/channel-matcher/channel-matcher.ts',
        from: 'if (again.length === 0) return alone;',
        to: 'if (again) return alone;',
      },
    ],
  },
  {
    name: 'tags that were taken away stay',
    noticedAs: /tag \w+ is \w+, not undefined/,
    edits: [
      {
        file: 'actors/asset-coalescer/operation-of.ts',
        from: 'const unset = unique([...removed, ...(open.mayClear ? [...before, ...left, ...passing] : [])])',
        to: 'const unset = unique([...removed, ...before, ...left, ...passing].slice(0, 0))',
      },
    ],
  },
  {
    name: 'what enters a filter brings nothing with it',
    noticedAs: / is undefined, not /,
    edits: [
      {
        file: 'actors/asset-coalescer/admit-change.ts',
        from: "if (admission.kind === 'admitted') touchEntered(entry, held, target, config);",
        to: '',
      },
    ],
  },
  {
    name: 'an undo ranks by the time that it carries',
    noticedAs: / is .*, not /,
    edits: [{ file: 'src/domain/ledger-rules.ts', from: "undo: 'on',", to: "undo: 'off'," }],
  },
  {
    name: 'the order of arrival decides',
    noticedAs: / is .*, not /,
    edits: [{ file: 'src/domain/ledger-rules.ts', from: "order: 'rank', undo", to: "order: 'arrival', undo" }],
  },
  {
    name: 'a deadlock is no reason to try again',
    noticedAs: /although its table is well/,
    edits: [
      {
        file: 'actors/connector-dispatcher/write-batch.ts',
        from: " || failure.class === 'conflict'",
        to: '',
      },
    ],
  },
  {
    name: 'a target that failed is never tried again',
    noticedAs: /not at rest/,
    edits: [
      {
        file: 'actors/connector-dispatcher/target-gate.ts',
        from: 'this.#reopensAt = now + wait;',
        to: 'this.#reopensAt = now + wait + 86_400_000;',
      },
    ],
  },
  {
    name: 'changes of ignored users are written back',
    noticedAs: /although ingestion-bot made it/,
    edits: [
      {
        file: 'actors/asset-coalescer/ignored-user.ts',
        from: 'if (user !== undefined && config.ignoreUsers.has(user))',
        to: "if (user === 'nobody')",
      },
    ],
  },
  {
    name: 'every channel whose filter is true writes',
    noticedAs: /is written by 2 channels/,
    edits: [
      {
        file: 'src/channels/choose-channel.ts',
        from: 'if (one === writer) return',
        to: 'if (now || one === writer) return',
      },
    ],
  },
  {
    name: 'a parked change is acknowledged before its state names it',
    noticedAs: /acknowledged before its outcome is stored/,
    edits: [
      {
        file: 'actors/asset-coalescer/parking.ts',
        from: '    for (const sequence of sequences) entry.copies.add(sequence);',
        to: '    for (const sequence of sequences) entry.copies.add(sequence) && entry.held.get(sequence)?.delivery.ack();',
      },
    ],
  },
  {
    name: 'what lies parked is not loaded when it is due',
    noticedAs: /not at rest/,
    edits: [
      { file: 'actors/asset-coalescer/parking.ts', from: 'if (lot.nextDue > now ||', to: 'if (lot.nextDue <= now ||' },
    ],
  },
];
