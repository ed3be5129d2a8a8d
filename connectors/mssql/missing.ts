import type { Failure } from '../../src/domain/failure.ts';
import type { SourceObject } from '../contract.ts';

/** Which part of an object's address is not there; `SourceObject.detail` of an object that does not exist. */
const MISSING = {
  'database-not-covered':
    "This target's connection covers only its configured database; set ingestAllDatabases: true to write to the others.",
  'database-missing': 'The database does not exist on the server, or this login has no user in it.',
  'schema-missing': 'The schema does not exist in the database, or this login may not see it (GRANT VIEW DEFINITION).',
  'object-missing':
    'There is no table or view of exactly this name in the schema, or this login may not see it (GRANT VIEW DEFINITION).',
  'column-missing': 'The table has no column of exactly this name; it may have been dropped or renamed.',
} as const;
export type Missing = keyof typeof MISSING;

/** The source state of an object that is not there. */
export function missingObject(missing: Missing): SourceObject {
  return { exists: false, detail: missing };
}

export function missingFailure(source: SourceObject): Failure {
  const code = isMissing(source.detail) ? source.detail : 'object-missing';
  return { class: 'not_found', scope: 'object', code, message: MISSING[code] };
}

function isMissing(detail: unknown): detail is Missing {
  return typeof detail === 'string' && Object.hasOwn(MISSING, detail);
}
