import { err, ok, type Result } from '../../src/domain/result.ts';

/** Where one database listens. */
export interface OracleAddress {
  readonly host: string;
  readonly port: number;
  /** `tcps` is TLS. */
  readonly protocol: 'tcp' | 'tcps';
}

const DEFAULT_PORT = 1521;

/** Reads `host`, `host:port`, `[ipv6]:port`, each also after `tcps://`. The error is a message for a person. */
export function parseHostPort(hostPort: string): Result<OracleAddress, string> {
  const match = /^(?:(tcps?):\/\/)?(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/.exec(hostPort.trim());
  const host = match?.[2] ?? match?.[3];
  const port = match?.[4] === undefined ? DEFAULT_PORT : Number(match[4]);
  if (host === undefined || port < 1 || port > 65_535) {
    return err(
      'must be host:port, for example db.example.org:1521, or tcps://host:port for TLS (no user, one server; several go into oracleTNSConnection).',
    );
  }
  return ok({ host, port, protocol: match?.[1] === 'tcps' ? 'tcps' : 'tcp' });
}

/** Names of services and SIDs as they can stand in a descriptor without a meaning of their own. */
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._$#-]{0,127}$/;

/** The connect descriptor for a service name or a SID. The error is a message for a person. */
export function connectDescriptor(
  { host, port, protocol }: OracleAddress,
  kind: 'SERVICE_NAME' | 'SID',
  name: string,
): Result<string, string> {
  if (!PLAIN_NAME.test(name)) {
    return err('must be a plain name of letters, digits, dots and _ $ # -, as the listener knows it.');
  }
  return ok(
    `(DESCRIPTION=(ADDRESS=(PROTOCOL=${protocol.toUpperCase()})(HOST=${host})(PORT=${port}))(CONNECT_DATA=(${kind}=${name})))`,
  );
}
