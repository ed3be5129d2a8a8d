import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { StreamError } from './stream-error.ts';

/** Folders that distributions install servers to but that are often missing from a user's PATH. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin'];

/** Absolute path of the program `nats-server`; a `server-missing` error says how to install it. */
export function findServerBinary(path: string = process.env.PATH ?? '', more = MORE_FOLDERS): string {
  const folders = [...path.split(delimiter), ...more].filter((folder) => folder !== '');
  for (const folder of folders) {
    const candidate = join(folder, 'nats-server');
    if (isExecutable(candidate)) return candidate;
  }
  throw new StreamError(
    'server-missing',
    'The program nats-server was not found. Install it (Debian, Ubuntu: apt-get install nats-server; ' +
      'macOS: brew install nats-server; with Go: go install github.com/nats-io/nats-server/v2@latest), ' +
      'or set NATS_URL to a running server with JetStream.',
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
