import type { Connection, SessionName } from '../contract.ts';
import { DatabasePools } from '../postgres-wire/database-pools.ts';
import { openWire } from '../postgres-wire/wire-connection.ts';
import { awsLogin } from './aws-login.ts';
import { checkServer } from './check.ts';
import { type LoginSigner, renewedLogin } from './cluster-login.ts';
import type { RedshiftConfig } from './config.ts';
import { redshiftErrors } from './errors.ts';
import { closedDatabase, readObjects } from './read.ts';
import { setUpSession } from './session.ts';
import { redshiftSpec } from './spec.ts';
import { writeAll } from './write.ts';

/** Serverless takes up to a minute to wake up; a statement may take a minute of its own. */
const RULES = { errors: redshiftErrors, connectMs: 60_000, answerMs: 90_000, setUp: setUpSession };

/** Connects once, so that wrong credentials and addresses show at once. Throws `ConnectorError`. */
export async function openRedshift(
  config: RedshiftConfig,
  name: SessionName,
  signer: LoginSigner = awsLogin(process.env),
): Promise<Connection> {
  const { config: known, password } = await withLogin(config, signer);
  const pools = new DatabasePools(known, name, { ...RULES, ...(password === undefined ? {} : { password }) });
  return openWire(known, pools, {
    nameBytes: redshiftSpec.dialect.identifier.max,
    read: readObjects,
    write: writeAll,
    check: (objects) => checkServer(known, pools, objects),
    closedDatabase,
  });
}

interface KnownLogin {
  readonly config: RedshiftConfig;
  readonly password?: () => Promise<string>;
}

/** With an AWS identity the name to log in with comes from AWS too (`IAM:name`); it stays the same from login to login. */
async function withLogin(config: RedshiftConfig, signer: LoginSigner): Promise<KnownLogin> {
  const { iam } = config;
  if (iam === undefined) return { config };
  const scope = config.allDatabases ? {} : { database: config.database };
  const login = renewedLogin(signer, { ...iam, user: config.user, ...scope }, Date.now);
  const { user } = await login();
  return { config: { ...config, user }, password: async () => (await login()).password };
}
