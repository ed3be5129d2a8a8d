import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startVariant, type VariantProcess } from '../variant-process.ts';

/** Starts Bento on a NATS, a database and a folder of its own. */
export type BentoStarter = (natsUrl: string, postgresUrl: string, folder: string) => VariantProcess;

/** The program that `test/bench/peers/bento/build.sh` leaves, when Go was there to build it. */
const BINARY = new URL('../../../.backflow/bench/bento-lite', import.meta.url).pathname;

/** Bento in its fair configuration: in order, 200 statements joined in one query. Undefined, and told, when it is not built. */
export async function findBento(say: (line: string) => void): Promise<BentoStarter | undefined> {
  if (!existsSync(BINARY)) {
    say('bento is not built; for its row run test/bench/peers/bento/build.sh (needs Go)');
    return undefined;
  }
  return (natsUrl, postgresUrl, folder) => {
    const config = join(folder, 'bento.yaml');
    writeFileSync(config, configuration(natsUrl, postgresUrl));
    return startVariant(BINARY, ['-c', config], { GOGC: '400' });
  };
}

function configuration(natsUrl: string, postgresUrl: string): string {
  return `
logger: { level: ERROR }
http: { enabled: false }
input:
  nats_jetstream: { urls: [ "${natsUrl}" ], subject: "change.>", durable: bento, deliver: all, max_ack_pending: 4096, ack_wait: 60s }
pipeline:
  threads: 1
  processors:
    - mapping: |
        let e = this.entity.parse_json()
        root = "COMMENT ON TABLE \\"" + $e.name + "\\" IS E'" + $e.description.replace_all("\\\\", "\\\\\\\\").replace_all("'", "''") + "';"
output:
  sql_raw:
    driver: postgres
    dsn: "${postgresUrl}?sslmode=disable"
    unsafe_dynamic_query: true
    query: "\${! content() }"
    max_in_flight: 1
    batching:
      count: 200
      period: 5ms
      processors: [ { archive: { format: lines } } ]
`;
}
