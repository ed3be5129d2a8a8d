import type { ConnectorSpec } from '../contract.ts';
import { oracleDialect } from '../dialect/oracle-dialect.ts';
import { type OracleConfig, oracleConfig } from './config.ts';

/** Bytes in the character set of the database that a comment may have. */
export const COMMENT_BYTES = 4000;
/** Bytes of an annotation's value and of its name. */
export const ANNOTATION_BYTES = 4000;
export const ANNOTATION_NAME_BYTES = 1024;

/** Operations in one batch at the most: they share the reading before; each statement commits by itself. */
const BATCH = 50;

const described = { aspect: 'description', set: true, clear: true, provenOn: 'fake' } as const;
const tagged = { aspect: 'tags', set: true, clear: true, provenOn: 'fake' } as const;

export const DESCRIBED_KINDS = ['table', 'view', 'materialized view', 'external table'] as const;
/** Kinds of object that can carry annotations; of columns only those of tables. */
export const ANNOTATED_KINDS = ['table', 'view', 'materialized view'] as const;

const commentLimit = 'COMMENTS of ALL_TAB_COMMENTS and ALL_COL_COMMENTS is VARCHAR2(4000)';
const annotationLimit = 'error help of ORA-11545: at most 4,000 bytes';

/**
 * Oracle Database. A schema is a user, and what OpenMetadata calls the database is only a name: neither can carry a description.
 */
export const oracleSpec: ConnectorSpec<OracleConfig> = {
  name: 'oracle',
  serviceTypes: ['Oracle'],
  sink: false,
  config: oracleConfig,
  dialect: oracleDialect,
  abilities: [
    { ...described, level: 'table', kinds: DESCRIBED_KINDS },
    { ...described, level: 'column', kinds: DESCRIBED_KINDS },
    // Annotations: from 23ai on, and from 19.28 on; the server decides when a plan is made.
    { ...tagged, level: 'table', kinds: ANNOTATED_KINDS },
    { ...tagged, level: 'column', kinds: ['table'] },
  ],
  limits: [
    { aspect: 'description', level: 'table', max: COMMENT_BYTES, unit: 'bytes', source: commentLimit },
    { aspect: 'description', level: 'column', max: COMMENT_BYTES, unit: 'bytes', source: commentLimit },
    { aspect: 'tags', level: 'table', max: ANNOTATION_BYTES, unit: 'bytes', source: annotationLimit },
    { aspect: 'tags', level: 'column', max: ANNOTATION_BYTES, unit: 'bytes', source: annotationLimit },
  ],
  rate: { perSecond: 10, burst: 50, concurrency: 1, batch: BATCH },
  optIn: 'BACKFLOW_TEST_ORACLE_URL',
};
