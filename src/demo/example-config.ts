/** One target and one channel of every further system, as a person would begin with them. Secrets stand as references. */
export const EXAMPLE_CONFIG = `targets:
  - service: redshift_sales
    connection:
      type: Redshift
      hostPort: cluster.example.com:5439
      username: backflow
      password: "\${REDSHIFT_PASSWORD}"
      database: dev
  - service: clickhouse_events
    connection:
      type: Clickhouse
      hostPort: clickhouse.example.com:8443
      username: backflow
      password: "\${CLICKHOUSE_PASSWORD}"
      secure: true
  - service: mssql_erp
    connection:
      type: Mssql
      hostPort: mssql.example.com:1433
      username: backflow
      password: "\${MSSQL_PASSWORD}"
      database: erp
  - service: trino_lake
    connection:
      type: Trino
      hostPort: trino.example.com:8443
      username: backflow
      authType: { password: "\${TRINO_PASSWORD}" }
  - service: oracle_hr
    connection:
      type: Oracle
      hostPort: oracle.example.com:1521
      username: backflow
      password: "\${ORACLE_PASSWORD}"
      oracleConnectionType: { oracleServiceName: HR }
channels:
  - name: redshift-descriptions
    filter: { "==": [ { var: service.name }, redshift_sales ] }
    update: { descriptions: true, owners: true }
  - name: clickhouse-descriptions
    filter: { "==": [ { var: service.name }, clickhouse_events ] }
    update: { descriptions: true }
  - name: mssql-descriptions-and-tags
    filter: { "==": [ { var: service.name }, mssql_erp ] }
    update: { descriptions: true, tags: true }
  - name: trino-descriptions
    filter: { "==": [ { var: service.name }, trino_lake ] }
    update: { descriptions: true }
  - name: oracle-descriptions
    filter: { "==": [ { var: service.name }, oracle_hr ] }
    update: { descriptions: true, tags: true }
`;

/** The examples as a comment for the end of a configuration file. */
export function commentedExamples(): string {
  const lines = EXAMPLE_CONFIG.trimEnd()
    .split('\n')
    .map((line) => `# ${line}`);
  return ['', '# The other systems, one target and one channel each:', ...lines, ''].join('\n');
}
