import type { z } from 'zod';
import type { Aspect, Level } from '../src/domain/entity.ts';
import type { Failure } from '../src/domain/failure.ts';
import type { ObjectRef, Operation, Tag } from '../src/domain/operation.ts';
import type { Result } from '../src/domain/result.ts';
import type { Dialect } from './dialect/dialect.ts';

/** One line of a connector's ability matrix: what it can write, on which kinds of object, and on what that was proven. */
export interface Ability {
  readonly aspect: Aspect;
  readonly level: Level;
  /** The source's own words for the kinds of object: `table`, `view`, `materialized view`, … */
  readonly kinds: readonly string[];
  readonly set: boolean;
  readonly clear: boolean;
  /** `real`: the real engine; `fake`: a stateful fake. */
  readonly provenOn: 'real' | 'fake';
}

/** Limits that are enforced before anything is sent. `unit` is the system's own: characters, UTF-16 units or bytes. */
export interface TextLimit {
  readonly aspect: Aspect;
  readonly level: Level;
  readonly max: number;
  readonly unit: 'characters' | 'bytes' | 'utf16';
  /** Where the number comes from. */
  readonly source: string;
}

export interface RateDefaults {
  readonly perSecond: number;
  readonly burst: number;
  /** Writes under way at once. */
  readonly concurrency: number;
  /** Operations in one batch at the most. */
  readonly batch: number;
}

/** What a connector is, without any connection. Documentation, `connectors --json` and validation are made from it. */
export interface ConnectorSpec<Config = unknown> {
  /** Name in commands and in the configuration: `postgres`. */
  readonly name: string;
  /** OpenMetadata's service types that it serves: `Postgres`. */
  readonly serviceTypes: readonly string[];
  /** A sink reads the changes of other services (Ranger). */
  readonly sink: boolean;
  /** Accepts OpenMetadata's own connection JSON (secrets already resolved); unknown keys are tolerated, masked secrets refused. */
  readonly config: z.ZodType<Config>;
  readonly dialect: Dialect;
  readonly abilities: readonly Ability[];
  readonly limits: readonly TextLimit[];
  readonly rate: RateDefaults;
  /** Environment variable that runs the conformance suite against a user's own server, beside what `provenOn` says. */
  readonly optIn?: string;
}

/** The present state of one object in the source. */
export interface SourceObject {
  readonly exists: boolean;
  /** The source's own kind: `table`, `view`, …; absent when the object does not exist. */
  readonly kind?: string;
  readonly description?: string;
  readonly tags?: readonly Tag[];
  readonly owner?: string;
  /** What only this connector needs again when it plans (identifiers, versions, definitions). */
  readonly detail?: unknown;
}

/**
 * What it takes to make an operation true. `statements` are shown to people exactly as they will run (SQL text, or one line per API call).
 * `effect` is what this connector needs to run it.
 */
export interface Plan {
  readonly statements: readonly string[];
  /** A text was cut at the system's limit, a setting was assumed, …; recorded with the outcome. */
  readonly notes: readonly string[];
  /** The value that the source will hold afterwards when the plan runs (after a cut); undefined for a clear. */
  readonly value?: string;
}

/** Why there is no plan: ends `skipped` (unsupported, nothing to do for it) or `failed` (invalid, not_found). */
export interface Refusal {
  readonly outcome: 'skipped' | 'failed';
  readonly failure: Failure;
}

export interface PlanOptions {
  /** Statements rendered from a channel's template; they take the place of the connector's own. */
  readonly template?: readonly string[];
  /** The channel accepts that a concurrent change of the definition may be lost where no lock can be had (MySQL column comments). */
  readonly acceptRace?: boolean;
  /** Cut a text above the limit with a visible mark (default) or refuse it. */
  readonly overlong?: 'cut' | 'refuse';
}

/** One planned write. */
export interface PlannedWrite {
  /** Identifies the write in its batch; results carry it. */
  readonly id: string;
  readonly operation: Operation;
  readonly plan: Plan;
  readonly options: PlanOptions;
  /** The state read before, which the plan was made from. */
  readonly source: SourceObject;
  /** W3C traceparent of the change's own write span; goes into the trailing comment where the engine allows one. */
  readonly traceparent?: string;
}

export type WriteResult =
  | {
      readonly id: string;
      readonly ok: true;
      readonly verified: 'read' | 'commit' | 'no';
      /** The value that stands in the source now, after normalisation or a cut. */
      readonly value?: string;
      /** What really ran, when it differs from the plan (a re-plan under a lock). */
      readonly statements?: readonly string[];
      readonly notes?: readonly string[];
    }
  | { readonly id: string; readonly ok: false; readonly failure: Failure };

/** What `check` reports. Each missing privilege comes with the statement that grants it. */
export interface CheckReport {
  readonly ok: boolean;
  /** `PostgreSQL 18.4`. */
  readonly server: string;
  readonly user: string;
  readonly findings: readonly {
    readonly severity: 'error' | 'warning' | 'info';
    readonly message: string;
    readonly remedy?: string;
  }[];
}

/** Who writes: goes into the session's name so that a new owner can recognise and end sessions of an older epoch. */
export interface SessionName {
  readonly lane: string;
  readonly epoch: number;
  /** False once the lane is no longer held. To be asked after a session was opened and before it is used (`refuseLostLane`). */
  readonly valid?: () => boolean;
}

/** An open connection to one target. All methods may throw only `ConnectorError` (class, scope, code). */
export interface Connection {
  check(objects: readonly ObjectRef[]): Promise<CheckReport>;
  /** The present state of the objects, in the order asked; one round trip for the whole batch where the system allows. */
  read(objects: readonly ObjectRef[]): Promise<readonly SourceObject[]>;
  /**
   * Runs the writes; every write has exactly one result, in any order. A failed batch is unrolled so that one bad item fails alone.
   * A failure of scope `target` is thrown instead, after which nothing is known of the writes without a result: read again.
   */
  apply(writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]>;
  close(): Promise<void>;
}

/** A system that metadata can be written to. */
export interface Connector<Config = unknown> {
  readonly spec: ConnectorSpec<Config>;
  open(config: Config, session: SessionName): Promise<Connection>;
  /**
   * The only place that turns an operation into statements. Pure.
   * `source` undefined: no connection is at hand (render, preview); the catalogue's hints decide.
   */
  plan(operation: Operation, source: SourceObject | undefined, options: PlanOptions): Result<Plan, Refusal>;
}
