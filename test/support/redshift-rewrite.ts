import { type BackslashMode, RedshiftSyntaxError, type RedshiftToken, redshiftTokens } from './redshift-tokens.ts';

/** What a session of the peer remembers between statements. */
export interface RedshiftSession {
  readonly database: string;
  readonly backslash: BackslashMode;
  /** `enable_case_sensitive_identifier`; off at first. */
  caseSensitive: boolean;
}

/** Names of pg_catalog that are answered from the schema of `redshift-catalog.sql`. */
const SHIMMED: ReadonlySet<string> = new Set([
  'svv_external_schemas',
  'svv_external_tables',
  'svv_external_columns',
  'svv_redshift_databases',
  'pg_description',
  'pg_get_late_binding_view_cols',
  'pg_get_viewdef',
  'version',
]);

/** The other names of pg_catalog that Redshift's leader node has and the connector may use. */
const NATIVE: ReadonlySet<string> = new Set([
  'pg_attribute',
  'pg_class',
  'pg_database',
  'pg_namespace',
  'pg_user',
  'count',
  'current_database',
  'has_schema_privilege',
  'pg_get_userbyid',
  'substr',
]);

/** What PostgreSQL got after 8.0, and Redshift never. */
const UNKNOWN_WORDS =
  /^(?:lateral|unnest|ordinality|filter|format|string_agg|shobj_description|array|do|security|materialized)$/;
const SETTINGS: Readonly<Record<string, RegExp>> = {
  enable_case_sensitive_identifier: /^(?:true|false|on|off)$/,
  statement_timeout: /^\d+$/,
  query_group: /^.*$/s,
  search_path: /^.*$/s,
};
const COMMENTABLE: ReadonlySet<string> = new Set(['table', 'view', 'column', 'schema', 'database', 'constraint']);

/** The text as PostgreSQL has to get it, so that it does what Redshift would do; what Redshift refuses becomes that error. */
export function rewriteForPostgres(sql: string, session: RedshiftSession): string {
  try {
    const statements = split(redshiftTokens(sql, session.backslash));
    return statements.map((tokens) => rewriteOne(tokens, session)).join('; ');
  } catch (error) {
    if (error instanceof RedshiftSyntaxError) return raise('EXCEPTION', error.code, error.message);
    throw error;
  }
}

/** A statement that does nothing but report. In a transaction, an exception ends it as any other error does. */
export function raise(level: 'EXCEPTION' | 'WARNING', code: string, message: string): string {
  return `DO $report$ BEGIN RAISE ${level} USING ERRCODE = '${code}', MESSAGE = ${literal(message.replaceAll('$', ''))}; END $report$`;
}

function split(tokens: readonly RedshiftToken[]): readonly (readonly RedshiftToken[])[] {
  const statements: RedshiftToken[][] = [[]];
  for (const token of tokens) {
    if (token.kind === 'symbol' && token.text === ';') statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}

function rewriteOne(tokens: readonly RedshiftToken[], session: RedshiftSession): string {
  refuseUnknown(tokens);
  const [first, second, third] = tokens.map(({ text }) => text);
  if (first === 'savepoint' || first === 'release' || (first === 'rollback' && second === 'to')) {
    throw new RedshiftSyntaxError(`SQL command "${first}" not supported.`, '0A000');
  }
  if (first === 'set') return rewriteSet(tokens, session);
  if (first === 'comment') return rewriteComment(tokens, session);
  if (first === 'alter' && second !== undefined && !['table', 'schema', 'database', 'user'].includes(second)) {
    throw new RedshiftSyntaxError(`syntax error at or near "${second}"`);
  }
  // What CREATEUSER gave in 8.0, and still gives in Redshift.
  if (first === 'alter' && second === 'user') {
    return emit(
      tokens.map((token) =>
        token.kind === 'word' && token.text === 'createuser' ? { ...token, text: 'superuser' } : token,
      ),
      session,
    );
  }
  if (first === 'show' && third === undefined) throw new RedshiftSyntaxError('SHOW is not part of this peer', '0A000');
  return emit(tokens, session);
}

function refuseUnknown(tokens: readonly RedshiftToken[]): void {
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    const isUnknown = token.kind === 'word' && UNKNOWN_WORDS.test(token.text);
    const isArray = token.kind === 'symbol' && /^[[\]]$/.test(token.text);
    if (isUnknown || isArray) throw new RedshiftSyntaxError(`syntax error at or near "${token.text}"`);
    if (token.kind === 'word' && next?.kind === 'string' && next.glued && /^(?:e|n|u|x|b)$/.test(token.text)) {
      throw new RedshiftSyntaxError(`syntax error at or near "${next.text}"`);
    }
  }
}

function rewriteSet(tokens: readonly RedshiftToken[], session: RedshiftSession): string {
  const [, name, equals, value] = tokens;
  const setting = name?.text ?? '';
  const allowed = SETTINGS[setting];
  if (allowed === undefined)
    throw new RedshiftSyntaxError(`unrecognized configuration parameter "${setting}"`, '42704');
  if (!['to', '='].includes(equals?.text ?? '') || !allowed.test(value?.text ?? '')) {
    throw new RedshiftSyntaxError(`invalid value for parameter "${setting}"`, '22023');
  }
  if (setting !== 'enable_case_sensitive_identifier') return emit(tokens, session);
  session.caseSensitive = /^(?:true|on)$/.test(value?.text ?? '');
  return `SET redshift.${setting} TO '${value?.text}'`;
}

function rewriteComment(tokens: readonly RedshiftToken[], session: RedshiftSession): string {
  const [, on, kind, name] = tokens;
  if (on?.text !== 'on' || !COMMENTABLE.has(kind?.text ?? '')) {
    throw new RedshiftSyntaxError(`syntax error at or near "${kind?.text ?? ''}"`);
  }
  const database = kind?.text === 'database' ? nameOf(name, session) : session.database;
  if (database === session.database) return emit(tokens, session);
  const exists = `EXISTS (SELECT FROM pg_database WHERE datname = ${literal(database)})`;
  return [
    `DO $report$ BEGIN IF ${exists}`,
    `THEN RAISE WARNING USING ERRCODE = '0A000', MESSAGE = 'database comments may only be applied to the current database';`,
    `ELSE RAISE WARNING USING ERRCODE = '3D000', MESSAGE = 'database does not exist'; END IF; END $report$`,
  ].join(' ');
}

function emit(tokens: readonly RedshiftToken[], session: RedshiftSession): string {
  return tokens
    .map((token, index) => {
      if (token.kind === 'string') return literal(token.text);
      if (token.kind === 'name') return identifier(nameOf(token, session));
      const isCatalog = token.kind === 'word' && token.text === 'pg_catalog' && tokens[index + 1]?.text === '.';
      if (!isCatalog) return token.text;
      const name = tokens[index + 2]?.text ?? '';
      if (!SHIMMED.has(name) && !NATIVE.has(name)) {
        throw new RedshiftSyntaxError(`relation or function "${name}" does not exist`, '42P01');
      }
      return SHIMMED.has(name) ? 'redshift_catalog' : token.text;
    })
    .join(' ');
}

function nameOf(token: RedshiftToken | undefined, session: RedshiftSession): string {
  const text = token?.text ?? '';
  return token?.kind === 'name' && !session.caseSensitive ? text.toLowerCase() : text;
}

function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
