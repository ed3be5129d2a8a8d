import { OracleFault } from './oracle-fault.ts';
import { identifier, type OracleToken, oracleTokens } from './oracle-tokens.ts';

/** What the model of the database understands; names as the dictionary has them. */
export type OracleStatement =
  | {
      readonly kind: 'comment';
      readonly on: 'TABLE' | 'MATERIALIZED VIEW' | 'COLUMN';
      readonly names: readonly string[];
      readonly text: string;
    }
  | {
      readonly kind: 'annotate';
      readonly on: 'TABLE' | 'VIEW' | 'MATERIALIZED VIEW';
      readonly names: readonly string[];
      readonly column?: string;
      readonly changes: readonly AnnotationChange[];
    }
  | { readonly kind: 'alter session'; readonly settings: ReadonlyMap<string, string> }
  | { readonly kind: 'kill'; readonly session: string }
  | {
      readonly kind: 'insert';
      readonly names: readonly string[];
      readonly values: readonly string[];
    }
  | { readonly kind: 'commit' }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'select'; readonly branches: readonly SelectBranch[] };

export interface AnnotationChange {
  readonly action: 'add' | 'add if not exists' | 'add or replace' | 'drop' | 'drop if exists' | 'replace';
  readonly name: string;
  readonly value?: string;
}

/** One SELECT of a UNION ALL. */
export interface SelectBranch {
  readonly items: readonly { readonly value: SelectValue; readonly alias?: string }[];
  readonly from: string;
  readonly where: readonly Condition[];
}

export type SelectValue =
  | { readonly kind: 'column' | 'literal' | 'bind'; readonly text: string }
  | { readonly kind: 'null' }
  | { readonly kind: 'call'; readonly name: string; readonly values: readonly string[] };

export type Condition =
  | { readonly kind: 'in'; readonly left: readonly SelectValue[]; readonly rows: readonly (readonly SelectValue[])[] }
  | {
      readonly kind: 'compare';
      readonly left: SelectValue;
      readonly operator: '=' | '<>' | 'LIKE';
      readonly right: SelectValue;
    }
  | { readonly kind: 'is null'; readonly left: SelectValue };

/**
 * Parses one statement strictly, by the grammar of the SQL Language Reference, as far as the connector and its tests need it.
 * Throws `OracleFault` with the engine's number for everything else.
 */
export function parseOracle(sql: string, bytes?: (text: string) => number): OracleStatement {
  const parser = new Parser(oracleTokens(sql, bytes));
  const statement = parser.statement();
  parser.end();
  return statement;
}

class Parser {
  readonly #tokens: readonly OracleToken[];
  #at = 0;

  constructor(tokens: readonly OracleToken[]) {
    this.#tokens = tokens;
  }

  statement(): OracleStatement {
    if (this.#words('COMMENT', 'ON')) return this.#comment();
    if (this.#words('ALTER', 'SESSION', 'SET')) return this.#alterSession();
    if (this.#words('ALTER', 'SYSTEM', 'KILL', 'SESSION')) {
      const session = this.#string();
      this.#word('IMMEDIATE');
      return { kind: 'kill', session };
    }
    for (const on of ['TABLE', 'VIEW', 'MATERIALIZED VIEW'] as const) {
      if (this.#words('ALTER', ...on.split(' '))) return this.#annotate(on);
    }
    if (this.#words('INSERT', 'INTO')) return this.#insert();
    if (this.#word('COMMIT')) return { kind: 'commit' };
    if (this.#word('ROLLBACK')) return { kind: 'rollback' };
    if (this.#isWord('SELECT')) return this.#select();
    throw new OracleFault(900, 'invalid SQL statement');
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw new OracleFault(933, 'SQL command not properly ended');
  }

  #comment(): OracleStatement {
    const on = this.#word('TABLE')
      ? 'TABLE'
      : this.#word('COLUMN')
        ? 'COLUMN'
        : this.#words('MATERIALIZED', 'VIEW')
          ? 'MATERIALIZED VIEW'
          : undefined;
    if (on === undefined) throw new OracleFault(969, 'missing ON keyword');
    const names = this.#path(on === 'COLUMN' ? 3 : 2);
    if (!this.#word('IS')) throw new OracleFault(1780, 'string literal required');
    const token = this.#next();
    if (token.kind !== 'string' && token.kind !== 'national') throw new OracleFault(1780, 'string literal required');
    return { kind: 'comment', on, names, text: token.text };
  }

  #annotate(on: 'TABLE' | 'VIEW' | 'MATERIALIZED VIEW'): OracleStatement {
    const names = this.#path(2);
    if (on === 'TABLE' && this.#word('MODIFY')) {
      const inList = this.#symbol('(');
      const column = this.#name();
      const changes = this.#annotations();
      if (inList) this.#expect(')');
      return { kind: 'annotate', on, names, column, changes };
    }
    return { kind: 'annotate', on, names, changes: this.#annotations() };
  }

  #annotations(): readonly AnnotationChange[] {
    if (!this.#word('ANNOTATIONS')) throw new OracleFault(1735, 'invalid ALTER TABLE option');
    this.#expect('(');
    const changes: AnnotationChange[] = [];
    do changes.push(this.#annotation());
    while (this.#symbol(','));
    this.#expect(')');
    const names = changes.map(({ name }) => name);
    if (new Set(names).size < names.length)
      throw new OracleFault(11602, 'cannot combine operations for the same annotation');
    return changes;
  }

  #annotation(): AnnotationChange {
    let action: AnnotationChange['action'] = 'add';
    if (this.#word('ADD')) {
      if (this.#words('IF', 'NOT', 'EXISTS')) action = 'add if not exists';
      else if (this.#words('OR', 'REPLACE')) action = 'add or replace';
    } else if (this.#word('DROP')) action = this.#words('IF', 'EXISTS') ? 'drop if exists' : 'drop';
    else if (this.#word('REPLACE')) action = 'replace';
    const token = this.#next();
    if (token.kind !== 'word' && token.kind !== 'name') throw new OracleFault(11548, 'invalid annotation name');
    if (Buffer.byteLength(token.text, 'utf8') > 1024) throw new OracleFault(972, 'identifier is too long');
    const value = this.#peek();
    if (value?.kind !== 'string') return { action, name: token.text };
    this.#at += 1;
    if (action.startsWith('drop') || value.text === '') throw new OracleFault(11549, 'invalid annotation value');
    return { action, name: token.text, value: value.text };
  }

  #alterSession(): OracleStatement {
    const settings = new Map<string, string>();
    while (this.#peek() !== undefined) {
      const name = this.#next();
      this.#expect('=');
      const value = this.#next();
      if (name.kind !== 'word' || value.kind === 'symbol')
        throw new OracleFault(2248, 'invalid option for ALTER SESSION');
      settings.set(name.text, value.text);
    }
    if (settings.size === 0) throw new OracleFault(2248, 'invalid option for ALTER SESSION');
    return { kind: 'alter session', settings };
  }

  #insert(): OracleStatement {
    const names = this.#path(2);
    if (!this.#word('VALUES')) throw new OracleFault(926, 'missing VALUES keyword');
    this.#expect('(');
    const values: string[] = [];
    do values.push(this.#string());
    while (this.#symbol(','));
    this.#expect(')');
    return { kind: 'insert', names, values };
  }

  #select(): OracleStatement {
    const branches: SelectBranch[] = [];
    do branches.push(this.#branch());
    while (this.#words('UNION', 'ALL'));
    const widths = new Set(branches.map(({ items }) => items.length));
    if (widths.size > 1) throw new OracleFault(1789, 'query block has incorrect number of result columns');
    return { kind: 'select', branches };
  }

  #branch(): SelectBranch {
    if (!this.#word('SELECT')) throw new OracleFault(928, 'missing SELECT keyword');
    const items: { value: SelectValue; alias?: string }[] = [];
    do {
      const value = this.#value();
      items.push(this.#word('AS') ? { value, alias: this.#name() } : { value });
    } while (this.#symbol(','));
    if (!this.#word('FROM')) throw new OracleFault(923, 'FROM keyword not found where expected');
    const from = this.#name();
    const where: Condition[] = [];
    if (this.#word('WHERE')) {
      do where.push(this.#condition());
      while (this.#word('AND'));
    }
    return { items, from, where };
  }

  #condition(): Condition {
    const left = this.#symbol('(') ? this.#list() : [this.#value()];
    if (this.#word('IN')) {
      this.#expect('(');
      const rows: (readonly SelectValue[])[] = [];
      do {
        const row = this.#symbol('(') ? this.#list() : [this.#value()];
        if (row.length !== left.length) throw new OracleFault(913, 'too many values');
        rows.push(row);
      } while (this.#symbol(','));
      this.#expect(')');
      if (rows.length > 1000) throw new OracleFault(1795, 'maximum number of expressions in a list is 1000');
      return { kind: 'in', left, rows };
    }
    const [only, ...more] = left;
    if (only === undefined || more.length > 0) throw new OracleFault(920, 'invalid relational operator');
    if (this.#words('IS', 'NULL')) return { kind: 'is null', left: only };
    for (const operator of ['=', '<>'] as const) {
      if (this.#symbol(operator)) return { kind: 'compare', left: only, operator, right: this.#value() };
    }
    if (this.#word('LIKE')) return { kind: 'compare', left: only, operator: 'LIKE', right: this.#value() };
    throw new OracleFault(920, 'invalid relational operator');
  }

  /** Behind an opening parenthesis. */
  #list(): readonly SelectValue[] {
    const values: SelectValue[] = [];
    do values.push(this.#value());
    while (this.#symbol(','));
    this.#expect(')');
    return values;
  }

  #value(): SelectValue {
    const { kind, text } = this.#next();
    if (kind === 'string' || kind === 'number') return { kind: 'literal', text };
    if (kind === 'bind') return { kind: 'bind', text };
    if (kind === 'word' && text === 'NULL') return { kind: 'null' };
    if (kind === 'word' && this.#symbol('(')) {
      const values: string[] = [];
      do values.push(this.#string());
      while (this.#symbol(','));
      this.#expect(')');
      return { kind: 'call', name: text, values };
    }
    if (kind === 'word' || kind === 'name') return { kind: 'column', text };
    throw new OracleFault(936, 'missing expression');
  }

  #path(length: number): readonly string[] {
    const names = [this.#name()];
    while (this.#symbol('.')) names.push(this.#name());
    if (names.length > length || names.length < length - 1) throw new OracleFault(903, 'invalid table name');
    return names;
  }

  #name(): string {
    const { kind, text } = this.#next();
    if (kind !== 'word' && kind !== 'name') throw new OracleFault(903, 'invalid name');
    return identifier(text);
  }

  #string(): string {
    const { kind, text } = this.#next();
    if (kind !== 'string') throw new OracleFault(1780, 'string literal required');
    return text;
  }

  #peek(offset = 0): OracleToken | undefined {
    return this.#tokens[this.#at + offset];
  }

  #next(): OracleToken {
    const token = this.#peek();
    if (token === undefined) throw new OracleFault(921, 'unexpected end of SQL command');
    this.#at += 1;
    return token;
  }

  #isWord(text: string, offset = 0): boolean {
    const token = this.#peek(offset);
    return token?.kind === 'word' && token.text === text;
  }

  #word(text: string): boolean {
    return this.#words(text);
  }

  #words(...texts: readonly string[]): boolean {
    if (!texts.every((text, offset) => this.#isWord(text, offset))) return false;
    this.#at += texts.length;
    return true;
  }

  #symbol(text: string): boolean {
    const token = this.#peek();
    if (token?.kind !== 'symbol' || token.text !== text) return false;
    this.#at += 1;
    return true;
  }

  #expect(text: string): void {
    if (!this.#symbol(text)) throw new OracleFault(text === ')' ? 907 : 906, `missing ${text}`);
  }
}
