import type { TestKit } from '../../../actors/kernel/test-kit.ts';
import { memoryConnector } from '../../../connectors/conformance/memory-connector.ts';
import type { ConnectorError } from '../../../connectors/connector-error.ts';
import type { Connection, Connector, PlannedWrite, SourceObject, WriteResult } from '../../../connectors/contract.ts';
import type { Failure } from '../../../src/domain/failure.ts';
import type { ObjectRef } from '../../../src/domain/operation.ts';

/** How the model's target misbehaves. */
export interface TargetFaults {
  /** Tables whose writes fail so many times with a lock timeout. */
  readonly flaky: Map<string, number>;
  /** Tables that nobody may write to. */
  readonly forbidden: ReadonlySet<string>;
  /** Tables that do not exist. */
  readonly missing: ReadonlySet<string>;
  /** Times (from, to) in which nothing can be reached. */
  readonly outages: readonly (readonly [number, number])[];
  /** Share of batches that are committed, and whose answer is lost. */
  readonly lostAnswers: number;
}

const OUTAGE: Failure = { class: 'transient', scope: 'target', code: 'unreachable', message: 'nobody answers' };
const LOCKED: Failure = { class: 'transient', scope: 'object', code: 'lock-timeout', message: 'the table is locked' };
const DENIED: Failure = { class: 'permission', scope: 'object', code: 'denied', message: 'must be owner' };

export type ErrorClass = typeof ConnectorError;

/** The system that is written to: one value for each object and aspect. */
export class ModelTarget {
  readonly values = new Map<string, string>();
  readonly #kit: TestKit;
  readonly #faults: TargetFaults;
  readonly #ErrorClass: ErrorClass;
  /** Sessions of a lower epoch have been ended. */
  #epoch = 0;

  constructor(kit: TestKit, faults: TargetFaults, errorClass: ErrorClass) {
    this.#kit = kit;
    this.#faults = faults;
    this.#ErrorClass = errorClass;
  }

  get connector(): Connector {
    // Its plans only: the connections are made here.
    const { spec, plan } = memoryConnector(new Map());
    return {
      spec,
      plan,
      open: () => Promise.reject(new Error('not used: the lane connects by its port')),
    };
  }

  async connect(epoch: number, dead: () => boolean): Promise<Connection> {
    await this.#way(dead);
    this.#checkReachable();
    this.#epoch = Math.max(this.#epoch, epoch);
    return {
      check: () => Promise.reject(new Error('not used')),
      read: async (objects) => {
        await this.#way(dead);
        this.#checkReachable();
        this.#checkSession(epoch);
        return objects.map((object) => this.#source(object));
      },
      apply: (writes) => this.#apply(writes, epoch, dead),
      close: async () => undefined,
    };
  }

  async #apply(writes: readonly PlannedWrite[], epoch: number, dead: () => boolean): Promise<WriteResult[]> {
    const results: WriteResult[] = [];
    for (const write of writes) {
      await this.#way(dead);
      this.#checkReachable();
      this.#checkSession(epoch);
      results.push(this.#write(write));
    }
    await this.#way(dead);
    if (this.#kit.random() < this.#faults.lostAnswers) throw new this.#ErrorClass(OUTAGE);
    this.#checkReachable();
    return results;
  }

  #write({ id, operation }: PlannedWrite): WriteResult {
    const table = operation.object.table ?? '';
    const { flaky, forbidden } = this.#faults;
    const left = flaky.get(table) ?? 0;
    if (left > 0) {
      flaky.set(table, left - 1);
      return { id, ok: false, failure: LOCKED };
    }
    if (forbidden.has(table)) return { id, ok: false, failure: DENIED };
    const value =
      operation.aspect === 'description'
        ? operation.text
        : operation.aspect === 'owners'
          ? operation.principal
          : undefined;
    const place = placeOf(operation.object, operation.aspect);
    if (value === undefined) this.values.delete(place);
    else this.values.set(place, value);
    return { id, ok: true, verified: 'commit' };
  }

  #source(object: ObjectRef): SourceObject {
    if (this.#faults.missing.has(object.table ?? '')) return { exists: false };
    const description = this.values.get(placeOf(object, 'description'));
    const owner = this.values.get(placeOf(object, 'owners'));
    return {
      exists: true,
      kind: 'table',
      ...(description === undefined ? {} : { description }),
      ...(owner === undefined ? {} : { owner }),
    };
  }

  async #way(dead: () => boolean): Promise<void> {
    await this.#kit.sleep(1 + Math.floor(this.#kit.random() * 10));
    if (dead()) await new Promise(() => undefined);
  }

  #checkReachable(): void {
    const now = this.#kit.clock.now();
    if (this.#faults.outages.some(([from, to]) => now >= from && now < to)) throw new this.#ErrorClass(OUTAGE);
  }

  #checkSession(epoch: number): void {
    if (epoch < this.#epoch) throw new this.#ErrorClass({ ...OUTAGE, code: 'session-ended' });
  }
}

export function placeOf(object: Pick<ObjectRef, 'table' | 'column'>, aspect: string): string {
  return `${aspect} ${[object.table, ...(object.column ?? [])].join('.')}`;
}
