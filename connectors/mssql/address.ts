/** Where the server listens: a port, or a named instance whose port the SQL Server Browser (UDP 1434) tells. */
export type Address =
  | { readonly host: string; readonly port: number }
  | { readonly host: string; readonly instance: string };

const DEFAULT_PORT = 1433;

/**
 * `host`, `host:port`, `host,port`, `[ipv6]:port` or `host\instance`, with or without ODBC's `tcp:` in front. A port beside an instance
 * wins, as everywhere with SQL Server. The answer is a message for a person when it is none of these.
 */
export function parseAddress(hostPort: string): Address | string {
  const match =
    /^(?:tcp:)?(?:\[([0-9a-fA-F:.]+)\]|([^\s:/@,\\[\]]+))(?:\\([A-Za-z_#][\w$#@]{0,15}))?(?:[:,](\d{1,5}))?$/i.exec(
      hostPort.trim(),
    );
  const host = match?.[1] ?? match?.[2];
  const instance = match?.[3];
  const port = match?.[4] === undefined ? DEFAULT_PORT : Number(match[4]);
  if (host === undefined || port < 1 || port > 65_535) {
    return 'must be host:port or host\\instance, for example db.example.org:1433 (no protocol, no user, one server).';
  }
  if (instance === undefined || match?.[4] !== undefined || /^mssqlserver$/i.test(instance)) return { host, port };
  return { host, instance };
}
