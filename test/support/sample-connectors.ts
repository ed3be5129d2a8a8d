import { z } from 'zod';
import type { ConnectorSpec } from '../../connectors/contract.ts';
import { mysqlDialect } from '../../connectors/dialect/mysql-dialect.ts';
import { postgresDialect } from '../../connectors/dialect/postgres-dialect.ts';
import type { ConnectorLookup } from '../../src/config/compile-target.ts';

const config = z.looseObject({
  hostPort: z.string().regex(/^[^:]+:\d+$/, 'must be host:port'),
  username: z.string().min(1),
  authType: z.union([z.object({ password: z.string() }), z.object({ jwt: z.string().min(3) })]).optional(),
  port: z.number().optional(),
});

const base: Omit<ConnectorSpec, 'name' | 'serviceTypes' | 'dialect'> = {
  sink: false,
  config,
  abilities: [],
  limits: [],
  rate: { perSecond: 50, burst: 100, concurrency: 2, batch: 10 },
};

const specs: readonly ConnectorSpec[] = [
  { ...base, name: 'postgres', serviceTypes: ['Postgres'], dialect: postgresDialect },
  { ...base, name: 'mysql', serviceTypes: ['Mysql', 'MariaDB'], dialect: mysqlDialect },
  { ...base, name: 'ranger', serviceTypes: ['Ranger'], sink: true, dialect: postgresDialect },
];

/** What a configuration is compiled against where no connector is opened. */
export const sampleConnectors: ConnectorLookup = {
  connectorFor: (type) => {
    const spec = specs.find(({ serviceTypes }) => serviceTypes.includes(type));
    return spec === undefined ? undefined : { spec };
  },
  allConnectors: () => specs.map((spec) => ({ spec })),
};
