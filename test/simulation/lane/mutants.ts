/** A mistake put into a copy of the lane's sources. */
export interface LaneMutant {
  readonly name: string;
  /** What the simulation has to say about it. */
  readonly noticedAs: RegExp;
  /** It takes a contested lane to see it. */
  readonly contested?: boolean;
  /** Each `from` stands exactly once in its file of `actors`; otherwise the mutant is out of date and cannot be made. */
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const LANE_MUTANTS: readonly LaneMutant[] = [
  {
    name: 'ack before outcome',
    noticedAs: /acknowledged before its outcome is stored/,
    edits: [
      {
        file: 'asset-coalescer/asset-coalescer.ts',
        from: '    record(entry, round, 0, ctx);',
        to: '    acknowledge(entry, round.message.settles, 0);\n    record(entry, round, 0, ctx);',
      },
    ],
  },
  {
    name: 'losers are not recorded',
    noticedAs: /has 0 outcomes for/,
    edits: [
      { file: 'outcome-recorder/asset-outcome.ts', from: 'of verdict.losers)', to: 'of verdict.losers.slice(0, 0))' },
    ],
  },
  {
    name: 'work that the dispatcher gives back is lost',
    noticedAs: /not at rest/,
    edits: [
      {
        file: 'asset-coalescer/asset-coalescer.ts',
        from: '|| !state.dispatched.delete(key)) continue;',
        to: '|| state.dispatched.delete(key)) continue;',
      },
    ],
  },
  {
    name: 'a batch that is given back is not asked for again',
    noticedAs: /not at rest/,
    edits: [
      {
        file: 'connector-dispatcher/connector-dispatcher.ts',
        from: '    state.owed += 1;\n    reopen',
        to: '    reopen',
      },
    ],
  },
  {
    name: 'what the stages held is not given back when they end',
    noticedAs: /not at rest|credits are not back/,
    edits: [{ file: 'lane/deliveries-in-hand.ts', from: 'for (const giveBack of open) giveBack();', to: '' }],
  },
  {
    name: 'an asset is dropped between its load and its change',
    noticedAs: /not at rest/,
    edits: [
      {
        file: 'asset-coalescer/asset-cache.ts',
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
        file: 'asset-coalescer/partly-recorded.ts',
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
        file: 'asset-coalescer/asset-coalescer.ts',
        from: '      await reloadAsset(entry, ports.store);',
        to: '',
      },
    ],
  },
  {
    name: 'the outcome comes before the dead letter',
    noticedAs: /before its dead letter/,
    edits: [{ file: 'outcome-recorder/record-round.ts', from: 'of round.failed)', to: 'of round.failed.slice(0, 0))' }],
  },
  {
    name: 'a bulk outcome that is delivered again is recorded again',
    noticedAs: /settled twice|two outcomes for/,
    edits: [
      {
        file: 'channel-matcher/channel-matcher.ts',
        from: 'if (again.length === 0) return alone;',
        to: 'if (again) return alone;',
      },
    ],
  },
];
