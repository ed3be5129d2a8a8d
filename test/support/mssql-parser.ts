import { type SqlToken, SyntaxProblem, sqlTokens } from './mssql-lexer.ts';
import type { Call, Expression, Join, Select, SelectColumn, Source, Statement } from './mssql-syntax.ts';

/** All statements of a batch; throws `SyntaxProblem` for whatever is not in the known part of the language. */
export function parseBatch(source: string): readonly Statement[] {
  return new Parser(sqlTokens(source)).batch();
}

const SETTINGS = new Set(
  'ansi_nulls ansi_null_dflt_on ansi_padding ansi_warnings arithabort concat_null_yields_null cursor_close_on_commit datefirst dateformat implicit_transactions language numeric_roundabort quoted_identifier textsize xact_abort lock_timeout'.split(
    ' ',
  ),
);
const COMPARISONS = ['=', '<>', '<', '>', '<=', '>='] as const;
const CLASSIFICATION_TEXTS: ReadonlySet<string> = new Set([
  'label',
  'label_id',
  'information_type',
  'information_type_id',
]);
const RANKS: ReadonlySet<string> = new Set(['none', 'low', 'medium', 'high', 'critical']);

class Parser {
  readonly #tokens: readonly SqlToken[];
  #at = 0;

  constructor(tokens: readonly SqlToken[]) {
    this.#tokens = tokens;
  }

  batch(): readonly Statement[] {
    const statements: Statement[] = [];
    for (;;) {
      while (this.#accept(';')) {}
      if (this.#peek().kind === 'end') return statements;
      statements.push(this.#statement());
    }
  }

  #statement(): Statement {
    if (this.#word('set')) return this.#set();
    if (this.#word('select')) return this.#select();
    if (this.#word('exec') || this.#word('execute')) return this.#call();
    if (this.#word('kill')) return { kind: 'kill', session: Number(this.#take('number').text) };
    if (this.#word('alter')) return this.#authorization();
    if (this.#word('add')) return this.#classify();
    if (this.#word('drop')) {
      this.#words('sensitivity', 'classification', 'from');
      return { kind: 'declassify', column: this.#path(3) };
    }
    return this.#fail();
  }

  #set(): Statement {
    if (this.#word('transaction')) {
      this.#words('isolation', 'level', 'read', 'committed');
      return { kind: 'set', setting: 'transaction isolation level', value: 'read committed' };
    }
    const setting = this.#take('word').text;
    if (!SETTINGS.has(setting)) this.#fail();
    const negative = this.#accept('-') ? '-' : '';
    const value = this.#next();
    if (value.kind !== 'word' && value.kind !== 'number') this.#fail();
    return { kind: 'set', setting, value: negative + value.text };
  }

  #call(): Call {
    const procedure = this.#path(2).join('.');
    const args: Call['args'][number][] = [];
    do {
      const name = this.#take('variable').text;
      this.#symbol('=');
      // An argument is a constant, a variable or a name that stands for itself, never an expression.
      const token = this.#next();
      if (token.kind === 'text' || token.kind === 'name')
        args.push({ name, value: { kind: 'text', value: token.text } });
      else if (token.kind === 'variable') args.push({ name, value: { kind: 'variable', name: token.text } });
      else if (token.kind === 'word' && token.text === 'null') args.push({ name, value: { kind: 'null' } });
      else this.#fail();
    } while (this.#accept(','));
    return { kind: 'call', procedure, args };
  }

  #authorization(): Statement {
    this.#words('authorization', 'on');
    const on = this.#take('word').text;
    if (on !== 'object' && on !== 'schema' && on !== 'database') return this.#fail();
    this.#symbol('::');
    const names = this.#path(on === 'object' ? 2 : 1);
    this.#words('to');
    if (this.#word('schema')) {
      this.#words('owner');
      return { kind: 'authorization', on, names, owner: undefined };
    }
    return { kind: 'authorization', on, names, owner: this.#name() };
  }

  #classify(): Statement {
    this.#words('sensitivity', 'classification', 'to');
    const column = this.#path(3);
    this.#words('with');
    this.#symbol('(');
    const options = new Map<string, string>();
    do {
      const option = this.#take('word').text;
      this.#symbol('=');
      const value = this.#next();
      const fits = CLASSIFICATION_TEXTS.has(option)
        ? value.kind === 'text'
        : option === 'rank' && value.kind === 'word' && RANKS.has(value.text);
      if (!fits || options.has(option)) this.#fail();
      options.set(option, value.text);
    } while (this.#accept(','));
    this.#symbol(')');
    return { kind: 'classify', column, options };
  }

  #select(): Select {
    const columns: SelectColumn[] = [];
    do {
      const expression = this.#or();
      this.#words('as');
      columns.push({ expression, alias: this.#name() });
    } while (this.#accept(','));
    let from: Source | undefined;
    const joins: Join[] = [];
    if (this.#word('from')) {
      from = this.#source();
      for (;;) {
        const outer = this.#word('left');
        if (!this.#word('join')) {
          if (outer) this.#fail();
          break;
        }
        const source = this.#source();
        this.#words('on');
        joins.push({ source, outer, on: this.#or() });
      }
    }
    const where = this.#word('where') ? this.#or() : undefined;
    return { kind: 'select', columns, from, joins, where };
  }

  #source(): Source {
    if (!this.#accept('(')) {
      const name = this.#path(2).join('.');
      this.#words('as');
      return { kind: 'view', name, alias: this.#name() };
    }
    this.#words('values');
    const rows: Expression[][] = [];
    do {
      this.#symbol('(');
      rows.push(this.#list());
    } while (this.#accept(','));
    this.#symbol(')');
    this.#words('as');
    const alias = this.#name();
    this.#symbol('(');
    const columns: string[] = [];
    do columns.push(this.#name());
    while (this.#accept(','));
    this.#symbol(')');
    if (rows.some((row) => row.length !== columns.length)) this.#fail();
    return { kind: 'values', rows, alias, columns };
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#word('or')) left = { kind: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#comparison();
    while (this.#word('and')) left = { kind: 'and', left, right: this.#comparison() };
    return left;
  }

  #comparison(): Expression {
    const left = this.#primary();
    const operator = COMPARISONS.find((one) => this.#peek().kind === 'symbol' && this.#peek().text === one);
    if (operator !== undefined) {
      this.#next();
      return { kind: 'compare', operator, left, right: this.#primary() };
    }
    if (this.#word('like')) return { kind: 'compare', operator: 'like', left, right: this.#primary() };
    if (this.#word('is')) {
      const negated = this.#word('not');
      this.#words('null');
      return { kind: 'isNull', value: left, negated };
    }
    const negated = this.#word('not');
    if (this.#word('in')) {
      this.#symbol('(');
      return { kind: 'in', value: left, list: this.#list(), negated };
    }
    if (negated) this.#fail();
    return left;
  }

  #primary(): Expression {
    const token = this.#next();
    if (token.kind === 'text') return { kind: 'text', value: token.text };
    if (token.kind === 'number') return { kind: 'number', value: Number(token.text) };
    if (token.kind === 'variable') return { kind: 'variable', name: token.text };
    if (token.kind === 'word' && token.text === 'null') return { kind: 'null' };
    if (token.kind !== 'word' && token.kind !== 'name') return this.#fail();
    if (this.#accept('.')) return { kind: 'column', table: token.text, name: this.#name() };
    this.#symbol('(');
    if (token.text === 'convert') {
      this.#words('nvarchar');
      this.#symbol('(');
      const units = Number(this.#take('number').text);
      this.#symbol(')');
      this.#symbol(',');
      const value = this.#or();
      this.#symbol(')');
      return { kind: 'convert', units, value };
    }
    return { kind: 'call', name: token.text, args: this.#list() };
  }

  /** Expressions up to the closing bracket. */
  #list(): Expression[] {
    const list: Expression[] = [];
    if (this.#accept(')')) return list;
    do list.push(this.#or());
    while (this.#accept(','));
    this.#symbol(')');
    return list;
  }

  #path(parts: number): readonly string[] {
    const names = [this.#name()];
    while (names.length < parts) {
      this.#symbol('.');
      names.push(this.#name());
    }
    return names;
  }

  #name(): string {
    const token = this.#next();
    return token.kind === 'word' || token.kind === 'name' ? token.text : this.#fail();
  }

  #words(...words: readonly string[]): void {
    for (const word of words) if (!this.#word(word)) this.#fail();
  }

  #word(word: string): boolean {
    return this.#is('word', word);
  }

  #symbol(symbol: string): void {
    if (!this.#accept(symbol)) this.#fail();
  }

  #accept(symbol: string): boolean {
    return this.#is('symbol', symbol);
  }

  #is(kind: SqlToken['kind'], text: string): boolean {
    const token = this.#peek();
    if (token.kind !== kind || token.text !== text) return false;
    this.#at += 1;
    return true;
  }

  #take(kind: SqlToken['kind']): SqlToken {
    const token = this.#next();
    return token.kind === kind ? token : this.#fail();
  }

  #next(): SqlToken {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #peek(): SqlToken {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '', at: -1 };
  }

  #fail(): never {
    const token = this.#tokens[this.#at] ?? this.#tokens.at(-1);
    throw new SyntaxProblem(102, `Incorrect syntax near ${JSON.stringify(token?.text ?? '')}`);
  }
}
