import type { TestKit } from '../../../actors/kernel/test-kit.ts';
import { memoryConnector } from '../../../connectors/conformance/memory-connector.ts';
import type { ConnectorError } from '../../../connectors/connector-error.ts';
import type { Connection, Connector, PlannedWrite, SourceObject, WriteResult } from '../../../connectors/contract.ts';
import type { Failure } from '../../../src/domain/failure.ts';
import type { ObjectRef } from '../../../src/domain/operation.ts';
import type { TargetFaults } from './faults.ts';
import type { ReplicaSite } from './replica-site.ts';

const OUTAGE: Failure = { class: 'transient', scope: 'target', code: 'unreachable', message: 'nobody answers' };
const THROTTLED: Failure = { class: 'throttled', scope: 'target', code: 'busy', message: 'slow down' };
const LOCKED: Failure = { class: 'transient', scope: 'object', code: 'lock-timeout', message: 'the table is locked' };
const DEADLOCK: Failure = { class: 'conflict', scope: 'object', code: 'deadlock', message: 'chosen as the victim' };
const DENIED: Failure = { class: 'permission', scope: 'object', code: 'denied', message: 'must be owner' };
const REFUSED: Failure = { class: 'invalid', scope: 'object', code: 'poison', message: 'no such text' };

export type ErrorClass = typeof ConnectorError;

/** The system that is written to: one value for each object and aspect, and for each tag key. */
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

  async connect(epoch: number, site: ReplicaSite): Promise<Connection> {
    await this.#way(site);
    this.#checkReachable();
    if (this.#faults.fence) this.#epoch = Math.max(this.#epoch, epoch);
    return {
      check: () => Promise.reject(new Error('not used')),
      read: async (objects) => {
        await this.#way(site);
        this.#checkReachable();
        this.#checkSession(epoch);
        const sources = objects.map((object) => this.#source(object));
        await this.#way(site);
        this.#checkReachable();
        return sources;
      },
      apply: (writes) => this.#apply(writes, epoch, site),
      close: async () => undefined,
    };
  }

  async #apply(writes: readonly PlannedWrite[], epoch: number, site: ReplicaSite): Promise<WriteResult[]> {
    const { throttled, cutBatches, lostAnswers } = this.#faults;
    const { random } = this.#kit;
    if (random() < throttled) {
      await this.#way(site);
      throw new this.#ErrorClass({ ...THROTTLED, retryAfterMs: Math.floor(random() * 3_000) });
    }
    const cutAfter = random() < cutBatches ? Math.floor(random() * writes.length) : writes.length;
    const results: WriteResult[] = [];
    for (const [index, write] of writes.entries()) {
      await this.#way(site);
      this.#checkReachable();
      this.#checkSession(epoch);
      // What was written before stays.
      if (index === cutAfter) throw new this.#ErrorClass(OUTAGE);
      results.push(this.#write(write));
    }
    await this.#way(site);
    if (random() < lostAnswers) throw new this.#ErrorClass(OUTAGE);
    this.#checkReachable();
    return results;
  }

  #write({ id, operation }: PlannedWrite): WriteResult {
    const table = operation.object.table ?? '';
    const failure = this.#failureOf(table);
    if (failure !== undefined) return { id, ok: false, failure };
    const place = placeOf(operation.object, operation.aspect);
    if (operation.aspect === 'tags') {
      for (const { key, value } of operation.unset)
        if (this.values.get(`${place} ${key}`) === value) this.values.delete(`${place} ${key}`);
      for (const { key, value } of operation.desired) this.values.set(`${place} ${key}`, value);
      return { id, ok: true, verified: 'commit' };
    }
    const value = operation.aspect === 'description' ? operation.text : operation.principal;
    if (value?.startsWith(this.#faults.refusedText) === true) return { id, ok: false, failure: REFUSED };
    if (value === undefined) this.values.delete(place);
    else this.values.set(place, value);
    return { id, ok: true, verified: 'commit' };
  }

  #failureOf(table: string): Failure | undefined {
    const { flaky, deadlocks, forbidden } = this.#faults;
    for (const [budget, failure] of [
      [flaky, LOCKED],
      [deadlocks, DEADLOCK],
    ] as const) {
      const left = budget.get(table) ?? 0;
      if (left <= 0 || this.#kit.random() < 0.3) continue;
      budget.set(table, left - 1);
      return failure;
    }
    return forbidden.has(table) ? DENIED : undefined;
  }

  #source(object: ObjectRef): SourceObject {
    if (this.#faults.missing.has(object.table ?? '')) return { exists: false };
    const description = this.values.get(placeOf(object, 'description'));
    const owner = this.values.get(placeOf(object, 'owners'));
    const tags = [...this.values].flatMap(([place, value]) => {
      const prefix = `${placeOf(object, 'tags')} `;
      return place.startsWith(prefix) ? [{ key: place.slice(prefix.length), value }] : [];
    });
    return {
      exists: true,
      kind: 'table',
      tags,
      ...(description === undefined ? {} : { description }),
      ...(owner === undefined ? {} : { owner }),
    };
  }

  async #way(site: ReplicaSite): Promise<void> {
    const { random } = this.#kit;
    const { slow, slowMs } = this.#faults;
    const most = random() < slow ? slowMs : 10;
    await this.#kit.sleep(1 + Math.floor(random() * most));
    await site.running();
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
