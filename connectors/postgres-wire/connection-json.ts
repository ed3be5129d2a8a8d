import { z } from 'zod';

export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** What the driver needs to connect. Holds secrets: never logged, never part of an error. */
export interface WireConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Absent: the server is expected to let us in without one (trust, peer, client certificate). */
  readonly password?: string;
  /** The configured database; the only one unless `allDatabases`. */
  readonly database: string;
  /** OpenMetadata's `ingestAllDatabases`: the service stands for all databases of the server. */
  readonly allDatabases: boolean;
  readonly sslMode: SslMode;
  /** PEM texts. */
  readonly ssl: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** OpenMetadata shows secrets as a run of asterisks to everybody but bots. */
function isMasked(secret: string): boolean {
  return /^\*+$/.test(secret);
}

/** A secret that somebody really gave; `what` names it in the message. */
export const secretText = (what: string) =>
  z.string().refine((text) => !isMasked(text), {
    message: `${what} is masked (only asterisks), as OpenMetadata shows it to people. Put the real one here, best as \${ENV_VARIABLE}.`,
  });

export const filledText = z.string().min(1, 'must not be empty');

/** OpenMetadata's `sslMode` and `sslConfig`. */
export const sslFields = {
  sslMode: z.enum(SSL_MODES).default('prefer'),
  sslConfig: z
    .looseObject({
      caCertificate: secretText('the CA certificate').optional(),
      sslCertificate: secretText('the client certificate').optional(),
      sslKey: secretText('the client key').optional(),
    })
    .optional(),
};

interface SslConfig {
  readonly caCertificate?: string | undefined;
  readonly sslCertificate?: string | undefined;
  readonly sslKey?: string | undefined;
}

/** The certificates as the driver takes them; undefined: a certificate without its key, or the other way round. */
export function certificatesOf(config: SslConfig = {}): WireConfig['ssl'] | undefined {
  const { caCertificate: ca, sslCertificate: cert, sslKey: key } = config;
  if ((cert === undefined) !== (key === undefined)) return undefined;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

export const CERTIFICATE_AND_KEY = 'sslCertificate and sslKey belong together: give both or none.';

/** `host`, `host:port` or `[ipv6]:port`; the answer is a message for a person when it is none of these. */
export function parseHostPort(
  hostPort: string,
  defaultPort: number,
): { readonly host: string; readonly port: number } | string {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@,]+))(?::(\d{1,5}))?$/.exec(hostPort.trim());
  const host = match?.[1] ?? match?.[2];
  const port = match?.[3] === undefined ? defaultPort : Number(match[3]);
  if (host === undefined || port < 1 || port > 65_535) {
    return `must be host:port, for example db.example.org:${defaultPort} (no protocol, no user, one server).`;
  }
  return { host, port };
}
