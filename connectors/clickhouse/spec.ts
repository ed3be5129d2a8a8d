import type { ConnectorSpec } from '../contract.ts';
import { clickhouseDialect } from '../dialect/clickhouse-dialect.ts';
import { type ClickhouseConfig, clickhouseConfig } from './config.ts';

/** ClickHouse has no limit for one comment; this one leaves room for several in `DEFINITION_BYTES`, even when quoting doubles them. */
export const DESCRIPTION_BYTES = 32 * 1024;

/**
 * Bytes that the definition of a table may have with all of its comments. The server loads it with `max_query_size` (262,144 by
 * default): what is longer it cannot load again after its next start. Newer servers refuse that (229), older ones accept it.
 */
export const DEFINITION_BYTES = 240_000;

/** Operations in one batch at the most: one query reads them, and one ALTER serves the columns of a table. */
const BATCH = 500;

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
      'our own limit: the definition of a table with all comments has to stay below max_query_size (262,144 bytes)',
  })),
  rate: { perSecond: 10, burst: 50, concurrency: 2, batch: BATCH },
  optIn: 'BACKFLOW_TEST_CLICKHOUSE_URL',
};
