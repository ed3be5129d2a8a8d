import { type MariadbServer, startMariadb } from '../../src/demo/mariadb-server.ts';

export { type MariadbServer, startMariadb };

/** A real MariaDB for one test file: quick instead of durable, with the given further server arguments. */
export function startTestMariadb(...serverArguments: readonly string[]): Promise<MariadbServer> {
  return startMariadb({ volatile: true, arguments: serverArguments });
}
