import type { PostgresSource } from './postgres-source.ts';

/** When texts were committed, as PostgreSQL itself notes it; the same for whoever writes. */
export interface CommitLog {
  empty(): Promise<void>;
  /** Text → epoch milliseconds of the commit that first wrote it (the time at which the commit record is made, before its flush). */
  commits(): Promise<ReadonlyMap<string, number>>;
}

/** The server has to run with this. */
export const COMMIT_LOG_SETTINGS = { track_commit_timestamp: 'on' } as const;

const CREATE = `
CREATE SCHEMA bench_log;
CREATE UNLOGGED TABLE bench_log.texts (text text);
CREATE FUNCTION bench_log.note() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO bench_log.texts SELECT obj_description(objid, 'pg_class') FROM pg_event_trigger_ddl_commands();
END $$;
CREATE EVENT TRIGGER bench_note ON ddl_command_end WHEN TAG IN ('COMMENT') EXECUTE FUNCTION bench_log.note();`;

/** Has every COMMENT leave its text in a table, within the same transaction. */
export async function openCommitLog(source: PostgresSource): Promise<CommitLog> {
  await source.query(CREATE);
  return {
    empty: async () => {
      await source.query('TRUNCATE bench_log.texts');
    },
    commits: async () => {
      const rows = await source.query<{ text: string; at: number }>(
        'SELECT text, min(extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS at FROM bench_log.texts GROUP BY text',
      );
      return new Map(rows.map(({ text, at }) => [text, at]));
    },
  };
}
