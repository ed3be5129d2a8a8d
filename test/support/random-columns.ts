/** Where the decisions of a generator come from: numbers in [0, 1). */
export type Random = () => number;

/** A column as CREATE TABLE takes it, and which row of the list of cases it is for. */
export interface RandomColumn {
  readonly name: string;
  readonly kind: string;
  readonly sql: string;
  /** Only one of it fits into a table. */
  readonly single?: boolean;
  /** Clauses of the table that it needs. */
  readonly tableClause?: string;
}

const PIECES = [
  "'",
  '"',
  '`',
  '\\',
  '\n',
  '\r',
  '\t',
  ',',
  '(',
  ')',
  ';',
  '%',
  '_',
  '#',
  '-- ',
  '/*',
  '*/',
  '/*!50000 ',
  ' ',
  '  ',
  'é',
  'ש',
  '中',
  "COMMENT 'x'",
  'CHECK (',
  'DEFAULT',
  "''",
  '\\\\',
  "\\'",
  '$$',
  '{x}',
  'a',
  'B',
  '0',
  '.',
  '=',
] as const;

/** Makes random definitions of columns, each of one of the kinds that SHOW CREATE TABLE prints in a way of its own. */
export class RandomColumns {
  readonly #random: Random;
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(kinds: readonly string[] = COLUMN_KINDS): RandomColumn {
    const kind = this.#pick(kinds);
    this.#count += 1;
    const name = `${this.#count}${this.#chance(0.5) ? this.#text(0, 8) : ''}`.trimEnd();
    const column = this.#column(kind, name);
    return { ...column, name, kind, sql: `${quoteName(name)} ${column.sql}` };
  }

  /** A text dense in what matters to the parser, of at most `max` pieces. */
  text(max = 10): string {
    return this.#text(1, max);
  }

  #column(kind: string, name: string): Pick<RandomColumn, 'sql' | 'single' | 'tableClause'> {
    const quoted = quoteName(name);
    const end = (): string => this.#comment();
    switch (kind) {
      case 'auto_increment':
        return {
          sql: `${this.#pick(['int', 'bigint unsigned', 'smallint', 'tinyint unsigned'])} NOT NULL AUTO_INCREMENT${this.#comment()}`,
          single: true,
          tableClause: `KEY (${quoted})`,
        };
      case 'text default':
        return { sql: `${this.#characters()}${this.#notNull()} DEFAULT ${quote(this.#text(0, 6))}${end()}` };
      case 'number default':
        return {
          sql: `${this.#pick(['int', 'bigint unsigned', 'tinyint(1)'])}${this.#notNull()} DEFAULT ${this.#digit()}${end()}`,
        };
      case 'decimal default':
        return { sql: `${this.#pick(['decimal(12,3)', 'double', 'float(7,2)'])} DEFAULT ${this.#digit()}.25${end()}` };
      case 'no default':
        return {
          sql: `${this.#pick(['int', 'date', 'varchar(9)', 'time(3)', 'year', 'mediumtext'])}${this.#notNull()}${end()}`,
        };
      case 'expression default':
        return {
          sql: `varchar(60) DEFAULT (${this.#pick([
            `concat(${quote(this.#text(0, 4))}, 'b(')`,
            '1 + 2',
            'uuid()',
            `if(1 = 2, ${quote(this.#text(0, 3))}, 'COMMENT ''z''')`,
          ])})${end()}`,
        };
      case 'on update': {
        const digits = this.#pick(['', '(3)', '(6)']);
        const type = this.#pick(['timestamp', 'datetime']);
        return {
          sql: `${type}${digits}${this.#notNull()} DEFAULT current_timestamp${digits} ON UPDATE current_timestamp${digits}${end()}`,
        };
      }
      case 'time default':
        return {
          sql: `${this.#pick(["timestamp DEFAULT '2020-03-29 02:30:00'", "date DEFAULT '0000-00-00'", "datetime DEFAULT '0000-00-00 00:00:00'", "time(2) DEFAULT '11:22:33.44'", 'timestamp NULL', 'year DEFAULT 2001'])}${end()}`,
        };
      case 'virtual':
        return {
          sql: `varchar(40) AS (concat(${quote(this.#text(0, 4))}, '1')) VIRTUAL${this.#invisible()}${this.#comment()}`,
        };
      case 'stored':
        return { sql: `varchar(40) AS (concat(${quote(this.#text(0, 4))}, '1')) STORED${this.#comment()}` };
      case 'enum':
      case 'set': {
        const values = [
          ...new Set(
            ['a', this.#text(1, 3), this.#text(1, 3)].map((value) =>
              value.replaceAll(',', ';').trimEnd().toLowerCase(),
            ),
          ),
        ];
        const listed = values.filter((value) => value !== '').map(quote);
        return {
          sql: `${kind}(${listed.join(',')}) COLLATE utf8mb4_bin${this.#notNull()} DEFAULT ${listed[0] ?? "'a'"}${end()}`,
        };
      }
      case 'invisible':
        return { sql: `int INVISIBLE DEFAULT ${this.#digit()}${this.#comment()}${this.#check(quoted)}` };
      case 'check':
        return { sql: `varchar(30) DEFAULT 'x'${this.#comment()} CHECK (${quoted} <> ${quote(this.#text(1, 5))})` };
      case 'zerofill':
        return { sql: `int(${1 + Math.floor(this.#random() * 9)}) unsigned zerofill${this.#notNull()}${end()}` };
      case 'point':
        return { sql: `${this.#pick(['point', 'geometry', 'polygon', 'linestring'])}${this.#notNull()}${end()}` };
      case 'uuid':
        return {
          sql: `${this.#pick(['uuid DEFAULT uuid()', 'uuid', 'inet6', "inet4 DEFAULT '127.0.0.1'", "inet6 NOT NULL DEFAULT '::1'"])}${end()}`,
        };
      case 'compressed':
        return { sql: `${this.#pick(['varchar(99)', 'blob', 'text'])} COMPRESSED${this.#notNull()}${end()}` };
      case 'json':
        return {
          sql: `json${this.#pick(['', " DEFAULT '{}'", ' NOT NULL', " NOT NULL DEFAULT '[1,\"a\\'\\'b\"]'"])}${this.#comment()}`,
        };
      case 'json with own check':
        return {
          sql: `longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin${this.#comment()} CHECK (json_length(${quoted}) < 9)`,
        };
      case 'charset':
        return {
          sql: `varchar(20) ${this.#pick(['CHARACTER SET latin1', 'CHARACTER SET utf8mb3 COLLATE utf8mb3_bin', 'CHARACTER SET ascii', 'COLLATE utf8mb4_unicode_ci', 'CHARACTER SET ucs2', 'CHARACTER SET binary'])}${this.#notNull()} DEFAULT 'a''\\\\'${end()}`,
        };
      case 'bits':
        return {
          sql: `${this.#pick(["bit(7) DEFAULT b'101'", 'binary(4) DEFAULT 0x41420043', "varbinary(9) DEFAULT 'a\\nb'", "blob DEFAULT 'b'", 'bit(1) NOT NULL'])}${end()}`,
        };
      default:
        throw new Error(`no such kind of column: ${kind}`);
    }
  }

  #characters(): string {
    return this.#pick([
      'varchar(50)',
      'char(50)',
      'tinytext',
      'varchar(50) CHARACTER SET utf8mb3',
      'text COLLATE utf8mb4_bin',
    ]);
  }

  #notNull(): string {
    return this.#chance(0.5) ? ' NOT NULL' : '';
  }

  #comment(): string {
    return this.#chance(0.5) ? ` COMMENT ${quote(this.#text(0, 8))}` : '';
  }

  #check(quoted: string): string {
    return this.#chance(0.3) ? ` CHECK (${quoted} > 0 or ${quoted} is null)` : '';
  }

  #invisible(): string {
    return this.#chance(0.3) ? ' INVISIBLE' : '';
  }

  #digit(): number {
    return Math.floor(this.#random() * 10);
  }

  #text(min: number, max: number): string {
    const count = min + Math.floor(this.#random() * (max - min + 1));
    return Array.from({ length: count }, () => this.#pick(PIECES)).join('');
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<T>(list: readonly T[]): T {
    const item = list[Math.floor(this.#random() * list.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }
}

/** One for each way that a definition can be printed (MariaDB 10.11). Most of the weight lies on the strings. */
export const COLUMN_KINDS: readonly string[] = [
  'auto_increment',
  'text default',
  'text default',
  'number default',
  'decimal default',
  'no default',
  'expression default',
  'on update',
  'time default',
  'virtual',
  'enum',
  'set',
  'invisible',
  'check',
  'zerofill',
  'point',
  'uuid',
  'compressed',
  'json',
  'json with own check',
  'charset',
  'bits',
];

/** A literal of a session in which a backslash escapes. Written apart from the connector's own quoting. */
export function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
