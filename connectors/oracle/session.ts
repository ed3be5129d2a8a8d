import { z } from 'zod';
import { ConnectorError } from '../connector-error.ts';
import type { SessionName } from '../contract.ts';
import { type Charset, charsetNamed } from './charset.ts';
import type { OracleConfig } from './config.ts';
import { connectorErrorOf } from './errors.ts';
import type { OracleBinds, OracleDriver, OracleLink } from './port.ts';
import { programName } from './session-name.ts';

/** Milliseconds for one round trip: a statement that waits for a lock ends after 3 s by itself. */
const CALL_TIMEOUT_MS = 30_000;

/**
 * Names are compared byte by byte; DDL waits a moment for a lock instead of failing at once. Nothing that literals depend on can be set.
 */
const PIN = 'ALTER SESSION SET NLS_COMP = BINARY NLS_SORT = BINARY DDL_LOCK_TIMEOUT = 3';

const nameRow = z.object({ NAME: z.string() });
const valueRow = z.object({ VALUE: z.string().nullable() });

/** Views that show every object, whatever the user may do with it; all of them are needed to use any. */
const DBA_VIEWS = [
  'DBA_TAB_COMMENTS',
  'DBA_COL_COMMENTS',
  'DBA_MVIEW_COMMENTS',
  'DBA_EXTERNAL_TABLES',
  'DBA_ANNOTATIONS_USAGE',
] as const;
/** Exists from 23ai on, and from 19.28 on. */
const ANNOTATIONS = 'ALL_ANNOTATIONS_USAGE';

/** One session and what its plans depend on. All methods throw only `ConnectorError`. */
export interface Session {
  /** `Oracle Database 23.4.0.24.5`. */
  readonly server: string;
  /** The user as the dictionary has it; also the schema of its own objects. */
  readonly user: string;
  readonly charset: Charset;
  readonly annotations: boolean;
  /** Dictionary views to look things up in: `dba` shows all objects, `all` those that the user may see. */
  readonly views: 'dba' | 'all';
  readonly usable: boolean;
  rows<Row>(sql: string, row: z.ZodType<Row>, binds?: OracleBinds): Promise<readonly Row[]>;
  run(sql: string): Promise<void>;
  /** Sets the modes again, for when statements of others ran in the session. */
  pin(): Promise<void>;
  close(): Promise<void>;
}

export async function openSession(config: OracleConfig, name: SessionName, driver: OracleDriver): Promise<Session> {
  const link = await connect(config, name, driver);
  try {
    const calls = callsOf(link);
    await calls.pin();
    const [user] = await calls.rows('SELECT username AS NAME FROM user_users', nameRow);
    const [charset] = await calls.rows(
      "SELECT value AS VALUE FROM nls_database_parameters WHERE parameter = 'NLS_CHARACTERSET'",
      valueRow,
    );
    const views = await calls.rows(
      `SELECT view_name AS NAME FROM all_views WHERE owner = 'SYS' AND view_name IN (${[...DBA_VIEWS, ANNOTATIONS].map((view) => `'${view}'`).join(', ')})`,
      nameRow,
    );
    if (user === undefined || charset?.VALUE === undefined || charset.VALUE === null) throw unreadable();
    const visible = new Set(views.map(({ NAME }) => NAME));
    const annotations = visible.has(ANNOTATIONS);
    const needed = DBA_VIEWS.filter((view) => annotations || view !== 'DBA_ANNOTATIONS_USAGE');
    return {
      ...calls,
      server: `Oracle Database ${link.version}`,
      user: user.NAME,
      charset: charsetNamed(charset.VALUE),
      annotations,
      views: needed.every((view) => visible.has(view)) ? 'dba' : 'all',
      get usable() {
        return link.usable;
      },
      close: () => link.close(),
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}

async function connect(config: OracleConfig, name: SessionName, driver: OracleDriver): Promise<OracleLink> {
  try {
    return await driver.connect({ ...config, program: programName(name), callTimeoutMs: CALL_TIMEOUT_MS });
  } catch (error) {
    throw connectorErrorOf(error, 'connect');
  }
}

function callsOf(link: OracleLink): Pick<Session, 'rows' | 'run' | 'pin'> {
  async function execute(sql: string, binds?: OracleBinds): Promise<readonly unknown[]> {
    try {
      return (await link.execute(sql, binds)).rows;
    } catch (error) {
      const failure = connectorErrorOf(error, 'statement');
      // After such an answer nobody knows what the session still is.
      if (failure.scope === 'target' && failure.class !== 'throttled') await link.close();
      throw failure;
    }
  }
  return {
    async rows(sql, row, binds) {
      const rows = z.array(row).safeParse(await execute(sql, binds));
      if (!rows.success) throw unreadable();
      return rows.data;
    },
    async run(sql) {
      await execute(sql);
    },
    async pin() {
      await execute(PIN);
    },
  };
}

function unreadable(): ConnectorError {
  const message = 'The server answered in a form that is not known.';
  return new ConnectorError({ class: 'invalid', scope: 'object', code: 'answer-unreadable', message });
}
