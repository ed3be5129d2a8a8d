/** Where to connect, with what stood in the URLs taken apart so that no credential stays in an address. */
export interface ServerAddresses {
  /** `host:port`, fit for messages and logs. */
  readonly servers: readonly string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  readonly tls: boolean;
}

/** Reads `NATS_URL`: one URL or several with commas, `nats://`, `tls://` or bare `host:port`, credentials allowed. */
export function parseServerAddresses(text: string | readonly string[]): ServerAddresses {
  const parts = (typeof text === 'string' ? text.split(',') : [...text]).map((part) => part.trim());
  const servers: string[] = [];
  let login: { user: string; pass: string } | undefined;
  let token: string | undefined;
  let tls = false;
  for (const part of parts.filter((candidate) => candidate !== '')) {
    const [, scheme = 'nats', rest = ''] = /^(?:([a-z]+):\/\/)?(.*)$/i.exec(part) ?? [];
    tls ||= scheme.toLowerCase() === 'tls';
    const at = rest.lastIndexOf('@');
    servers.push(rest.slice(at + 1).replace(/\/.*$/, ''));
    if (at === -1) continue;
    const info = rest.slice(0, at);
    const colon = info.indexOf(':');
    if (colon === -1) token ??= decode(info);
    else login ??= { user: decode(info.slice(0, colon)), pass: decode(info.slice(colon + 1)) };
  }
  return { servers, tls, ...login, ...(token === undefined ? {} : { token }) };
}

/** What is wrong with a `NATS_URL`, in words without credentials; undefined: nothing. */
export function addressProblem(text: string): string | undefined {
  for (const part of text.split(',').map((one) => one.trim())) {
    if (part === '') continue;
    const scheme = /^([^:/@]*):\/\//.exec(part)?.[1];
    if (scheme !== undefined && !['nats', 'tls'].includes(scheme.toLowerCase()))
      return `it begins with ${scheme}://, and only nats:// and tls:// are known`;
    const [server = ''] = parseServerAddresses(part).servers;
    const [, host, port = '4222'] = /^(\[[0-9a-f:.]+\]|[^:[\]\s]+)(?::(.*))?$/i.exec(server) ?? [];
    if (host === undefined) return `${JSON.stringify(server)} is no host:port`;
    if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
      return `the port in ${JSON.stringify(server)} is none`;
  }
  return undefined;
}

/** Percent-decodes; a text that is not well-formed stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
