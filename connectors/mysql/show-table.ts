import { z } from 'zod';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import { ConnectorError } from '../connector-error.ts';
import { mysqlDialect } from '../dialect/mysql-dialect.ts';
import type { Session } from './session.ts';
import { parseCreateTable } from './show-create.ts';
import { TableColumns } from './table-columns.ts';

const createRow = z.object({ 'Create Table': z.string() });

/** What SHOW CREATE TABLE prints of a table, not parsed yet. */
export interface ShownText {
  readonly address: string;
  readonly text: string;
}

/** The text of SHOW CREATE TABLE, or why there is none. A failure of the whole target is thrown. */
export async function showCreateText(session: Session, object: ObjectRef): Promise<Result<ShownText, string>> {
  const schema = mysqlDialect.quoteIdentifier(object.schema ?? '');
  const table = mysqlDialect.quoteIdentifier(object.table ?? '');
  if (!schema.ok || !table.ok) return err('its table has no name that can be quoted');
  const address = `${schema.value}.${table.value}`;
  try {
    const [answer] = await session.rows(`SHOW CREATE TABLE ${address}`, createRow);
    return answer === undefined
      ? err('SHOW CREATE TABLE answered nothing')
      : ok({ address, text: answer['Create Table'] });
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.scope === 'target') throw error;
    return err(`SHOW CREATE TABLE was refused (${error.code}): ${error.failure.message}`);
  }
}

/** The parsed table: the one that the session keeps, when the text is the same, else a new one. The error tells why there is none. */
export function readShown(session: Session, { address, text }: ShownText): Result<TableColumns, string> {
  const known = session.shown.find(address, text);
  if (known !== undefined) return ok(known);
  const create = parseCreateTable(text);
  return create.ok
    ? ok(new TableColumns(create.value, session.server))
    : err(`SHOW CREATE TABLE cannot be read (${create.error})`);
}
