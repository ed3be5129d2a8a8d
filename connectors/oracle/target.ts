import type { Aspect } from '../../src/domain/entity.ts';
import type { Failure } from '../../src/domain/failure.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { ok, type Result } from '../../src/domain/result.ts';
import type { Refusal, SourceObject } from '../contract.ts';
import { quoteOracleName, unfolded } from '../dialect/oracle-dialect.ts';
import { detailOf, type OracleDetail } from './detail.ts';
import { refuse } from './refuse.ts';
import { ANNOTATED_KINDS, DESCRIBED_KINDS } from './spec.ts';

/** The object of a statement. */
export interface Target {
  readonly kind: string;
  /** `"APP"."ORDERS"`. */
  readonly address: string;
  /** `"NOTE"`, for a column. */
  readonly column?: string;
  /** What had to be assumed because the dictionary was not read. */
  readonly notes: readonly string[];
}

const MISSING = {
  schema: 'There is no such user (schema) in the database.',
  object: 'There is no such table or view in the schema, or the user may not see it.',
  column: 'The table has no such column; it may have been dropped or renamed.',
} as const;

export function missingFailure(detail: OracleDetail | undefined): Failure {
  const missing = detail?.missing ?? 'object';
  return { class: 'not_found', scope: 'object', code: `${missing}-missing`, message: MISSING[missing] };
}

/** Where this aspect of the object is written, by the dictionary's names, or why it cannot be. Without a source the catalogue's hints decide. */
export function targetOf(
  object: ObjectRef,
  source: SourceObject | undefined,
  aspect: Exclude<Aspect, 'owners'>,
): Result<Target, Refusal> {
  const what = aspect === 'description' ? 'comment' : 'annotation';
  if (object.level === 'database') {
    return refuse(
      'unsupported',
      'no-target',
      `What OpenMetadata calls the database of an Oracle service is only a name: nothing in it can carry a ${what}.`,
    );
  }
  if (object.level === 'schema') {
    return refuse('unsupported', 'no-target', `In Oracle a schema is a user, which has no ${what} to write.`);
  }
  if (object.level === 'column' && object.column?.length !== 1) {
    return refuse('unsupported', 'nested-column', `Oracle has no ${what}s on attributes inside a column.`);
  }
  const detail = detailOf(source);
  if (detail?.ambiguous !== undefined) {
    return refuse(
      'unsupported',
      'ambiguous-name',
      'Two objects differ only in upper and lower case, and ingestion gives both the same name: which one is meant cannot be told.',
    );
  }
  if (source?.exists === false) {
    const failure = missingFailure(detail);
    return refuse(failure.class, failure.code, failure.message);
  }
  const kind = source?.kind ?? assumedKind(object);
  const kinds: readonly string[] =
    aspect === 'description' ? DESCRIBED_KINDS : object.level === 'column' ? ['table'] : ANNOTATED_KINDS;
  if (!kinds.includes(kind)) {
    const where = object.level === 'column' ? `A column of a ${kind}` : `A ${kind}`;
    return refuse('unsupported', 'kind-unsupported', `${where} has no ${what} that could be written.`);
  }
  return quoted(object, kind, detail);
}

function assumedKind({ tableType = '' }: ObjectRef): string {
  if (/materiali[sz]ed/i.test(tableType)) return 'materialized view';
  if (/external/i.test(tableType)) return 'external table';
  return /view/i.test(tableType) ? 'view' : 'table';
}

const ASSUMED =
  "The object's names and kind are taken from the catalogue (lower-case names as upper-case ones); the dictionary decides when it is written.";

function quoted(object: ObjectRef, kind: string, detail: OracleDetail | undefined): Result<Target, Refusal> {
  const known = (detail?.names.length ?? 0) > 0 ? detail?.names : undefined;
  const fromCatalogue = [object.schema ?? '', object.table ?? '', ...(object.column ?? [])].map(unfolded);
  const names: string[] = [];
  for (const name of known ?? fromCatalogue) {
    const one = quoteOracleName(name);
    if (!one.ok) return refuse('invalid', `name-${one.error.code}`, `A name cannot be written: ${one.error.message}.`);
    names.push(one.value);
  }
  const [schema, table, column] = names;
  return ok({
    kind,
    address: `${schema}.${table}`,
    notes: known === undefined ? [ASSUMED] : [],
    ...(column === undefined ? {} : { column }),
  });
}
