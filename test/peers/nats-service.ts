import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createTables, tableComments } from '../support/shop-database.ts';
import type { TestService } from '../support/test-service.ts';
import { descriptionEvent } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

/** A PostgreSQL with so many tables `t0`, `t1`, … in the database `shop`. */
export interface Shop {
  readonly postgres: PostgresServer;
  /** Comments of the tables, by name. */
  comments(): Promise<ReadonlyMap<string, string | null>>;
}

export async function startShop(tables: number): Promise<Shop> {
  const postgres = await startPostgres();
  await createTables(postgres, tables);
  return { postgres, comments: () => tableComments(postgres) };
}

export function edit(table: number, text: string) {
  return descriptionEvent(['pg_sales', 'shop', 'public', `t${table}`], text);
}

/** Posts until it is accepted, as a catalogue behind a retrying proxy would: while NATS elects a leader the answer is 503. */
export async function postUntilAccepted(service: () => TestService, body: string): Promise<void> {
  await until(
    () =>
      service()
        .post(body)
        .then(
          () => true,
          () => false,
        ),
    90_000,
  );
}
