import type { ConnectorSpec } from '../contract.ts';
import { clickhouseDialect } from '../dialect/clickhouse-dialect.ts';
import { type ClickhouseConfig, clickhouseConfig } from './config.ts';

/** Half of what fits: every byte of a text may need a backslash, and a statement may have 262,144 bytes. */
export const DESCRIPTION_BYTES = 64 * 1024;

/** Operations in one batch at the most: one query reads them, and one ALTER serves the columns of a table. */
const BATCH = 100;

const described = { aspect: 'description', set: true, clear: true, provenOn: 'real' } as const;

/** ClickHouse. What OpenMetadata calls a schema is a database here; its "database" is only a name for the whole server. */
export const clickhouseSpec: ConnectorSpec<ClickhouseConfig> = {
  name: 'clickhouse',
  serviceTypes: ['Clickhouse'],
  sink: false,
  config: clickhouseConfig,
  dialect: clickhouseDialect,
  abilities: [
    { ...described, level: 'schema', kinds: ['database'] },
    { ...described, level: 'table', kinds: ['table', 'view', 'materialized view', 'dictionary'] },
    // Not of dictionaries, which refuse it, nor of materialized views that store their rows themselves, which accept it and lose it.
    { ...described, level: 'column', kinds: ['table', 'view', 'materialized view'] },
  ],
  limits: (['schema', 'table', 'column'] as const).map((level) => ({
    aspect: 'description',
    level,
    max: DESCRIPTION_BYTES,
    unit: 'bytes',
    source:
      'our own limit, so that a statement stays below max_query_size (262,144 bytes by default); comments have none',
  })),
  rate: { perSecond: 10, burst: 50, concurrency: 2, batch: BATCH },
};
