import type { ClearLimit } from '../domain/clear-guard.ts';
import type { Aspect, Level } from '../domain/entity.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { CompiledTemplate } from '../template/template.ts';

/** The entity document that filters are evaluated on (see `entityDocument`). */
export type EntityDocument = Readonly<Record<string, unknown>>;

/**
 * How a filter came to its answer: which clause decided, for `explain`. `children` are those clauses alone that decided:
 * of a false `and` the first false one, of a true `or` the first true one, otherwise all of them.
 */
export interface FilterTrace {
  readonly clause: string;
  readonly result: boolean;
  readonly children: readonly FilterTrace[];
}

export interface Filter {
  /** True where the channel concerns this state of the entity. Never throws: configuration was checked when it was loaded. */
  matches(state: Snapshot): boolean;
  explain(state: Snapshot): FilterTrace;
  /** The filter reads tags: it is in doubt when the snapshot does not carry them. */
  readonly needsTags: boolean;
  /** It answers alike for every state, so that no change brings an entity in or takes it out. */
  readonly constant?: true;
}

/** What a template of a channel is for; `undefined` members fit any. */
export interface TemplateSlot {
  readonly aspect?: Aspect;
  readonly level?: Level;
  readonly action?: 'set' | 'clear' | 'add' | 'remove';
  readonly template: CompiledTemplate;
}

/** A compiled channel. Order among channels: higher `priority` first, then name. */
export interface Channel {
  readonly name: string;
  readonly priority: number;
  readonly mode: 'write' | 'observe';
  readonly filter: Filter;
  /** Aspects that the channel writes. */
  readonly update: ReadonlySet<Aspect>;
  readonly levels: ReadonlySet<Level>;
  readonly sinkService?: string;
  readonly onDrift: 'overwrite';
  readonly descriptionFormat: 'as-is' | 'plain';
  readonly templates: readonly TemplateSlot[];
  readonly acceptRace: boolean;
  /** How much it may clear before its clears wait for a person; absent: as much as it likes. */
  readonly guard?: ClearLimit;
}
