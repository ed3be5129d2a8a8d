import type { ConnectorSpec } from '../contract.ts';
import { mssqlDialect } from '../dialect/mssql-dialect.ts';
import { type MssqlConfig, mssqlConfig } from './config.ts';

/** What OpenMetadata calls a table and extended properties can stand on. Indexed views are views. */
export const TABLE_KINDS = ['table', 'view'] as const;
export type TableKind = (typeof TABLE_KINDS)[number];

/** The name that SQL Server Management Studio, dbt and others read and write descriptions under. */
export const DESCRIPTION_PROPERTY = 'MS_Description';
/** Our own naming rule for tags: one extended property per tag key. */
export const TAG_PREFIX = 'tag:';

/** An extended property holds 7,500 bytes (error 15097 beyond), which are so many UTF-16 units. */
export const PROPERTY_UNITS = 3750;

/** Properties that share one transaction at the most: each holds a schema modification lock until the commit. */
export const BATCH = 50;

const described = { aspect: 'description', set: true, clear: true, provenOn: 'fake' } as const;
const tagged = { aspect: 'tags', set: true, clear: true, provenOn: 'fake' } as const;
const owned = { aspect: 'owners', set: true, provenOn: 'fake' } as const;

export const mssqlSpec: ConnectorSpec<MssqlConfig> = {
  name: 'mssql',
  serviceTypes: ['Mssql', 'AzureSQL'],
  sink: false,
  config: mssqlConfig,
  dialect: mssqlDialect,
  abilities: [
    { ...described, level: 'database', kinds: ['database'] },
    { ...described, level: 'schema', kinds: ['schema'] },
    { ...described, level: 'table', kinds: TABLE_KINDS },
    { ...described, level: 'column', kinds: TABLE_KINDS },
    { ...tagged, level: 'database', kinds: ['database'] },
    { ...tagged, level: 'schema', kinds: ['schema'] },
    { ...tagged, level: 'table', kinds: TABLE_KINDS },
    { ...tagged, level: 'column', kinds: TABLE_KINDS },
    { ...owned, level: 'database', kinds: ['database'], clear: false },
    { ...owned, level: 'schema', kinds: ['schema'], clear: false },
    // A table without an owner of its own belongs to whoever owns the schema.
    { ...owned, level: 'table', kinds: TABLE_KINDS, clear: true },
  ],
  limits: (['database', 'schema', 'table', 'column'] as const).map((level) => ({
    aspect: 'description',
    level,
    max: PROPERTY_UNITS,
    unit: 'utf16',
    source: 'SQL Server documentation (sp_addextendedproperty): 7,500 bytes',
  })),
  rate: { perSecond: 20, burst: 100, concurrency: 2, batch: BATCH },
  optIn: 'BACKFLOW_TEST_MSSQL_URL',
};
