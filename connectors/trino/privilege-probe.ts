import { ConnectorError } from '../connector-error.ts';
import type { StatementClient } from './client/statement-client.ts';

/** `unknown`: something else stood in the way before the server came to its answer. */
export type Permission = 'allowed' | 'denied' | 'unknown';

/**
 * Whether the account may run a statement, found out without running it: in a read-only transaction Trino asks its access control first,
 * and then refuses to write (READ_ONLY_VIOLATION) before the connector hears of it. Throws only what concerns the whole target.
 */
export async function permissionFor(client: StatementClient, statement: string): Promise<Permission> {
  const state = client.newState();
  if (!(await ran(client.run('START TRANSACTION READ ONLY', { state })))) return 'unknown';
  // Without a transaction the statement would count.
  if (state.transaction === undefined) return 'unknown';
  try {
    await client.run(statement, { state });
    return 'allowed';
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.scope === 'target') throw error;
    if (error.code === 'READ_ONLY_VIOLATION') return 'allowed';
    return error.code === 'PERMISSION_DENIED' ? 'denied' : 'unknown';
  } finally {
    // To enable a role would be a command in a transaction that has failed.
    state.roles.clear();
    await ran(client.run('ROLLBACK', { state }));
  }
}

async function ran(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof ConnectorError && error.scope === 'object') return false;
    throw error;
  }
}
