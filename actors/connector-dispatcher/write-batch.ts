import type {
  Connector,
  Plan,
  PlannedWrite,
  PlanOptions,
  SourceObject,
  WriteResult,
} from '../../connectors/contract.ts';
import type { FieldKey } from '../../src/domain/entity.ts';
import type { Failure } from '../../src/domain/failure.ts';
import type { Operation, Tag } from '../../src/domain/operation.ts';
import type { Verified } from '../../src/domain/outcome.ts';
import { err } from '../../src/domain/result.ts';
import { tagText } from '../../src/domain/tag-text.ts';
import { valueHash } from '../../src/domain/value-hash.ts';
import type { AssetWork, FieldResult, FieldWork, FieldWrite } from '../lane/asset-work.ts';
import { unexpectedFailure } from '../lane/unexpected-failure.ts';

/** One field of a batch that wants a write. `id` is unique in the batch. */
export interface BatchField {
  readonly id: string;
  readonly work: AssetWork;
  readonly field: FieldWork;
  readonly write: FieldWrite;
}

/** A field with its plan, or the result that it already has without one. */
export type PlannedField =
  | { readonly field: BatchField; readonly result: FieldResult }
  | { readonly field: BatchField; readonly write: PlannedWrite };

/** Every field of the works that a channel writes. */
export function fieldsToWrite(works: readonly AssetWork[]): BatchField[] {
  return works.flatMap((work, index) =>
    work.fields.flatMap((field, position) =>
      field.write === undefined ? [] : [{ id: `${index}.${position}`, work, field, write: field.write }],
    ),
  );
}

/**
 * Compares what is wanted with what stands in the source and plans the difference. Pure.
 * An equal value ends `unchanged`, a channel in observe mode `observed`, a refusal `skipped` or `failed`; the rest is to be written.
 */
export function planField(field: BatchField, source: SourceObject, connector: Connector): PlannedField {
  const { operation, channel, template } = field.write;
  const options = { acceptRace: channel.acceptRace, ...(template === undefined ? {} : { template }) };
  const before = currentValue(operation, source);
  const planned = planSafely(connector, operation, source, options);
  if (!planned.ok) {
    const { outcome, failure } = planned.error;
    return { field, result: result(field, outcome, { before, reason: failure.message, failure }) };
  }
  const plan = planned.value;
  const notes = [...field.write.notes, ...plan.notes];
  const done = {
    before,
    after: wantedValue(operation, plan),
    statements: plan.statements,
    notes,
    ...tagsAfter(operation),
  };
  const equal =
    template === undefined ? isEqual(operation, plan, source) : field.field.lastWritten === wantedHash(operation);
  if (equal) return { field, result: result(field, 'unchanged', { ...done, statements: [] }) };
  if (channel.mode === 'observe') return { field, result: result(field, 'observed', done) };
  return { field, write: { id: field.id, operation, plan, options, source } };
}

/** A plan that throws is a fault of this one object: it must not keep others from being written. */
function planSafely(
  connector: Connector,
  operation: Operation,
  source: SourceObject,
  options: PlanOptions,
): ReturnType<Connector['plan']> {
  try {
    return connector.plan(operation, source, options);
  } catch (error) {
    return err({ outcome: 'failed', failure: unexpectedFailure('the connector could not plan this write', error) });
  }
}

/** The result of a field whose object could not be read, for a reason that concerns this object alone. */
export function unreadResult(
  field: BatchField,
  failure: Failure,
  mayRetry: (attempts: number) => boolean,
): FieldResult {
  const attempts = field.field.attempts + 1;
  return result(field, statusAfter(failure, attempts, mayRetry), { attempts, reason: failure.message, failure });
}

/** What an object fault leads to: another attempt where that can help. */
function statusAfter(
  failure: Failure,
  attempts: number,
  mayRetry: (attempts: number) => boolean,
): 'skipped' | 'retry' | 'failed' {
  if (failure.class === 'unsupported') return 'skipped';
  const curable = failure.class === 'transient' || failure.class === 'conflict' || failure.class === 'throttled';
  return curable && mayRetry(attempts) ? 'retry' : 'failed';
}

/** The result of a field that was sent. Object faults that another attempt may cure end `retry` until `mayRetry` is false. */
export function resultOf(
  field: BatchField,
  write: PlannedWrite,
  answer: WriteResult | undefined,
  mayRetry: (attempts: number) => boolean,
): FieldResult {
  const attempts = field.field.attempts + 1;
  const { operation } = field.write;
  const before = currentValue(operation, write.source);
  const notes = [...field.write.notes, ...write.plan.notes];
  if (answer === undefined) {
    const failure: Failure = {
      class: 'transient',
      scope: 'object',
      code: 'no-result',
      message: 'the connector gave no result for this write',
    };
    return result(field, mayRetry(attempts) ? 'retry' : 'failed', {
      before,
      statements: write.plan.statements,
      notes,
      attempts,
      reason: failure.message,
      failure,
    });
  }
  if (answer.ok) {
    return result(field, 'applied', {
      before,
      after: answer.value ?? wantedValue(operation, write.plan),
      statements: answer.statements ?? write.plan.statements,
      notes: [...notes, ...(answer.notes ?? [])],
      attempts,
      verified: answer.verified,
      ...tagsAfter(operation),
    });
  }
  const { failure } = answer;
  return result(field, statusAfter(failure, attempts, mayRetry), {
    before,
    statements: write.plan.statements,
    notes,
    attempts,
    reason: failure.message,
    failure,
  });
}

interface ResultParts {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly statements?: readonly string[];
  readonly notes?: readonly string[];
  readonly attempts?: number;
  readonly verified?: Verified;
  readonly reason?: string;
  readonly failure?: Failure;
  readonly tags?: readonly string[];
}

function result(field: BatchField, status: FieldResult['status'], parts: ResultParts): FieldResult {
  const key: FieldKey = field.field.open.key;
  return {
    key,
    status,
    statements: parts.statements ?? [],
    notes: parts.notes ?? field.write.notes,
    attempts: parts.attempts ?? field.field.attempts,
    ...(parts.before === undefined ? {} : { before: parts.before }),
    ...(parts.after === undefined ? {} : { after: parts.after }),
    ...(parts.verified === undefined ? {} : { verified: parts.verified }),
    ...(parts.reason === undefined ? {} : { reason: parts.reason }),
    ...(parts.failure === undefined ? {} : { failure: parts.failure }),
    ...(parts.tags === undefined ? {} : { tags: parts.tags }),
  };
}

/** Hash of what an operation wants to stand in the source; kept as `written` when it was written. */
export function wantedHash(operation: Operation): string {
  if (operation.aspect === 'description') return valueHash(operation.text);
  if (operation.aspect === 'owners') return valueHash(operation.principal);
  return valueHash(formatTags(operation.desired));
}

export function formatTags(tags: readonly Tag[]): string {
  return tags.map(tagText).join(', ');
}

function currentValue(operation: Operation, source: SourceObject): string | undefined {
  if (operation.aspect === 'description') return source.description;
  if (operation.aspect === 'owners') return source.owner;
  return source.tags === undefined ? undefined : formatTags(source.tags);
}

function wantedValue(operation: Operation, plan: Plan): string | undefined {
  if (operation.aspect === 'description') return plan.value ?? operation.text;
  if (operation.aspect === 'owners') return operation.principal;
  return formatTags(operation.desired);
}

function tagsAfter(operation: Operation): { readonly tags?: readonly string[] } {
  return operation.aspect === 'tags' ? { tags: operation.desired.map(tagText) } : {};
}

function isEqual(operation: Operation, plan: Plan, source: SourceObject): boolean {
  if (!source.exists) return false;
  if (operation.aspect === 'description') return none(plan.value) === none(source.description);
  if (operation.aspect === 'owners') return source.owner === operation.principal;
  const present = source.tags ?? [];
  const has = (tag: Tag): boolean => present.some((other) => other.key === tag.key && other.value === tag.value);
  return operation.desired.every(has) && !operation.unset.some(has);
}

/** No source can tell an empty description from none. */
const none = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
