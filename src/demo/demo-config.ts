import { commentedExamples } from './example-config.ts';
import type { MariadbServer } from './mariadb-server.ts';
import type { PostgresServer } from './postgres-server.ts';

/** The configuration that the demo runs with, as a person would write it; passwords come from the environment. */
export function demoConfig(postgres: PostgresServer, mariadb: MariadbServer | undefined): string {
  return `targets:
  - service: pg_sales
    connection:
      type: Postgres
      hostPort: ${postgres.host}:${postgres.port}
      username: ${postgres.user}
      authType: { password: "\${BACKFLOW_DEMO_POSTGRES_PASSWORD}" }
      database: shop
${
  mariadb === undefined
    ? ''
    : `  - service: mariadb_crm
    connection:
      type: Mysql
      hostPort: ${mariadb.host}:${mariadb.port}
      username: ${mariadb.user}
      authType: { password: "\${BACKFLOW_DEMO_MARIADB_PASSWORD}" }
`
}channels:
  # Assets with the tag PII.Sensitive have a channel of their own, which comes first.
  - name: sensitive-descriptions
    priority: 10
    filter: { some: [ { var: tags }, { "==": [ { var: tagFQN }, PII.Sensitive ] } ] }
    update: { descriptions: true, tags: true, owners: false }
  # A template adds to what stands in the catalogue.
  - name: reports
    priority: 5
    include: [ "pg_sales.shop.reports.**" ]
    update: { descriptions: true, tags: false, owners: false }
    levels: [ table ]
    template: COMMENT ON TABLE "{schema}"."{table}" IS '{description} (documented in the catalogue)'
  # Everything else of the two services.
  - name: documentation
    filter: { in: [ { var: service.name }, [ pg_sales, mariadb_crm ] ] }
    update: { descriptions: true, tags: false, owners: true }
owners:
  map: { ana: sales_steward }
${commentedExamples()}`;
}
