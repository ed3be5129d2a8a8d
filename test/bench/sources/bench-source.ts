/** One database that is a target of its own, as the catalogue names it. */
export interface Place {
  readonly service: string;
  readonly serviceType: 'Postgres' | 'MariaDB' | 'Clickhouse';
  readonly database: string;
  readonly schema: string;
}

/** Since the server started; null: the server does not count it. */
export interface WriteCounters {
  /** Statements that wrote a comment. */
  readonly statements: number | null;
  readonly transactions: number | null;
}

/** What a source has to have for the cases that run on it. */
export interface SourceNeeds {
  /** Tables of each place; as many places as numbers. */
  readonly tables: readonly number[];
  /** Columns of each table; default 1. */
  readonly columns?: number;
}

/** A real server that the variants write to. It looks at itself over connections of its own. */
export interface BenchSource {
  readonly system: 'postgres' | 'mariadb' | 'clickhouse';
  /** Product and version. */
  readonly product: string;
  readonly places: readonly Place[];
  /** Connection string of a place for hand-written programs. */
  url(place: number): string;
  /** OpenMetadata's connection JSON of a place; the password stands as `${BENCH_PASSWORD}`. */
  connection(place: number): object;
  readonly password: string;
  /** Takes all comments away, so that every variant begins alike. */
  clear(): Promise<void>;
  /** Writes the texts (table of the first place → text). */
  preset(texts: ReadonlyMap<string, string>): Promise<void>;
  /** All texts that stand, by `textKey`. */
  texts(): Promise<ReadonlyMap<string, string>>;
  /** Asked when the variant has ended. */
  counters(): Promise<WriteCounters>;
  stop(): Promise<void>;
}
