import type { Failure } from '../../src/domain/failure.ts';
import type { DescriptionOperation } from '../../src/domain/operation.ts';
import type { PlannedWrite, SourceObject, WriteResult } from '../contract.ts';
import { objectFailure } from '../object-failure.ts';
import { partsOf } from '../parts.ts';
import { shownStatement } from '../shared-statement.ts';
import type { ClickhouseClient } from './client.ts';
import { detailOf, missingFailure } from './detail.ts';
import { alter, type Clause, DEFINITION_TOO_LARGE, planClause } from './plan.ts';
import { readObjects } from './read.ts';
import { onReplicas, type Replicas } from './replicas.ts';
import { DEFINITION_BYTES } from './spec.ts';

/** Clauses of one ALTER, and its bytes: well below `max_query_size`, 262,144 by default. */
const MOST = { count: 500, size: 200_000 };

interface DescriptionWrite {
  readonly write: PlannedWrite;
  readonly operation: DescriptionOperation;
}

/** A write that runs with others in one ALTER. */
interface Ready extends DescriptionWrite {
  readonly clause: Clause;
}

/** What ran without an error; whether it stands is seen afterwards. */
interface Ran extends DescriptionWrite {
  /** As the result shows it. */
  readonly statement: string;
}

/**
 * Runs the writes: the comments of a table and its columns share an ALTER where that is right, then templates one by one. The server
 * can accept a comment and not keep it, so everything is read back. Every write gets exactly one result; a failure of the whole target
 * is thrown.
 */
export async function writeAll(
  client: ClickhouseClient,
  writes: readonly PlannedWrite[],
): Promise<readonly WriteResult[]> {
  const results: WriteResult[] = [];
  const descriptions: DescriptionWrite[] = [];
  const templates: PlannedWrite[] = [];
  for (const write of writes) {
    const { operation } = write;
    if (write.options.template !== undefined) templates.push(write);
    else if (operation.aspect === 'description') descriptions.push({ write, operation });
    else results.push(failed(write.id, UNPLANNABLE));
  }
  for (const round of roundsOf(descriptions)) results.push(...(await writeRound(client, round)));
  results.push(...(await writeTemplates(client, templates)));
  return results;
}

const UNPLANNABLE: Failure = {
  class: 'unsupported',
  scope: 'object',
  code: 'no-plan',
  message: 'Only descriptions can be written to ClickHouse without a template.',
};

/** Writes of the same object run one after the other, in their order; all others together. */
function roundsOf(writes: readonly DescriptionWrite[]): readonly (readonly DescriptionWrite[])[] {
  const rounds: DescriptionWrite[][] = [];
  const seen = new Map<string, number>();
  for (const one of writes) {
    const { level, schema, table, column } = one.operation.object;
    const key = JSON.stringify([level, schema, table, column?.join('.')]);
    const round = seen.get(key) ?? 0;
    seen.set(key, round + 1);
    rounds[round] ??= [];
    rounds[round].push(one);
  }
  return rounds;
}

async function writeRound(
  client: ClickhouseClient,
  round: readonly DescriptionWrite[],
): Promise<readonly WriteResult[]> {
  const ran: Ran[] = [];
  const failures = new Map<DescriptionWrite, Failure>();
  const groups = new Map<string, Ready[]>();
  const sizes = new DefinitionSizes();
  for (const one of round) {
    const planned = planClause(one.operation, one.write.source, one.write.options);
    if (!planned.ok) {
      failures.set(one, planned.error.failure);
      continue;
    }
    const clause = planned.value;
    if (!sizes.fits(one, clause)) {
      failures.set(one, DEFINITION_TOO_LARGE);
      continue;
    }
    const key = `${clause.kind} ${clause.target}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [{ ...one, clause }]);
    else group.push({ ...one, clause });
  }
  for (const group of groups.values()) {
    for (const part of partsOf(group, MOST, bytesOf)) await alterTogether(client, part, ran, failures);
  }
  return verify(client, ran, failures);
}

/** How long the definitions of tables become by the writes of one round, each of which was planned as if it were the only one. */
class DefinitionSizes {
  readonly #bytes = new Map<string, number>();

  fits({ write }: DescriptionWrite, { target, growth }: Clause): boolean {
    const before = this.#bytes.get(target) ?? detailOf(write.source).definitionBytes ?? 0;
    if (growth > 0 && before + growth > DEFINITION_BYTES) return false;
    this.#bytes.set(target, before + growth);
    return true;
  }
}

const bytesOf = ({ clause }: Ready): number => Buffer.byteLength(clause.action);

/** An ALTER is carried out whole or not at all. When one of several writes makes it fail, it fails alone in the end. */
async function alterTogether(
  client: ClickhouseClient,
  group: readonly Ready[],
  ran: Ran[],
  failures: Map<DescriptionWrite, Failure>,
): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  const statement = alter(
    first.clause.target,
    group.map(({ clause }) => clause.action),
  );
  try {
    await client.run(statement, first.write.traceparent);
    for (const { write, operation, clause } of group) {
      const own = (comment: string) => alter(clause.target, [`${clause.action}${comment}`]);
      ran.push({ write, operation, statement: shownStatement(statement, group.length, own) });
    }
    return;
  } catch (error) {
    const failure = objectFailure(error);
    // What is busy or gone is so for all of them; to try each alone would only hold up the rest of the batch.
    const shared =
      ['transient', 'throttled', 'conflict'].includes(failure.class) || failure.code === '60' || failure.code === '81';
    if (group.length === 1 || shared) {
      for (const one of group) failures.set(one, refined(one, failure));
      return;
    }
  }
  // Halves find the bad ones with fewer statements than one by one.
  const half = Math.ceil(group.length / 2);
  await alterTogether(client, group.slice(0, half), ran, failures);
  await alterTogether(client, group.slice(half), ran, failures);
}

/** Says more than the code alone: the grammar of older servers has no comments on databases. */
function refined({ operation }: DescriptionWrite, failure: Failure): Failure {
  if (operation.object.level !== 'schema' || failure.code !== '62') return failure;
  const message =
    'This server has no statement for the comment of a database; newer ones have (ALTER DATABASE … MODIFY COMMENT).';
  return { ...failure, class: 'unsupported', message };
}

async function verify(
  client: ClickhouseClient,
  ran: readonly Ran[],
  failures: ReadonlyMap<DescriptionWrite, Failure>,
): Promise<readonly WriteResult[]> {
  // An account without privileges on a place is told so whether or not there is such an object.
  const refused = [...failures]
    .filter(([, { class: failureClass }]) => failureClass === 'permission')
    .map(([one]) => one);
  const objects = [...ran, ...refused].map(({ operation }) => operation.object);
  const sources = objects.length === 0 ? [] : await readObjects(client, objects);
  const replicas = await onReplicas(
    client,
    ran.map(({ operation }) => operation.object),
  );
  const results = ran.map((one, index) => resultOf(one, sources[index], replicas[index]));
  const missing = new Map<DescriptionWrite, Failure>();
  for (const [index, one] of refused.entries()) {
    const source = sources[ran.length + index];
    if (source?.exists === false) missing.set(one, missingFailure(detailOf(source)));
  }
  return [...results, ...[...failures].map(([one, failure]) => failed(one.write.id, missing.get(one) ?? failure))];
}

function resultOf(
  { write, statement }: Ran,
  now: SourceObject | undefined,
  replicas: Replicas | undefined,
): WriteResult {
  const wanted = write.plan.value;
  if (now?.exists !== true) return failed(write.id, missingFailure(detailOf(now)));
  if (now.description !== wanted) {
    return failed(write.id, now.description === write.source.description ? NOT_KEPT : DIFFERS);
  }
  if (replicas?.comments?.some((comment) => comment !== (wanted ?? ''))) return failed(write.id, NOT_EVERYWHERE);
  const [planned] = write.plan.statements;
  return {
    id: write.id,
    ok: true,
    verified: 'read',
    ...(wanted === undefined ? {} : { value: wanted }),
    ...(write.plan.statements.length === 1 && planned === statement ? {} : { statements: [statement] }),
    ...(replicas?.note === undefined ? {} : { notes: [replicas.note] }),
  };
}

const NOT_KEPT: Failure = {
  class: 'unsupported',
  scope: 'object',
  code: 'comment-not-kept',
  message: 'The server accepted the comment and did not keep it: the engine of this object has no place for it.',
};

const DIFFERS: Failure = {
  class: 'conflict',
  scope: 'object',
  code: 'read-back-differs',
  message: 'The server accepted the comment, but another one stands there now.',
};

const NOT_EVERYWHERE: Failure = {
  class: 'conflict',
  scope: 'object',
  code: 'replicas-differ',
  message: 'The comment does not stand on all servers of the cluster.',
};

/** Templates run one after the other. One may well write somewhere else; it is proven only where the native comment says the same. */
async function writeTemplates(
  client: ClickhouseClient,
  writes: readonly PlannedWrite[],
): Promise<readonly WriteResult[]> {
  const results: WriteResult[] = [];
  const ran: DescriptionWrite[] = [];
  for (const write of writes) {
    const { operation } = write;
    try {
      for (const statement of write.plan.statements) await client.run(statement, write.traceparent);
    } catch (error) {
      results.push(failed(write.id, objectFailure(error)));
      continue;
    }
    if (operation.aspect === 'description') ran.push({ write, operation });
    else results.push({ id: write.id, ok: true, verified: 'no' });
  }
  const sources = await readObjects(
    client,
    ran.map(({ operation }) => operation.object),
  );
  for (const [index, { write, operation }] of ran.entries()) {
    const now = sources[index];
    const wanted = operation.text === '' ? undefined : operation.text;
    const stands = now?.exists === true && now.description === wanted;
    const value = stands && wanted !== undefined ? { value: wanted } : {};
    results.push({ id: write.id, ok: true, verified: stands ? 'read' : 'no', ...value });
  }
  return results;
}

function failed(id: string, failure: Failure): WriteResult {
  return { id, ok: false, failure };
}
