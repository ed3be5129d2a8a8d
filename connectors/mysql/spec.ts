import type { ConnectorSpec } from '../contract.ts';
import { mysqlDialect } from '../dialect/mysql-dialect.ts';
import { type MysqlConfig, mysqlConfig } from './config.ts';

/** Characters (of a schema: bytes) that a comment may have; the server refuses more of a table or column with 1628 and 1629. */
export const TABLE_COMMENT_MAX = 2048;
export const COLUMN_COMMENT_MAX = 1024;
export const SCHEMA_COMMENT_MAX = 1024;

/** Operations in one batch at the most: one query reads their tables, and one ALTER serves those of a table. */
const BATCH = 500;

const described = { aspect: 'description', set: true, clear: true, provenOn: 'real' } as const;
const limited = { aspect: 'description', unit: 'characters' } as const;

/**
 * MySQL and MariaDB. What OpenMetadata calls a schema is a database here; its "database" is only a name for the whole server.
 */
export const mysqlSpec: ConnectorSpec<MysqlConfig> = {
  name: 'mysql',
  serviceTypes: ['Mysql', 'MariaDB'],
  sink: false,
  config: mysqlConfig,
  dialect: mysqlDialect,
  abilities: [
    // MariaDB ≥ 10.5 only; the server's version decides when a plan is made.
    { ...described, level: 'schema', kinds: ['database'] },
    { ...described, level: 'table', kinds: ['table', 'system versioned table'] },
    { ...described, level: 'column', kinds: ['table'] },
  ],
  limits: [
    {
      aspect: 'description',
      level: 'schema',
      max: SCHEMA_COMMENT_MAX,
      unit: 'bytes',
      source:
        'MariaDB 10.11, measured: what its options file holds; it is damaged by 1,024 characters of several bytes',
    },
    { ...limited, level: 'table', max: TABLE_COMMENT_MAX, source: 'MySQL manual (CREATE TABLE); error 1628' },
    { ...limited, level: 'column', max: COLUMN_COMMENT_MAX, source: 'MySQL manual (CREATE TABLE); error 1629' },
  ],
  rate: { perSecond: 20, burst: 100, concurrency: 1, batch: BATCH },
};
