import type { ConnectorSpec } from '../contract.ts';
import { trinoDialect } from '../dialect/trino-dialect.ts';
import { type TrinoConfig, trinoConfig } from './config.ts';

/** Far below `query.max-length` (1,000,000 characters by default), also when every character is a quote. */
export const DESCRIPTION_BYTES = 64 * 1024;

const described = { aspect: 'description', set: true, clear: true, provenOn: 'real' } as const;
// An owner can only be exchanged for another one.
const owned = { aspect: 'owners', set: true, clear: false, provenOn: 'real' } as const;

/** Trino. What OpenMetadata calls a database is a catalog; what its connector lacks is found at the first write and remembered. */
export const trinoSpec: ConnectorSpec<TrinoConfig> = {
  name: 'trino',
  serviceTypes: ['Trino'],
  sink: false,
  config: trinoConfig,
  dialect: trinoDialect,
  abilities: [
    { ...described, level: 'table', kinds: ['table', 'view'] },
    { ...described, level: 'column', kinds: ['table', 'view', 'materialized view'] },
    { ...owned, level: 'schema', kinds: ['schema'] },
    { ...owned, level: 'table', kinds: ['table', 'view'] },
  ],
  limits: (['table', 'column'] as const).map((level) => ({
    aspect: 'description',
    level,
    max: DESCRIPTION_BYTES,
    unit: 'bytes',
    source:
      'our own limit, so that a statement stays below query.max-length (1,000,000); the systems behind may have lower ones',
  })),
  rate: { perSecond: 5, burst: 20, concurrency: 2, batch: 50 },
  optIn: 'BACKFLOW_TEST_TRINO_URL',
};
