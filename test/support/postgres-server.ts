export { type PostgresServer, startPostgres } from '../../src/demo/postgres-server.ts';
