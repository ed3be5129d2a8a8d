import type { Operation } from '../../src/domain/operation.ts';
import { ok, type Result } from '../../src/domain/result.ts';
import type { Connector, Refusal, SourceObject } from '../contract.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { type KindWords, refuse, statementPlanner } from '../postgres-wire/statement-planner.ts';
import { DESCRIPTION_BYTES, postgresSpec, TABLE_KINDS, type TableKind } from './spec.ts';

/** Turns an operation into the one statement that makes it true. Pure; `source` undefined: the catalogue's hints decide. */
export const planPostgres = plannerFor(postgresSpec.dialect);

/** The planner with another dialect's quoting; tests put broken ones in to see that they are noticed. */
export function plannerFor(dialect: Dialect): Connector['plan'] {
  const rules = { system: 'PostgreSQL', descriptionBytes: DESCRIPTION_BYTES, principal: 'role', words };
  return statementPlanner(rules, dialect);
}

const KEYWORDS: Readonly<Record<TableKind, string>> = {
  table: 'TABLE',
  'partitioned table': 'TABLE',
  view: 'VIEW',
  'materialized view': 'MATERIALIZED VIEW',
  'foreign table': 'FOREIGN TABLE',
};

/** OpenMetadata's `tableType`, where it differs from a plain table. */
const HINTS: Readonly<Record<string, TableKind>> = {
  View: 'view',
  SecureView: 'view',
  MaterializedView: 'materialized view',
  Foreign: 'foreign table',
  External: 'foreign table',
  Partitioned: 'partitioned table',
};

function words({ object }: Operation, source: SourceObject | undefined): Result<KindWords, Refusal> {
  if (object.level === 'database') return sure('DATABASE');
  if (object.level === 'schema') return sure('SCHEMA');
  const known = source?.kind;
  const kind = known === undefined ? (HINTS[object.tableType ?? ''] ?? 'table') : TABLE_KINDS.find((k) => k === known);
  if (kind === undefined) {
    return refuse(
      'unsupported',
      'kind-unsupported',
      `The object is a ${known}, which OpenMetadata's tables do not cover.`,
    );
  }
  if (object.level === 'column') return sure('COLUMN');
  return ok({ comment: KEYWORDS[kind], alter: KEYWORDS[kind], assumed: known === undefined });
}

function sure(keyword: string): Result<KindWords, Refusal> {
  return ok({ comment: keyword, alter: keyword, assumed: false });
}
