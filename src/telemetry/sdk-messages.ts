import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api';
import type { Log } from './log.ts';

const LEVELS: Readonly<Record<string, DiagLogLevel>> = {
  NONE: DiagLogLevel.NONE,
  ERROR: DiagLogLevel.ERROR,
  WARN: DiagLogLevel.WARN,
  INFO: DiagLogLevel.INFO,
  DEBUG: DiagLogLevel.DEBUG,
  VERBOSE: DiagLogLevel.VERBOSE,
  ALL: DiagLogLevel.ALL,
};

/**
 * Sends what the SDK has to say (a collector that is away, say) to our log. Its own console logger would write to standard output,
 * which belongs to the answers of commands. `level`: OTEL_LOG_LEVEL, warnings by default.
 */
export function logSdkMessages(log: Log, level: string | undefined): void {
  diag.setLogger(toDiagLogger(log), {
    logLevel: LEVELS[level?.trim().toUpperCase() ?? 'WARN'] ?? DiagLogLevel.WARN,
    suppressOverrideMessage: true,
  });
}

function toDiagLogger(log: Log): DiagLogger {
  const to =
    (write: (fields: { details: string }, message: string) => void) =>
    (text: string, ...more: unknown[]) =>
      write({ details: [text, ...more.map(textOf)].join(' ') }, 'message of the tracing SDK');
  return { error: to(log.error), warn: to(log.warn), info: to(log.info), debug: to(log.debug), verbose: to(log.debug) };
}

function textOf(value: unknown): string {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
