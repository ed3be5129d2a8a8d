import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import { ok, type Result } from '../../src/domain/result.ts';
import type { Connector, Refusal, SourceObject } from '../contract.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { type KindWords, refuse, statementPlanner } from '../postgres-wire/statement-planner.ts';
import { COLUMN_KINDS, DESCRIPTION_BYTES, OWNED_KINDS, redshiftSpec, TABLE_KINDS, type TableKind } from './spec.ts';

/** Turns an operation into the one statement that makes it true. Pure; `source` undefined: the catalogue's hints decide. */
export const planRedshift = plannerFor(redshiftSpec.dialect);

/** The planner with another dialect's quoting; tests put broken ones in to see that they are noticed. */
export function plannerFor(dialect: Dialect): Connector['plan'] {
  const rules = { system: 'Redshift', descriptionBytes: DESCRIPTION_BYTES, principal: 'user', words };
  return statementPlanner(rules, dialect);
}

/** OpenMetadata's `tableType`, where it differs from a plain table. */
const HINTS: Readonly<Record<string, TableKind | 'external table'>> = {
  View: 'view',
  SecureView: 'view',
  MaterializedView: 'materialized view',
  Foreign: 'external table',
  External: 'external table',
};

function words(operation: Operation, source: SourceObject | undefined): Result<KindWords, Refusal> {
  const { object } = operation;
  const known = source?.kind;
  if (known?.startsWith('external ')) return refuseExternal(known);
  if (object.level === 'database') return ok({ comment: 'DATABASE', alter: 'DATABASE', assumed: false });
  if (object.level === 'schema') return ok({ comment: 'SCHEMA', alter: 'SCHEMA', assumed: false });
  const word = known ?? HINTS[object.tableType ?? ''] ?? 'table';
  if (word === 'external table') return refuseExternal(word);
  const kind = TABLE_KINDS.find((one) => one === word);
  if (kind === undefined) {
    return refuse(
      'unsupported',
      'kind-unsupported',
      `The object is a ${word}, which OpenMetadata's tables do not cover.`,
    );
  }
  return operation.aspect === 'owners' ? ownerWords(kind, known) : commentWords(object, kind, known);
}

function commentWords(object: ObjectRef, kind: TableKind, known: string | undefined): Result<KindWords, Refusal> {
  if (object.level === 'column') {
    if (isOneOf(COLUMN_KINDS, kind)) return ok({ comment: 'COLUMN', alter: 'COLUMN', assumed: false });
    const message =
      'Columns of a late-binding view (WITH NO SCHEMA BINDING) exist only while it is queried; Redshift cannot comment on them.';
    return refuse('unsupported', 'late-binding-column', message);
  }
  // Materialized views too: COMMENT ON MATERIALIZED VIEW does not exist here.
  const comment = kind === 'table' ? 'TABLE' : 'VIEW';
  return ok({ comment, alter: 'TABLE', assumed: known === undefined });
}

/** ALTER TABLE serves views as well; there is no ALTER VIEW. */
function ownerWords(kind: TableKind, known: string | undefined): Result<KindWords, Refusal> {
  if (isOneOf(OWNED_KINDS, kind)) return ok({ comment: kind, alter: 'TABLE', assumed: known === undefined });
  const message =
    'Redshift documents no change of owner for a materialized view. A template can try: ALTER TABLE {schema}.{table} OWNER TO {owner}';
  return refuse('unsupported', 'materialized-view-owner', message);
}

function refuseExternal(kind: string): Result<never, Refusal> {
  const message = `The object is an ${kind}: its metadata lives in another catalogue (AWS Glue, Hive, another database), which has to be written to instead.`;
  return refuse('unsupported', 'external-object', message);
}

function isOneOf(kinds: readonly TableKind[], kind: TableKind): boolean {
  return kinds.includes(kind);
}
