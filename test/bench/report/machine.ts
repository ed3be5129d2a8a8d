import { cpus, totalmem } from 'node:os';
import { connectNats } from '../../../streams/nats/connection.ts';
import { startNatsServer } from '../../support/nats-server.ts';

/** Processor, memory, and the versions of everything that takes part, in one line. `products`: of the sources. */
export function machineLine(nats: string, products: readonly string[]): string {
  const processors = cpus();
  const model = (processors[0]?.model ?? 'unknown processor').trim();
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB`;
  return [`${processors.length} × ${model}`, memory, `Node ${process.version}`, nats, ...products].join(', ');
}

/** The nats-server that measurements run on, with its version. */
export async function natsProduct(): Promise<string> {
  const server = await startNatsServer();
  try {
    const link = await connectNats({ servers: server.url, name: 'bench' });
    const { version } = link.capabilities();
    await link.close();
    return `nats-server ${version}`;
  } finally {
    await server.stop();
  }
}
