import pg from 'pg';
import type { Entity, Writer } from './writer.ts';

const statement = ({ name, description = '' }: Entity): string =>
  `COMMENT ON TABLE "${name}" IS ${pg.escapeLiteral(description).trimStart()}`;

export function postgresWriter(url: string): Writer {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  // Without this a cut session would end the process.
  pool.on('error', () => undefined);
  return {
    one: async (entity) => {
      await pool.query(statement(entity));
    },
    many: async (entities) => {
      let wanted = entities;
      for (let left = 20; wanted.length > 0; left -= 1) {
        try {
          await pool.query(wanted.map(statement).join(';'));
          return;
        } catch (error) {
          if (left === 0) throw error;
          if (error instanceof pg.DatabaseError && error.code === '42P01') wanted = await existing(pool, wanted);
        }
      }
    },
  };
}

async function existing(pool: pg.Pool, entities: readonly Entity[]): Promise<readonly Entity[]> {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) name WHERE to_regclass(quote_ident(name)) IS NOT NULL',
    [entities.map(({ name }) => name)],
  );
  const names = new Set(rows.map(({ name }) => name));
  return entities.filter(({ name }) => names.has(name));
}
