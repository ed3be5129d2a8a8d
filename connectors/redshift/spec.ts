import type { ConnectorSpec } from '../contract.ts';
import { redshiftDialect } from '../dialect/redshift-dialect.ts';
import { type RedshiftConfig, redshiftConfig } from './config.ts';

/** What Redshift lets anybody comment on, of what OpenMetadata calls a table. */
export const TABLE_KINDS = ['table', 'view', 'late-binding view', 'materialized view'] as const;
export type TableKind = (typeof TABLE_KINDS)[number];

/** Kinds whose columns are in the catalog, so that they can hold a comment. */
export const COLUMN_KINDS = ['table', 'view', 'materialized view'] as const satisfies readonly TableKind[];

/** Kinds for which a change of owner is documented. */
export const OWNED_KINDS = ['table', 'view', 'late-binding view'] as const satisfies readonly TableKind[];

/** What a VARCHAR holds at the most; a longer comment could not be read back. */
export const DESCRIPTION_BYTES = 65_535;

/** Comments that share one transaction at the most: a statement takes 50–500 ms, and others wait for what it holds. */
export const COMMENTS_PER_TRANSACTION = 50;

const described = { aspect: 'description', set: true, clear: true, provenOn: 'fake' } as const;
// An object always has an owner: it can be given to somebody else, not taken away.
const owned = { aspect: 'owners', set: true, clear: false, provenOn: 'fake' } as const;

export const redshiftSpec: ConnectorSpec<RedshiftConfig> = {
  name: 'redshift',
  serviceTypes: ['Redshift'],
  sink: false,
  config: redshiftConfig,
  dialect: redshiftDialect,
  abilities: [
    { ...described, level: 'database', kinds: ['database'] },
    { ...described, level: 'schema', kinds: ['schema'] },
    { ...described, level: 'table', kinds: TABLE_KINDS },
    { ...described, level: 'column', kinds: COLUMN_KINDS },
    { ...owned, level: 'database', kinds: ['database'] },
    { ...owned, level: 'schema', kinds: ['schema'] },
    { ...owned, level: 'table', kinds: OWNED_KINDS },
  ],
  limits: (['database', 'schema', 'table', 'column'] as const).map((level) => ({
    aspect: 'description',
    level,
    max: DESCRIPTION_BYTES,
    unit: 'bytes',
    source: 'our own limit: the longest VARCHAR of Redshift, so that every comment can be read back',
  })),
  rate: { perSecond: 2, burst: 20, concurrency: 1, batch: COMMENTS_PER_TRANSACTION },
  optIn: 'BACKFLOW_TEST_REDSHIFT_URL',
};
