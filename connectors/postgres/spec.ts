import type { ConnectorSpec } from '../contract.ts';
import { postgresDialect } from '../dialect/postgres-dialect.ts';
import { type PostgresConfig, postgresConfig } from './config.ts';

/** The source's words for what OpenMetadata calls a table, in the order of `relkind` r, p, v, m, f. */
export const TABLE_KINDS = ['table', 'partitioned table', 'view', 'materialized view', 'foreign table'] as const;
export type TableKind = (typeof TABLE_KINDS)[number];

/** PostgreSQL has no limit of its own worth the name (3 MB were stored); this one keeps catalogs and dumps of a sane size. */
export const DESCRIPTION_BYTES = 64 * 1024;

/** Comments that share one transaction, and the length of their statements in UTF-16 units, at the most. */
export const COMMENTS_PER_TRANSACTION = 500;
export const TRANSACTION_LENGTH = 1024 * 1024;

const described = { aspect: 'description', set: true, clear: true, provenOn: 'real' } as const;
// An object always has an owner: it can be given to somebody else, not taken away.
const owned = { aspect: 'owners', set: true, clear: false, provenOn: 'real' } as const;

export const postgresSpec: ConnectorSpec<PostgresConfig> = {
  name: 'postgres',
  serviceTypes: ['Postgres'],
  sink: false,
  config: postgresConfig,
  dialect: postgresDialect,
  abilities: [
    { ...described, level: 'database', kinds: ['database'] },
    { ...described, level: 'schema', kinds: ['schema'] },
    { ...described, level: 'table', kinds: TABLE_KINDS },
    { ...described, level: 'column', kinds: TABLE_KINDS },
    { ...owned, level: 'database', kinds: ['database'] },
    { ...owned, level: 'schema', kinds: ['schema'] },
    { ...owned, level: 'table', kinds: TABLE_KINDS },
  ],
  limits: (['database', 'schema', 'table', 'column'] as const).map((level) => ({
    aspect: 'description',
    level,
    max: DESCRIPTION_BYTES,
    unit: 'bytes',
    source: 'our own limit; PostgreSQL has none',
  })),
  rate: { perSecond: 200, burst: 400, concurrency: 2, batch: COMMENTS_PER_TRANSACTION },
};
