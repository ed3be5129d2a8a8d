import { ConnectorError } from '../connector-error.ts';
import type { SourceObject, WriteResult } from '../contract.ts';
import { MEMORY_PASSWORD } from './memory-harness.ts';
import {
  applies,
  bound,
  connections,
  counter,
  errors,
  type Mutate,
  neverComesBack,
  plans,
  reads,
  remembers,
  results,
  statements,
  value,
} from './mutate.ts';

/** Connectors that are wrong in one way each, and the beginning of the name of a check that has to object to it. */
export const MUTANTS: readonly (readonly [wrong: string, caughtBy: string, mutate: Mutate])[] = [
  [
    'wrong quoting of texts',
    'writes hostile texts',
    statements((text) => text.replace(/'(.*)'$/s, (_, inner) => `'${inner.replaceAll("''", "'")}'`)),
  ],
  ['wrong quoting of names', 'writes to objects with hostile names', statements((text) => text.replaceAll('""', '"'))],
  ['trims texts', 'writes hostile texts', statements((text) => text.replace(/\s+'$/, "'"))],
  ['backslashes doubled without need', 'writes hostile texts', statements((text) => text.replaceAll('\\', '\\\\'))],
  [
    'lost clear',
    'sets, changes and clears',
    statements((text) => (text.endsWith(' NULL') ? text.replace(' NULL', " 'none'") : text)),
  ],
  [
    'clear planned as nothing to run',
    'sets, changes and clears',
    plans((planned) =>
      planned.ok && planned.value.value === undefined ? value({ ...planned.value, statements: [] }) : planned,
    ),
  ],
  [
    'swallowed error',
    'lets one bad item',
    results((all) => all.map((one): WriteResult => (one.ok ? one : { id: one.id, ok: true, verified: 'commit' }))),
  ],
  [
    'no-op write reported as applied',
    'sets, changes and clears',
    applies(async (writes) => writes.map(({ id }): WriteResult => ({ id, ok: true, verified: 'commit' }))),
  ],
  [
    'writes a neighbour too',
    'sets, changes and clears',
    applies(async (writes, connection, system) => {
      const applied = await connection.apply(writes);
      for (const row of system.rows.values()) if (row.kind === 'view') row.description = `${row.description ?? ''}!`;
      return applied;
    }),
  ],
  [
    'runs more than it shows',
    'sets, changes and clears',
    applies((writes, connection) =>
      connection.apply(
        writes.map((write) => ({
          ...write,
          plan: { ...write.plan, statements: [...write.plan.statements, `UNTAG "s"."v" 'unused'`] },
        })),
      ),
    ),
  ],
  ['forgets a result', 'writes a batch', results((all) => all.slice(1))],
  ['reports a result twice', 'writes a batch', results((all) => [...all, ...all.slice(0, 1)])],
  [
    'one bad item fails the whole batch',
    'lets one bad item',
    results((all) => {
      const bad = all.find((one) => !one.ok);
      return bad === undefined || bad.ok
        ? all
        : all.map(({ id }): WriteResult => ({ id, ok: false, failure: bad.failure }));
    }),
  ],
  [
    'one bad item ends the batch',
    'lets one bad item',
    applies(async (writes, connection) => {
      const done: WriteResult[] = [];
      for (const write of writes) {
        const [result] = await connection.apply([write]);
        if (result !== undefined) done.push(result);
        if (result?.ok === false) return [...done, ...writes.slice(done.length).map(({ id }) => ({ ...result, id }))];
      }
      return done;
    }),
  ],
  [
    'takes a batch without any success for a good one',
    'fails each item',
    results((all) =>
      all.length < 2 || all.some(({ ok }) => ok)
        ? all
        : all.map(({ id }): WriteResult => ({ id, ok: true, verified: 'no' })),
    ),
  ],
  [
    'missing is called transient',
    'reports an owner that does not exist',
    results((all) =>
      all.map((one) => (one.ok ? one : { ...one, failure: { ...one.failure, class: 'transient' as const } })),
    ),
  ],
  [
    'failures of an object stop the target',
    'reports a missing privilege',
    results((all) =>
      all.map((one) => (one.ok ? one : { ...one, failure: { ...one.failure, scope: 'target' as const } })),
    ),
  ],
  [
    'silent cut',
    'takes texts up to',
    plans((planned) => (planned.ok ? value({ ...planned.value, notes: [] }) : planned)),
  ],
  [
    'refuses by default what is too long',
    'takes texts up to',
    (connector) => ({
      ...connector,
      plan: (operation, source, options) => connector.plan(operation, source, { ...options, overlong: 'refuse' }),
    }),
  ],
  [
    'never refuses what is too long',
    'takes texts up to',
    (connector) => ({
      ...connector,
      plan: (operation, source, options) => connector.plan(operation, source, { ...options, overlong: 'cut' }),
    }),
  ],
  [
    'takes NUL out instead of refusing it',
    'refuses NUL',
    (connector) => ({
      ...connector,
      plan: (operation, source, options) =>
        connector.plan(
          operation.aspect === 'description' && operation.text !== undefined
            ? { ...operation, text: operation.text.replaceAll('\0', '').toWellFormed() }
            : operation,
          source,
          options,
        ),
    }),
  ],
  [
    'fails what is unsupported',
    'refuses what it does not claim',
    plans((planned) => (planned.ok ? planned : { ok: false, error: { ...planned.error, outcome: 'failed' } })),
  ],
  [
    'refuses without a reason',
    'refuses what it does not claim',
    plans((planned) =>
      planned.ok
        ? planned
        : { ok: false, error: { ...planned.error, failure: { ...planned.error.failure, message: '' } } },
    ),
  ],
  [
    'ignores templates',
    'runs the statements of a template',
    (connector) => ({
      ...connector,
      plan: (operation, source, { template: _, ...options }) => connector.plan(operation, source, options),
    }),
  ],
  [
    'plans something else every time',
    'plans the same',
    plans((planned) => (planned.ok ? value({ ...planned.value, notes: [String(counter())] }) : planned)),
  ],
  [
    'plans for missing objects',
    'finds that a missing',
    (connector) => ({
      ...connector,
      plan: (operation, _source, options) => connector.plan(operation, undefined, options),
    }),
  ],
  [
    'sees objects that do not exist',
    'finds that a missing',
    reads((sources) => sources.map((source) => ({ ...source, exists: true }))),
  ],
  ['reads in another order', 'reads a batch', reads((sources) => sources.toReversed())],
  [
    'reads every object once',
    'reads a batch',
    reads((sources) =>
      [...new Set(sources.map((source) => JSON.stringify(source)))].map((text): SourceObject => JSON.parse(text)),
    ),
  ],
  ['reads what it wrote from memory', 'sets, changes and clears', remembers],
  [
    'never unsets tags',
    'sets and unsets tags',
    statements((text) => text.replace(/^UNTAG ("t"|"s"\."\w+") '.*'$/s, "TAG $1 'Tier' 'kept'")),
  ],
  ['swaps two owners', 'gives every kind', statements((text) => text.replace(/^(GIVE .*) 'ada'$/, "$1 'grace'"))],
  [
    'tells the password',
    'reports wrong credentials',
    errors(
      (error) =>
        new ConnectorError({ ...error.failure, message: `login with ${MEMORY_PASSWORD} and guessed 0815 failed` }),
    ),
  ],
  [
    'hides the password in a cause',
    'reports wrong credentials',
    errors(
      (error) =>
        new ConnectorError(error.failure, {
          cause: { config: { deep: { password: [MEMORY_PASSWORD, 'guessed 0815'] } } },
        }),
    ),
  ],
  ['throws plain errors', 'reports an unreachable', errors(() => new Error('something went wrong'))],
  [
    'calls everything transient',
    'reports wrong credentials',
    errors((error) => new ConnectorError({ ...error.failure, class: 'transient' })),
  ],
  [
    "calls everything an object's",
    'reports an unreachable',
    errors((error) => new ConnectorError({ ...error.failure, scope: 'object' })),
  ],
  [
    'reports a lost write',
    'loses connections',
    applies(async (writes, connection) => {
      try {
        return await connection.apply(writes);
      } catch {
        return writes.map(
          ({ id, plan }): WriteResult => ({
            id,
            ok: true,
            verified: 'commit',
            ...(plan.value === undefined ? {} : { value: plan.value }),
          }),
        );
      }
    }),
  ],
  ['never comes back', 'loses connections', neverComesBack],
  [
    'accepts masked passwords',
    'refuses masked',
    (connector) => ({
      ...connector,
      spec: { ...connector.spec, config: { ...connector.spec.config, safeParse: () => ({ success: true, data: {} }) } },
    }),
  ],
  [
    'closes only once',
    'closes once',
    connections((connection) => {
      let closed = false;
      return {
        ...bound(connection),
        close: async () => {
          if (closed) throw new Error('closed already');
          closed = true;
          await connection.close();
        },
      };
    }),
  ],
  [
    'claims what it cannot do',
    'sets and unsets tags',
    (connector) => ({
      ...connector,
      spec: {
        ...connector.spec,
        abilities: [
          ...connector.spec.abilities,
          { aspect: 'tags', level: 'column', kinds: ['column'], set: true, clear: true, provenOn: 'fake' },
        ],
      },
    }),
  ],
  [
    'calls a view a table',
    'has an object of every kind',
    reads((sources) => sources.map((source) => (source.kind === 'view' ? { ...source, kind: 'table' } : source))),
  ],
  [
    'does not say where a limit comes from',
    'documents each limit',
    (connector) => ({
      ...connector,
      spec: { ...connector.spec, limits: connector.spec.limits.map((limit) => ({ ...limit, source: '' })) },
    }),
  ],
  [
    'finds fault with what is in order',
    'checks the connection',
    connections((connection) => ({
      ...bound(connection),
      check: async (objects) => ({ ...(await connection.check(objects)), ok: false }),
    })),
  ],
];
