import type { AddressInfo } from 'node:net';

/** Where a server that listens is reached. `told`: where it was told to listen; port 0 stands for any free one. */
export function listeningAt(
  address: AddressInfo | string | null,
  told: { readonly host: string; readonly port: number },
): { readonly url: string; readonly port: number } {
  const port = typeof address === 'object' && address !== null ? address.port : told.port;
  const host = told.host.includes(':') && !told.host.startsWith('[') ? `[${told.host}]` : told.host;
  return { url: `http://${host}:${port}`, port };
}
