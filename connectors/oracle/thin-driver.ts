import { createRequire } from 'node:module';
import type * as Oracledb from 'oracledb';
import type { OracleDriver, OracleLink } from './port.ts';

const CONNECT_TIMEOUT_S = 10;
/** Rows in one round trip; a wide table alone has hundreds. */
const FETCH = { fetchArraySize: 1_000, prefetchRows: 1_000 };
/** How long a session may take to say goodbye. */
const CLOSE_MS = 3_000;

/** Oracle's own driver in its pure JavaScript mode: no client libraries are needed. */
export const thinDriver: OracleDriver = {
  async connect(options) {
    // Loaded here and by `require`, so that tracing can hook it and listing connectors does not load it.
    const driver: typeof Oracledb = createRequire(import.meta.url)('oracledb');
    const { callTimeoutMs, configDir, walletLocation, walletContent, walletPassword, ...login } = options;
    const connection = await driver.getConnection({
      ...login,
      connectTimeout: CONNECT_TIMEOUT_S,
      transportConnectTimeout: CONNECT_TIMEOUT_S,
      retryCount: 0,
      ...(configDir === undefined ? {} : { configDir }),
      ...(walletLocation === undefined ? {} : { walletLocation }),
      ...(walletContent === undefined ? {} : { walletContent }),
      ...(walletPassword === undefined ? {} : { walletPassword }),
    });
    connection.callTimeout = callTimeoutMs;
    return linkOf(connection, driver.OUT_FORMAT_OBJECT);
  },
};

function linkOf(connection: Oracledb.Connection, outFormat: number): OracleLink {
  let busy: Promise<unknown> | undefined;
  let closing: Promise<void> | undefined;

  /** A call under way would make the goodbye wait behind it. */
  async function end(): Promise<void> {
    if (busy !== undefined) await connection.break().catch(() => undefined);
    await connection.close().catch(() => undefined);
  }

  return {
    version: connection.oracleServerVersionString,
    get usable() {
      return closing === undefined && connection.isHealthy();
    },
    async execute(sql, binds = {}) {
      const call = connection.execute(sql, { ...binds }, { outFormat, autoCommit: false, ...FETCH });
      busy = call;
      try {
        const { rows } = await call;
        return { rows: rows ?? [] };
      } finally {
        busy = undefined;
      }
    },
    close() {
      closing ??= within(end(), CLOSE_MS);
      return closing;
    },
  };
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
