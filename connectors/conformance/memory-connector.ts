import { z } from 'zod';
import type { Failure, FailureClass, FailureScope } from '../../src/domain/failure.ts';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import { ConnectorError } from '../connector-error.ts';
import type {
  Connection,
  Connector,
  ConnectorSpec,
  Plan,
  PlannedWrite,
  PlanOptions,
  Refusal,
  SourceObject,
  WriteResult,
} from '../contract.ts';
import type { Dialect, QuoteRefusal } from '../dialect/dialect.ts';
import { fitText } from '../text-limit.ts';
import { addressOf, MemoryFault, type MemorySystem } from './memory-system.ts';

const LIMIT = { aspect: 'description', max: 200, unit: 'characters', source: 'set by the in-memory system' } as const;

function quote(text: string, mark: string): Result<string, QuoteRefusal> {
  if (text.includes('\0')) return err({ code: 'nul', message: 'it holds NUL' });
  if (!text.isWellFormed()) return err({ code: 'lone-surrogate', message: 'it holds half a character' });
  return ok(mark + text.replaceAll(mark, mark + mark) + mark);
}

const dialect: Dialect = {
  name: 'memory',
  regions: [],
  dollarQuoting: false,
  doubleQuoted: 'identifier',
  identifier: { max: 100, unit: 'characters' },
  trailingComment: true,
  quoteIdentifier: (name) => quote(name, '"'),
  quoteLiteral: (text) => quote(text, "'"),
  escapeInside: () => err({ code: 'not-representable', message: 'no templates with places' }),
};

const config = z.looseObject({
  hostPort: z.string(),
  password: z.string().refine((text) => !/^\*+$/.test(text), 'the password is masked'),
});
type MemoryConfig = z.infer<typeof config>;

const TABLE_KINDS = ['table', 'view'];
const spec: ConnectorSpec<MemoryConfig> = {
  name: 'memory',
  serviceTypes: ['Memory'],
  sink: false,
  config,
  dialect,
  abilities: [
    { aspect: 'description', level: 'schema', kinds: ['schema'], set: true, clear: true, provenOn: 'fake' },
    { aspect: 'description', level: 'table', kinds: TABLE_KINDS, set: true, clear: true, provenOn: 'fake' },
    { aspect: 'description', level: 'column', kinds: ['column'], set: true, clear: true, provenOn: 'fake' },
    { aspect: 'owners', level: 'table', kinds: TABLE_KINDS, set: true, clear: false, provenOn: 'fake' },
    { aspect: 'tags', level: 'table', kinds: TABLE_KINDS, set: true, clear: true, provenOn: 'fake' },
  ],
  limits: [
    { ...LIMIT, level: 'schema' },
    { ...LIMIT, level: 'table' },
    { ...LIMIT, level: 'column' },
  ],
  rate: { perSecond: 1000, burst: 1000, concurrency: 1, batch: 100 },
};

/** A connector that keeps every rule of the kit. `systems` maps addresses to what listens there. */
export function memoryConnector(systems: ReadonlyMap<string, MemorySystem>): Connector<MemoryConfig> {
  return {
    spec,
    plan,
    async open(json) {
      const system = systems.get(json.hostPort);
      if (system === undefined) throw errorOf(new MemoryFault('unreachable', 'nobody listens'));
      const connection = new MemoryConnection(system, json.password);
      connection.session();
      return connection;
    },
  };
}

export function namesOf(object: ObjectRef): readonly string[] {
  return [object.schema, object.table, ...(object.column ?? [])].filter((name) => name !== undefined);
}

function plan(operation: Operation, source: SourceObject | undefined, options: PlanOptions): Result<Plan, Refusal> {
  const { object, aspect } = operation;
  if (options.template !== undefined) {
    const value = aspect === 'description' ? operation.text : undefined;
    return ok({ statements: options.template, notes: [], ...(value === undefined ? {} : { value }) });
  }
  const ability = spec.abilities.find((one) => one.aspect === aspect && one.level === object.level);
  if (ability === undefined) return refuse('unsupported', 'there is no such thing here');
  if (source?.exists === false) return refuse('not_found', 'the object does not exist');
  const address: string[] = [];
  for (const name of namesOf(object)) {
    const quoted = dialect.quoteIdentifier(name);
    if (!quoted.ok) return refuse('invalid', quoted.error.message);
    address.push(quoted.value);
  }
  return planAspect(operation, address.join('.'), options);
}

function planAspect(operation: Operation, address: string, options: PlanOptions): Result<Plan, Refusal> {
  if (operation.aspect === 'tags') {
    const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
    const set = operation.desired.map(({ key, value }) => `TAG ${address} ${literal(key)} ${literal(value)}`);
    const gone = operation.unset.map(({ key }) => `UNTAG ${address} ${literal(key)}`);
    return ok({ statements: [...set, ...gone], notes: [] });
  }
  if (operation.aspect === 'owners') {
    if (operation.principal === undefined) return refuse('unsupported', 'everything has an owner');
    const principal = dialect.quoteLiteral(operation.principal);
    if (!principal.ok) return refuse('invalid', principal.error.message);
    return ok({ statements: [`GIVE ${address} ${principal.value}`], notes: [], value: operation.principal });
  }
  const text = operation.text ?? '';
  if (text === '') return ok({ statements: [`DESCRIBE ${address} NULL`], notes: [] });
  const whole = dialect.quoteLiteral(text);
  if (!whole.ok) return refuse('invalid', whole.error.message);
  const fitted = fitText(text, LIMIT, options.overlong ?? 'cut');
  if (!fitted.ok) return refuse('invalid', fitted.error);
  const literal = dialect.quoteLiteral(fitted.value.text);
  if (!literal.ok) return refuse('invalid', literal.error.message);
  const notes = fitted.value.note === undefined ? [] : [fitted.value.note];
  return ok({ statements: [`DESCRIBE ${address} ${literal.value}`], notes, value: fitted.value.text });
}

function refuse(failureClass: FailureClass, message: string): Result<never, Refusal> {
  const outcome = failureClass === 'unsupported' ? 'skipped' : 'failed';
  return err({ outcome, failure: { class: failureClass, scope: 'object', code: `memory-${failureClass}`, message } });
}

class MemoryConnection implements Connection {
  readonly #system: MemorySystem;
  readonly #password: string;
  #session: symbol | undefined;
  #closed = false;

  constructor(system: MemorySystem, password: string) {
    this.#system = system;
    this.#password = password;
  }

  session(): symbol {
    if (this.#closed) throw errorOf(new MemoryFault('disconnected', 'closed'));
    try {
      this.#session ??= this.#system.connect(this.#password);
      this.#system.alive(this.#session);
      return this.#session;
    } catch (error) {
      this.#session = undefined;
      throw errorOf(error);
    }
  }

  async check() {
    this.session();
    return { ok: true, server: 'Memory 1', user: 'root', findings: [] };
  }

  async read(objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
    this.session();
    return objects.map((object) => {
      const row = this.#system.rows.get(addressOf(namesOf(object)));
      if (row === undefined) return { exists: false };
      const { kind, description, owner } = row;
      const tags = [...row.tags].map(([key, value]) => ({ key, value }));
      return { exists: true, kind, owner, tags, ...(description === undefined ? {} : { description }) };
    });
  }

  /** All in one go; when that fails, one by one. */
  async apply(writes: readonly PlannedWrite[]): Promise<readonly WriteResult[]> {
    try {
      await this.#run(writes);
      return writes.map(done);
    } catch (error) {
      const { scope } = errorOf(error);
      if (scope === 'target') throw errorOf(error);
    }
    const results: WriteResult[] = [];
    for (const write of writes) {
      try {
        await this.#run([write]);
        results.push(done(write));
      } catch (error) {
        const known = errorOf(error);
        if (known.scope === 'target') throw known;
        results.push({ id: write.id, ok: false, failure: known.failure });
      }
    }
    return results;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  async #run(writes: readonly PlannedWrite[]): Promise<void> {
    const comment = (traceparent: string | undefined) => (traceparent === undefined ? '' : ` /*${traceparent}*/`);
    const statements = writes.flatMap(({ plan: { statements: own }, traceparent }) =>
      own.map((statement) => statement + comment(traceparent)),
    );
    await this.#system.run(this.session(), statements);
  }
}

function done({ id, plan: { value } }: PlannedWrite): WriteResult {
  return { id, ok: true, verified: 'commit', ...(value === undefined ? {} : { value }) };
}

const FAULTS: Readonly<Record<MemoryFault['code'], readonly [FailureClass, FailureScope]>> = {
  syntax: ['invalid', 'object'],
  'no-object': ['not_found', 'object'],
  'no-principal': ['not_found', 'object'],
  denied: ['permission', 'object'],
  disconnected: ['transient', 'target'],
  refused: ['auth', 'target'],
  unreachable: ['transient', 'target'],
};

function errorOf(error: unknown): ConnectorError {
  if (error instanceof ConnectorError) return error;
  const code = error instanceof MemoryFault ? error.code : 'syntax';
  const [failureClass, scope] = FAULTS[code];
  const failure: Failure = { class: failureClass, scope, code, message: `The in-memory system says: ${code}.` };
  return new ConnectorError(failure, { cause: error });
}
