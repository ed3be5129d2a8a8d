import type { PlannedWrite, PlanOptions, SourceObject } from '../../connectors/contract.ts';
import { postgresConnector } from '../../connectors/postgres/connector.ts';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';

/** A table of the sample database, schema `app`, unless said otherwise. */
export function table(name: string, schema = 'app', database = 'shop'): ObjectRef {
  return { level: 'table', entityType: 'table', fqn: name, service: 'pg_sales', database, schema, table: name };
}

export function database(name: string): ObjectRef {
  return { level: 'database', entityType: 'database', fqn: name, service: 'pg_sales', database: name };
}

export function describeAs(object: ObjectRef, text: string): Operation {
  return { aspect: 'description', object, text };
}

let ids = 0;
/** A write planned by the connector itself; one that it refuses is a mistake of the test. */
export function planned(operation: Operation, source: SourceObject, options: PlanOptions = {}): PlannedWrite {
  const plan = postgresConnector.plan(operation, source, options);
  if (!plan.ok) throw new Error(`refused: ${plan.error.failure.code}`);
  ids += 1;
  return { id: `w${ids}`, operation, plan: plan.value, options, source };
}
