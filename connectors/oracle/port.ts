/** What is needed to log in. Holds secrets. */
export interface LinkOptions {
  readonly user: string;
  readonly password: string;
  readonly connectString: string;
  readonly configDir?: string;
  readonly walletLocation?: string;
  readonly walletContent?: string;
  readonly walletPassword?: string;
  /** Stands in `v$session.program` from the login on. */
  readonly program: string;
  /** Milliseconds that one round trip may take. */
  readonly callTimeoutMs: number;
}

/** Rows are objects whose keys are the aliases of the query in upper case. */
export interface OracleAnswer {
  readonly rows: readonly unknown[];
}

/** Values by name (`:s0` is `s0`). Oracle takes an empty text for NULL. */
export type OracleBinds = Readonly<Record<string, string>>;

/**
 * One session of the driver, used by one call at a time. What is thrown carries the system's code (`ORA-00942`, `NJS-503`) in `code`;
 * nothing is committed unless a statement does so (DDL does, before and after itself).
 */
export interface OracleLink {
  /** `23.4.0.24.5`. */
  readonly version: string;
  /** False once the session is known to be gone. */
  readonly usable: boolean;
  execute(sql: string, binds?: OracleBinds): Promise<OracleAnswer>;
  /** Ends the session, also while a call is under way; never rejects. */
  close(): Promise<void>;
}

/** The whole boundary to the driver: everything above it also runs on a model of the database. */
export interface OracleDriver {
  connect(options: LinkOptions): Promise<OracleLink>;
}
