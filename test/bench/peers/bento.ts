import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readerWindow, type Surroundings } from '../measure/surroundings.ts';
import { startVariant, type VariantProcess } from '../measure/variant-process.ts';
import type { Workload } from '../workload/workload.ts';

type BentoStarter = (around: Surroundings, workload: Workload) => VariantProcess;

const SOURCES = ['main.go', 'go.mod'].map((name) => new URL(`./bento/${name}`, import.meta.url).pathname);
/** The program that `test/bench/peers/bento/build.sh` leaves, when Go was there to build it. */
const BINARY = new URL('../../../.backflow/bench/bento-lite', import.meta.url).pathname;

/** Starts Bento in its fair configuration. Undefined, and told, when it is not built or older than its sources. */
export function findBento(say: (line: string) => void): BentoStarter | undefined {
  const built = statSync(BINARY, { throwIfNoEntry: false });
  if (built === undefined || SOURCES.some((source) => statSync(source).mtimeMs > built.mtimeMs)) {
    say('bento is not built; for its rows run test/bench/peers/bento/build.sh (needs Go)');
    return undefined;
  }
  return (around, workload) => {
    const config = join(around.folder, 'bento.json');
    writeFileSync(config, JSON.stringify(configuration(around, workload)));
    return startVariant(BINARY, ['-c', config], { GOGC: '400' });
  };
}

/** In order, 200 statements joined in one query; what waits unread is kept below the server's limit for a connection. */
function configuration({ natsUrl, source }: Surroundings, workload: Workload) {
  const mariadb = source.system === 'mariadb';
  const single = database(mariadb, source.url(0));
  const batched = {
    ...single,
    batching: { count: 200, period: '5ms', processors: [{ archive: { format: 'lines' } }] },
  };
  // What makes a batch fail is tried one by one, and dropped when it fails again.
  const output =
    workload.mixed === true
      ? { fallback: [{ sql_raw: batched }, { sql_raw: single }, { drop: {} }] }
      : { sql_raw: batched };
  return {
    logger: { level: workload.mixed === true ? 'OFF' : 'ERROR' },
    http: { enabled: false },
    input: {
      nats_jetstream: {
        urls: [natsUrl],
        subject: 'change.>',
        durable: 'bento',
        deliver: 'all',
        max_ack_pending: readerWindow(workload, 4_096),
        ack_wait: '60s',
      },
    },
    pipeline: { threads: 1, processors: [{ mapping: mapping(mariadb) }] },
    output,
  };
}

function database(mariadb: boolean, url: string) {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    driver: mariadb ? 'mysql' : 'postgres',
    dsn: mariadb
      ? `${username}:${decodeURIComponent(password)}@tcp(${hostname}:${port})${pathname}?multiStatements=true`
      : `${url}?sslmode=disable`,
    unsafe_dynamic_query: true,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Bento's own
    query: '${! content() }',
    max_in_flight: 1,
  };
}

function mapping(mariadb: boolean): string {
  const text = `$e.description.replace_all("\\\\", "\\\\\\\\").replace_all("'", "''")`;
  const statement = mariadb
    ? `"ALTER TABLE \`" + $e.name + "\` COMMENT '" + ${text} + "';"`
    : `"COMMENT ON TABLE \\"" + $e.name + "\\" IS E'" + ${text} + "';"`;
  return `let e = content().parse_json().catch({}).entity.parse_json().catch(null)
root = if $e == null { deleted() } else { ${statement} }`;
}
