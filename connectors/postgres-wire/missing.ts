import type { Failure, FailureClass } from '../../src/domain/failure.ts';
import type { SourceObject } from '../contract.ts';

/** Which part of an object's address is not there; `SourceObject.detail` of an object that does not exist. */
const MISSING = {
  'database-not-covered':
    "This target's connection covers only its configured database; set ingestAllDatabases: true to write to the others.",
  'database-shared':
    'The database comes from a datashare and cannot be changed here; write to it where it is shared from.',
  'database-missing': 'The database does not exist on the server.',
  'database-forbidden': 'The role of this connection may not connect to the database: GRANT CONNECT ON DATABASE to it.',
  'schema-missing': 'The schema does not exist in the database.',
  'object-missing': 'There is no table or view of this name in the schema; it may have been dropped or renamed.',
  'column-missing': 'The table has no such column; it may have been dropped or renamed.',
} as const;
export type Missing = keyof typeof MISSING;

const CLASSES: Partial<Record<Missing, FailureClass>> = {
  'database-shared': 'unsupported',
  'database-forbidden': 'permission',
};

/** The source state of an object that is not there. */
export function missingObject(missing: Missing): SourceObject {
  return { exists: false, detail: missing };
}

export function missingFailure(source: SourceObject): Failure {
  const code = isMissing(source.detail) ? source.detail : 'object-missing';
  return { class: CLASSES[code] ?? 'not_found', scope: 'object', code, message: MISSING[code] };
}

function isMissing(detail: unknown): detail is Missing {
  return typeof detail === 'string' && Object.hasOwn(MISSING, detail);
}
