import type { Json } from '../../src/domain/json.ts';
import { isJsonObject } from '../../src/domain/json.ts';
import {
  MYSQL_NAME_PLACES,
  MYSQL_TEXT_PLACES,
  POSTGRES_NAME_PLACES,
  POSTGRES_TEXT_PLACES,
  type TestPlace,
} from './hostile-text.ts';
import { mysqlTokens } from './mysql-tokens.ts';
import { postgresParser, shapeOf, textsOf } from './postgres-syntax.ts';
import { MYSQL_NOISE, type NoiseTable, POSTGRES_NOISE } from './template-noise.ts';

/** A statement as something other than our own lexer reads it. */
export interface Reading {
  /** What kind of thing stands where, without texts. */
  readonly shape: Json;
  /** Names and literals in order. */
  readonly texts: readonly string[];
}

/** Reads what was rendered without any of our code, to say whether it means what it should. */
export interface QuotingOracle {
  readonly textPlaces: readonly TestPlace[];
  readonly namePlaces: readonly TestPlace[];
  readonly noise: NoiseTable;
  /** A statement that sets a comment, with the fragment as the comment. */
  textTemplate(fragment: string): string;
  /** A statement that sets the comment of a table, with the fragment as the table's name. */
  nameTemplate(fragment: string): string;
  /** The comment that exactly one statement of that form sets; throws for anything else. */
  readText(sql: string): string;
  /** The table that exactly one statement of that form names; throws for anything else. */
  readName(sql: string): string;
  /** Undefined: not a single well-formed statement. */
  read(sql: string): Reading | undefined;
}

/** PostgreSQL's own parser as the judge. */
export async function postgresOracle(): Promise<QuotingOracle> {
  const parse = await postgresParser();
  const single = (sql: string): Json | undefined => {
    const statements = parse(sql);
    return statements?.length === 1 ? statements[0] : undefined;
  };
  const comment = (sql: string): { readonly object: readonly string[]; readonly text: string } => {
    const tree = single(sql);
    const statement = isJsonObject(tree) ? tree.CommentStmt : undefined;
    if (!isJsonObject(statement) || statement.objtype !== 'OBJECT_TABLE' || typeof statement.comment !== 'string') {
      throw new Error(`not one comment on a table: ${sql}`);
    }
    return { object: textsOf(statement.object ?? null), text: statement.comment };
  };
  return {
    textPlaces: POSTGRES_TEXT_PLACES,
    namePlaces: POSTGRES_NAME_PLACES,
    noise: POSTGRES_NOISE,
    textTemplate: (fragment) => `COMMENT ON TABLE "s"."t" IS ${fragment}`,
    nameTemplate: (fragment) => `COMMENT ON TABLE "s".${fragment} IS 'fixed'`,
    readText(sql) {
      const { object, text } = comment(sql);
      if (object.join() !== 's,t') throw new Error(`another object: ${sql}`);
      return text;
    },
    readName(sql) {
      const { object, text } = comment(sql);
      const [schema, table] = object;
      if (object.length !== 2 || schema !== 's' || table === undefined || text !== 'fixed') {
        throw new Error(`another statement: ${sql}`);
      }
      return table;
    },
    read(sql) {
      const tree = single(sql);
      return tree === undefined ? undefined : { shape: shapeOf(tree), texts: textsOf(tree) };
    },
  };
}

/** A strict reader by MySQL's manual as the judge. */
export function mysqlOracle(): QuotingOracle {
  const form = (sql: string): readonly [name: string, text: string] => {
    const tokens = mysqlTokens(sql, 'refuse');
    const [name, text] = [tokens[4], tokens[7]];
    const kinds = tokens.map((token) => (token.kind === 'word' || token.kind === 'symbol' ? token.text : token.kind));
    if (kinds.join(' ') !== 'ALTER TABLE name . name COMMENT = string' || tokens[2]?.text !== 's') {
      throw new Error(`not one comment on a table: ${sql}`);
    }
    return [name?.text ?? '', text?.text ?? ''];
  };
  return {
    textPlaces: MYSQL_TEXT_PLACES,
    namePlaces: MYSQL_NAME_PLACES,
    noise: MYSQL_NOISE,
    textTemplate: (fragment) => `ALTER TABLE \`s\`.\`t\` COMMENT = ${fragment}`,
    nameTemplate: (fragment) => `ALTER TABLE \`s\`.${fragment} COMMENT = 'fixed'`,
    readText(sql) {
      const [name, text] = form(sql);
      if (name !== 't') throw new Error(`another object: ${sql}`);
      return text;
    },
    readName(sql) {
      const [name, text] = form(sql);
      if (text !== 'fixed') throw new Error(`another comment: ${sql}`);
      return name;
    },
    read(sql) {
      try {
        const tokens = mysqlTokens(sql, 'skip');
        const isText = (kind: string): boolean => kind === 'string' || kind === 'name';
        return {
          shape: tokens.map((token) => (isText(token.kind) ? token.kind : token.text)),
          texts: tokens.filter((token) => isText(token.kind)).map((token) => token.text),
        };
      } catch (error) {
        if (error instanceof Error) return undefined;
        throw error;
      }
    },
  };
}
