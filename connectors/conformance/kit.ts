import { inspect } from 'node:util';
import type { Aspect, Level } from '../../src/domain/entity.ts';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import type { Result } from '../../src/domain/result.ts';
import { ConnectorError } from '../connector-error.ts';
import type {
  Ability,
  Connection,
  Plan,
  PlannedWrite,
  PlanOptions,
  Refusal,
  SourceObject,
  WriteResult,
} from '../contract.ts';
import type { ConformanceHarness, Dump, Problem, WritableObject } from './harness.ts';
import { nameOf, tagLines, wanted } from './operations.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** What a check works with: one connection, and helpers that watch every write from outside. */
export class Kit {
  readonly harness: ConformanceHarness;
  readonly problems: Problem[] = [];
  readonly #check: string;
  #connection: Connection | undefined;
  #writes = 0;
  /** As the last watched writes left the system; what only reads comes between it and the next write. */
  #after: Dump | undefined;

  constructor(harness: ConformanceHarness, check: string) {
    this.harness = harness;
    this.#check = check;
  }

  problem(where: string, message: string): void {
    this.problems.push({ check: this.#check, where, message });
  }

  /** A problem unless the two are the same, code point by code point. */
  same(where: string, what: string, actual: string | undefined, expected: string | undefined): void {
    if (actual === expected) return;
    this.problem(where, `${what} is ${shown(actual)}, expected ${shown(expected)}`);
  }

  async connection(): Promise<Connection> {
    this.#connection ??= await this.open(this.harness.connection);
    return this.#connection;
  }

  /** Opens with connection JSON as a configuration holds it. */
  async open(json: unknown): Promise<Connection> {
    const { connector } = this.harness;
    return connector.open(connector.spec.config.parse(json), { lane: 'conformance', epoch: 1 });
  }

  async end(): Promise<void> {
    await this.#connection?.close();
  }

  ability(aspect: Aspect, level: Level): Ability | undefined {
    return this.harness.connector.spec.abilities.find((one) => one.aspect === aspect && one.level === level);
  }

  /** The objects that this aspect can be written on, each kind at least once when the harness is complete. */
  objectsFor(aspect: Aspect): readonly WritableObject[] {
    return this.harness.objects.filter(
      ({ ref, kind, aspects }) =>
        this.ability(aspect, ref.level)?.kinds.includes(kind) === true && aspects?.includes(aspect) !== false,
    );
  }

  /** One object for each level that this aspect can be written on. */
  oneForEachLevel(aspect: Aspect): readonly WritableObject[] {
    const byLevel = new Map(this.objectsFor(aspect).map((object) => [object.ref.level, object]));
    return [...byLevel.values()];
  }

  plan(operation: Operation, source: SourceObject | undefined, options: PlanOptions = {}): Result<Plan, Refusal> {
    return this.harness.connector.plan(operation, source, options);
  }

  stored(text: string | undefined): string | undefined {
    const stored = text === undefined ? undefined : (this.harness.stored?.(text) ?? text);
    return stored === '' ? undefined : stored;
  }

  async readOne(object: ObjectRef): Promise<SourceObject> {
    const [source, ...more] = await (await this.connection()).read([object]);
    if (source === undefined || more.length > 0) throw new Error('read must answer once for each object asked');
    return source;
  }

  /** Reads and plans; undefined (and a problem) when the connector refuses what it claims to be able to do. */
  async prepare(operation: Operation, options: PlanOptions = {}): Promise<PlannedWrite | undefined> {
    const source = await this.readOne(operation.object);
    const planned = this.plan(operation, source, options);
    if (planned.ok) return this.planned(operation, source, planned.value, options);
    const { outcome, failure } = planned.error;
    this.problem(nameOf(operation.object), `refused (${outcome}): ${failure.code}: ${failure.message}`);
    return undefined;
  }

  planned(operation: Operation, source: SourceObject, plan: Plan, options: PlanOptions = {}): PlannedWrite {
    this.#writes += 1;
    return { id: `write-${this.#writes}`, operation, plan, options, source, traceparent: TRACEPARENT };
  }

  /** Applies and watches: one result for each write, nothing but the written objects changed, no secret told. */
  async apply(writes: readonly PlannedWrite[]): Promise<ReadonlyMap<string, WriteResult>> {
    const before = await this.harness.dump();
    await this.harness.executed();
    const results = await (await this.connection()).apply(writes);
    const executed = await this.harness.executed();
    this.#after = await this.harness.dump();
    this.onlyChanged(before, this.#after, writes);
    const byId = new Map(results.map((result) => [result.id, result]));
    if (byId.size !== results.length || writes.some(({ id }) => !byId.has(id)) || results.length !== writes.length) {
      this.problem('results', `${writes.length} writes have the results ${results.map(({ id }) => id).join(', ')}`);
    }
    for (const result of results) if (!result.ok) this.keepsSecrets(result.id, result.failure);
    this.#ranAsPlanned(writes, byId, executed);
    return byId;
  }

  /** A whole write of one object: plan, apply, and the value seen by the connector and from outside. */
  async write(operation: Operation, options: PlanOptions = {}): Promise<WriteResult | undefined> {
    const write = await this.prepare(operation, options);
    if (write === undefined) return undefined;
    const result = (await this.apply([write])).get(write.id);
    if (result === undefined) return undefined;
    const where = `${operation.aspect} of ${nameOf(operation.object)}`;
    if (!result.ok) {
      this.problem(where, `failed: ${result.failure.class} ${result.failure.code}: ${result.failure.message}`);
      return result;
    }
    await this.stands(operation, write.plan, where);
    if (result.value !== undefined) this.same(where, 'the reported value', result.value, this.stored(write.plan.value));
    return result;
  }

  /** What the plan promised stands in the source, by the connector's word and by the harness's own. */
  async stands(operation: Operation, plan: Plan, where: string): Promise<void> {
    const expected = operation.aspect === 'description' ? this.stored(plan.value) : wanted(operation);
    if (operation.aspect !== 'tags') this.same(where, 'the planned value', plan.value, this.#promised(operation, plan));
    const source = await this.readOne(operation.object);
    const isTold = this.harness.unreadable?.(operation.object, operation.aspect) !== true;
    this.same(where, 'what the connector reads', aspectOf(source, operation.aspect), isTold ? expected : undefined);
    const [key] = this.harness.dumpKeys(operation.object, operation.aspect);
    if (key === undefined) return this.problem(where, 'the harness names no key of the dump');
    const outside = (this.#after ?? (await this.harness.dump())).get(key);
    this.same(where, 'what stands in the system', outside === '' ? undefined : outside, expected);
  }

  /** A cut may shorten the text, with a note; nothing else may change it. */
  #promised(operation: Operation, plan: Plan): string | undefined {
    return plan.notes.length > 0 && plan.value !== undefined ? plan.value : wanted(operation);
  }

  onlyChanged(before: Dump, after: Dump, writes: readonly PlannedWrite[]): void {
    const allowed = new Set(
      writes.flatMap(({ operation }) => this.harness.dumpKeys(operation.object, operation.aspect)),
    );
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(key) === after.get(key) || allowed.has(key)) continue;
      this.problem(key, `changed by a write of something else: ${shown(before.get(key))} → ${shown(after.get(key))}`);
    }
  }

  #ranAsPlanned(
    writes: readonly PlannedWrite[],
    results: ReadonlyMap<string, WriteResult>,
    executed: readonly string[],
  ): void {
    const shownStatements: string[] = [];
    for (const { id, plan } of writes) {
      const result = results.get(id);
      // A failed batch runs again in pieces; what counts then is what stands afterwards.
      if (result?.ok !== true) return;
      shownStatements.push(...(result.statements ?? plan.statements));
    }
    const [shownOnce, ranOnce] = [new Set(shownStatements), new Set(executed)];
    for (const one of shownOnce) if (!ranOnce.has(one)) this.problem('statements', `shown but not run: ${shown(one)}`);
    for (const one of ranOnce) if (!shownOnce.has(one)) this.problem('statements', `run but not shown: ${shown(one)}`);
  }

  /** The failure of what has to fail; a problem when it does not, or with anything but a `ConnectorError`. */
  async failureOf(where: string, work: () => Promise<unknown>): Promise<ConnectorError | undefined> {
    try {
      await work();
    } catch (error) {
      this.keepsSecrets(where, error);
      if (error instanceof ConnectorError) return error;
      this.problem(where, `threw ${inspect(error, { depth: 0 })} instead of a ConnectorError`);
      return undefined;
    }
    this.problem(where, 'did not fail');
    return undefined;
  }

  /** Looks through everything that a log could print of it. */
  keepsSecrets(where: string, error: unknown): void {
    const everything = inspect(error, { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null });
    for (const secret of this.harness.secrets) {
      if (everything.includes(secret)) this.problem(where, 'an error holds a secret of the connection');
    }
  }
}

function aspectOf(source: SourceObject, aspect: Aspect): string | undefined {
  if (aspect === 'description') return source.description;
  if (aspect === 'owners') return source.owner;
  return source.tags === undefined || source.tags.length === 0 ? undefined : tagLines(source.tags);
}

function shown(text: string | undefined): string {
  if (text === undefined) return 'nothing';
  const quoted = JSON.stringify(text);
  return quoted.length > 300 ? `${quoted.slice(0, 300)}… (${text.length} UTF-16 units)` : quoted;
}
