import { isIPv4, isIPv6 } from 'node:net';

/** Whether only this machine can reach a server bound to this host. An empty host or a name other than `localhost` counts as reachable. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (name === 'localhost') return true;
  if (isIPv4(name)) return name.startsWith('127.');
  return isIPv6(name) && (name === '::1' || /^::ffff:127\./.test(name));
}

/**
 * Whether a request's Host header names this machine. A web page can make a browser resolve its own name to 127.0.0.1
 * (DNS rebinding); the browser then still sends that name.
 */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  if (header === undefined) return false;
  const host = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(header)?.[1];
  return host !== undefined && isLoopbackHost(host);
}
