import { formatReport } from '../../demo/demo-report.ts';
import { createLog } from '../../telemetry/log.ts';
import { startTelemetry } from '../../telemetry/start.ts';
import { httpAddress } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Output } from '../output.ts';
import { untilSignal } from '../until-signal.ts';

/** `backflow demo`: the whole way on databases of its own. With `once` it ends after the report; else it stays up. */
export async function demo(options: { readonly once: boolean }, output: Output): Promise<ExitCode> {
  const telemetry = await startTelemetry();
  // The databases' drivers are loaded after tracing has started, so that their spans are seen.
  const { runDemo } = await import('../../demo/demo.ts');
  const address =
    process.env.BACKFLOW_HTTP === undefined && options.once ? { host: '127.0.0.1', port: 0 } : httpAddress(process.env);
  const running = await runDemo({
    ...(process.env.NATS_URL === undefined ? {} : { natsUrl: process.env.NATS_URL }),
    http: address,
    log: createLog({ level: 'error' }),
    say: (line) => output.say(line),
  });
  const { report } = running;
  output.answer(report, () => formatReport(report, output.color));
  if (!options.once && report.changes.length > 0) {
    output.say(`\nIt stays up. Look around:
  ${running.url}/                     what runs here, and where its API and metrics are
  NATS_URL=${running.natsUrl} npx backflow runs      recorded outcomes
  NATS_URL=${running.natsUrl} npx backflow lanes     the lanes
  NATS_URL=${running.natsUrl} npx backflow explain pg_sales.shop.public.orders
Ctrl-C ends it and removes its data.`);
    await untilSignal();
  }
  await running.stop();
  await telemetry.shutdown();
  return report.ok ? EXIT.ok : EXIT.problems;
}
