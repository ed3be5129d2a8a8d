import { createPool, escape as escapeLiteral } from 'mysql2/promise';
import type { Entity, Writer } from './writer.ts';

/** What an ALTER TABLE has to change: the table's comment, or each column that the event carries. */
const changes = ({ description, columns }: Entity): string[] =>
  columns.length === 0
    ? [`COMMENT ${escapeLiteral(description ?? '')}`]
    : columns.map(
        (column) =>
          `MODIFY COLUMN ${column.name} ${column.dataType} COMMENT ${escapeLiteral(column.description ?? '')}`,
      );

export function mariadbWriter(url: string): Writer {
  const pool = createPool({ uri: url, connectionLimit: 8 });
  return {
    one: async (entity) => {
      for (const change of changes(entity)) await pool.query(`ALTER TABLE \`${entity.name}\` ${change}`);
    },
    many: async (entities) => {
      // DDL commits by itself; over several connections the commits share their flushes.
      await Promise.all(
        entities.map((entity) => pool.query(`ALTER TABLE \`${entity.name}\` ${changes(entity).join(', ')}`)),
      );
    },
  };
}
