import { createRequire } from 'node:module';
import type { config as DriverConfig } from 'mssql';
import type { SessionName } from '../contract.ts';
import type { MssqlConfig } from './config.ts';
import type { Login } from './login.ts';
import { programName } from './session-name.ts';

export type Driver = typeof import('mssql');

/** Loaded when first needed, and by `require`: that is where tracing hooks into drivers. */
export function loadDriver(): Driver {
  return createRequire(import.meta.url)('mssql');
}

const CONNECT_MS = 10_000;
/** Statement timeout: the driver cancels what runs longer. */
const REQUEST_MS = 30_000;
const CONNECTIONS_PER_DATABASE = 2;
const IDLE_MS = 30_000;

/** What the driver needs to connect to one database. `heard` gets the number of each error that the server sends while logging in. */
export function driverConfig(config: MssqlConfig, database: string, name: SessionName, heard: number[]): DriverConfig {
  const { address, ca, encrypt } = config;
  return {
    server: address.host,
    ...('port' in address ? { port: address.port } : {}),
    database,
    authentication: authenticationOf(config.login),
    connectionTimeout: CONNECT_MS,
    requestTimeout: REQUEST_MS,
    // Only looks at the socket, where the default asks the server a question before each use.
    validateConnection: 'socket',
    pool: { min: 0, max: CONNECTIONS_PER_DATABASE, idleTimeoutMillis: IDLE_MS },
    options: {
      appName: programName(name),
      ...('instance' in address ? { instanceName: address.instance } : {}),
      encrypt,
      trustServerCertificate: config.trustServerCertificate,
      ...(ca === undefined ? {} : { cryptoCredentialsDetails: { ca } }),
      // Literals and identifiers in templates are escaped for this.
      enableQuotedIdentifier: true,
      abortTransactionOnError: false,
      ...(encrypt === true ? { debug: { payload: true, data: false, packet: false, token: false } } : {}),
    },
    beforeConnect(connection) {
      heard.length = 0;
      const hear = (error: { readonly number: number }) => heard.push(error.number);
      connection.on('errorMessage', hear);
      connection.once('connect', () => connection.removeListener('errorMessage', hear));
      if (encrypt === true) connection.on('debug', refusePlainText);
    },
  };
}

/** Thrown inside of the driver, before it would send the password. */
class PlainTextError extends Error {
  readonly code = 'EENCRYPT';
}

/**
 * The driver logs in without TLS when the server (or somebody in between) says that it has none, although encryption was asked for.
 * The server's answer passes here before the login is sent.
 */
function refusePlainText(text: string): void {
  if (/encryption:0x[0-9a-f]+\((?:NOT_SUP|OFF)\)/i.test(text))
    throw new PlainTextError('the server offers no encryption');
}

function authenticationOf(login: Login): NonNullable<DriverConfig['authentication']> {
  switch (login.kind) {
    case 'sql':
      return { type: 'default', options: { userName: login.user, password: login.password } };
    case 'ntlm':
      return { type: 'ntlm', options: { userName: login.user, password: login.password, domain: login.domain } };
    case 'entra-password': {
      const { user: userName, password, clientId, tenantId } = login;
      return { type: 'azure-active-directory-password', options: { userName, password, clientId, tenantId } };
    }
    case 'entra-service-principal': {
      const { clientId, clientSecret, tenantId } = login;
      return { type: 'azure-active-directory-service-principal-secret', options: { clientId, clientSecret, tenantId } };
    }
    case 'entra-managed-identity':
      return {
        type: 'azure-active-directory-msi-vm',
        options: login.clientId === undefined ? {} : { clientId: login.clientId },
      };
    case 'entra-default':
      return { type: 'azure-active-directory-default', options: {} };
  }
}
