import { loadModule, parseSync } from 'libpg-query';
import { z } from 'zod';
import { isJsonObject, type Json } from '../../src/domain/json.ts';

const tree = z.object({ stmts: z.array(z.object({ stmt: z.json() })) });

/** PostgreSQL's own parser, with standard_conforming_strings on: the trees of a text's statements, or undefined when it is not SQL. */
export type PostgresParser = (sql: string) => readonly Json[] | undefined;

export async function postgresParser(): Promise<PostgresParser> {
  await loadModule();
  return (sql) => {
    let parsed: unknown;
    try {
      parsed = parseSync(sql);
    } catch (error) {
      if (error instanceof Error) return undefined;
      throw error;
    }
    return tree.parse(parsed).stmts.map(({ stmt }) => stmt);
  };
}

/** The tree with every text replaced by a mark and all offsets left out: what kind of thing stands where. */
export function shapeOf(node: Json): Json {
  if (typeof node === 'string') return 'text';
  if (Array.isArray(node)) return node.map(shapeOf);
  if (!isJsonObject(node)) return node;
  const members = Object.entries(node).filter(([key]) => !/^(?:location|.*_location|stmt_len)$/.test(key));
  return Object.fromEntries(members.map(([key, value]) => [key, shapeOf(value ?? null)]));
}

/** All texts of a tree in order: names and literals. */
export function textsOf(node: Json): readonly string[] {
  if (typeof node === 'string') return [node];
  if (Array.isArray(node)) return node.flatMap(textsOf);
  return isJsonObject(node) ? Object.values(node).flatMap((value) => textsOf(value ?? null)) : [];
}
