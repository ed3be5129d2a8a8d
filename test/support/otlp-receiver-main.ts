import { serveOtlp } from './otlp-receiver.ts';

// Prints its URL as the first line; ends with the signal. An optional argument is the port.
const receiver = await serveOtlp(Number(process.argv[2] ?? 0));
process.stdout.write(`${receiver.url}\n`);
process.once('SIGTERM', () => {
  receiver.stop().then(() => process.exit(0));
});
