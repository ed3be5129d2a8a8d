import { createClient } from '@clickhouse/client';
import type { Entity, Writer } from './writer.ts';

const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

export function clickhouseWriter(url: string): Writer {
  const { origin, username, password, pathname } = new URL(url);
  const client = createClient({ url: origin, username, password, max_open_connections: 8 });
  const write = async ({ name, description = '' }: Entity): Promise<void> => {
    await client.command({ query: `ALTER TABLE ${pathname.slice(1)}.${name} MODIFY COMMENT ${quote(description)}` });
  };
  return {
    one: write,
    many: async (entities) => {
      // One statement a request is all that ClickHouse takes.
      await Promise.all(entities.map(write));
    },
  };
}
