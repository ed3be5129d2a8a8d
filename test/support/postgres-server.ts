export { type PostgresServer, type PostgresServerOptions, startPostgres } from '../../src/demo/postgres-server.ts';
