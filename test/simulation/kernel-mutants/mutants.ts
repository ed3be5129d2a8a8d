import type { PropertyName } from '../kernel-properties.ts';

/** A mistake put into a copy of the kernel's sources. */
export interface Mutant {
  readonly name: string;
  /** The property that has to notice. */
  readonly breaks: PropertyName;
  /** Each `from` stands exactly once in its file of actors/kernel; otherwise the mutant is out of date and cannot be made. */
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'two handlers at once',
    breaks: 'oneHandler',
    // Only messages without a trace still hold the others up.
    edits: [{ file: 'turn-loop.ts', from: 'this.#busy = true;', to: 'this.#busy = where === ROOT_CONTEXT;' }],
  },
  {
    name: 'a message lost between passivation and respawn',
    breaks: 'nothingLost',
    edits: [{ file: 'keyed-group.ts', from: 'if (!cell.hasMail) {', to: '{' }],
  },
  {
    name: 'stop not awaiting a running handler',
    breaks: 'stopEnds',
    edits: [
      {
        file: 'cell.ts',
        from: "if (reason.kind !== 'passivated') this.#inbox.flush();",
        to: "if (reason.kind !== 'passivated') this.#inbox.flush();\n    this.#loop.abandon();",
      },
    ],
  },
  {
    name: 'restart reordering a sender',
    breaks: 'orderKept',
    edits: [
      { file: 'inbox.ts', from: 'this.#retry = afterFailure(envelope);', to: 'this.push(afterFailure(envelope));' },
    ],
  },
  {
    name: 'ask without timeout',
    breaks: 'asksEnd',
    edits: [{ file: 'ask.ts', from: 'if (open) {', to: 'if (false) {' }],
  },
  {
    name: 'a cancelled timer that comes',
    breaks: 'cancelledStay',
    edits: [
      {
        file: 'inbox.ts',
        from: "if (control?.kind !== 'timer' || !control.fired.cancelled) return control;",
        to: 'return control;',
      },
    ],
  },
  {
    name: "the creator's context inherited",
    breaks: 'noBleeding',
    edits: [
      // The loop is made by the one who spawns.
      {
        file: 'turn-loop.ts',
        from: '#busy = false;\n  #running',
        to: 'readonly creator = context.active();\n  #busy = false;\n  #running',
      },
      {
        file: 'incarnation.ts',
        from: 'ROOT_CONTEXT,\n      () => this.#setup.behavior.start',
        to: 'this.#setup.loop.creator,\n      () => this.#setup.behavior.start',
      },
    ],
  },
];
