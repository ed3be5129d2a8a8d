import type { z } from 'zod';
import { type TrinoSource, trinoSource } from './connection-json.ts';
import { type Login, loginOf } from './login.ts';

/** A certificate or key: its PEM text, or the path of a file that holds it. */
export type PemSource = { readonly pem: string } | { readonly file: string };

/** What is needed to connect over HTTP. Holds secrets: never logged, never part of an error. */
export interface TrinoConfig {
  readonly host: string;
  readonly port: number;
  readonly https: boolean;
  readonly user: string;
  readonly login: Login;
  /** Only looked at with `https`. `verify` false: the server's certificate is not checked. */
  readonly tls: {
    readonly verify: boolean;
    readonly ca?: PemSource;
    readonly cert?: PemSource;
    readonly key?: PemSource;
  };
  /** Proxies by the scheme of the request. */
  readonly proxies: { readonly http?: string; readonly https?: string };
  /** Session properties, by name. */
  readonly session: Readonly<Record<string, string>>;
  /** The role that is enabled, by catalog (`system` for the system's own): `ALL`, `NONE` or a name. */
  readonly roles: Readonly<Record<string, string>>;
  readonly clientTags: readonly string[];
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/**
 * OpenMetadata's `Trino` connection as it is, secrets resolved. Unknown keys are tolerated, since OpenMetadata adds some with every
 * version. `catalog` and `databaseSchema` only narrow ingestion: objects are named in full.
 */
export const trinoConfig: z.ZodType<TrinoConfig> = trinoSource.transform((connection, context): TrinoConfig => {
  const problems: { path: readonly string[]; message: string }[] = [];
  const refuse = (path: readonly string[], message: string): void => void problems.push({ path, message });
  const login = loginOf(connection, refuse);
  const address = addressOf(connection, login, refuse);
  const tls = tlsOf(connection, refuse);
  if (tls.cert !== undefined && !address.https) {
    refuse(['connectionArguments', 'http_scheme'], 'must be https for a client certificate.');
  }
  for (const { path, message } of problems) context.addIssue({ code: 'custom', path: [...path], message });
  const { connectionArguments: args, backflow } = connection;
  return {
    ...address,
    user: connection.username,
    login,
    tls,
    proxies: {
      ...(connection.proxies.http === undefined ? {} : { http: connection.proxies.http }),
      ...(connection.proxies.https === undefined ? {} : { https: connection.proxies.https }),
    },
    session: { ...args.session_properties, ...backflow.session },
    roles: { ...args.roles, ...backflow.roles },
    clientTags: [...new Set([...args.client_tags, ...backflow.clientTags])],
  };
});

type Refuse = (path: readonly string[], message: string) => void;

function addressOf(
  { hostPort, connectionArguments: { http_scheme: scheme }, sslConfig }: TrinoSource,
  login: Login,
  refuse: Refuse,
): Pick<TrinoConfig, 'host' | 'port' | 'https'> {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@,?#]+))(?::(\d{1,5}))?$/.exec(hostPort.trim());
  const host = match?.[1] ?? match?.[2] ?? '';
  const given = match?.[3] === undefined ? undefined : Number(match[3]);
  if (host === '' || (given !== undefined && (given < 1 || given > 65_535))) {
    refuse(['hostPort'], 'must be host:port, for example trino.example.org:8443 (no protocol, no user, one server).');
  }
  const secret = login.kind !== 'none';
  const https = scheme === undefined ? secret || sslConfig !== undefined || given === 443 : scheme === 'https';
  if (secret && !https && !LOOPBACK.test(host)) {
    refuse(
      ['connectionArguments', 'http_scheme'],
      'must be https (or left out): credentials would cross the network in plain text, and Trino takes none over http.',
    );
  }
  return { host, port: given ?? (https ? 443 : 8080), https };
}

function tlsOf({ verify, connectionArguments, sslConfig }: TrinoSource, refuse: Refuse): TrinoConfig['tls'] {
  const wish = verify ?? connectionArguments.verify;
  const isSwitch = typeof wish === 'boolean' || wish === undefined || /^(true|false|)$/i.test(wish.trim());
  const ca = pemOf(sslConfig?.caCertificate ?? (isSwitch ? undefined : String(wish)));
  const cert = pemOf(sslConfig?.sslCertificate);
  const key = pemOf(sslConfig?.sslKey);
  if ((cert === undefined) !== (key === undefined)) {
    refuse(['sslConfig'], "The client's certificate and key belong together: give both or none.");
  }
  return {
    verify: !isSwitch || String(wish).trim().toLowerCase() !== 'false',
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

function pemOf(text: string | undefined): PemSource | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  return text.includes('-----BEGIN') ? { pem: text.replaceAll('\\n', '\n') } : { file: text };
}
