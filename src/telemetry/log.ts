import { type Context, trace } from '@opentelemetry/api';
import { type DestinationStream, destination, type LevelWithSilent, pino } from 'pino';
import { redact, redactText } from './redact.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The logger that parts are given. Fields first, then a constant message: texts from outside belong in fields. */
export interface Log {
  debug(fields: Fields, message: string): void;
  info(fields: Fields, message: string): void;
  warn(fields: Fields, message: string): void;
  error(fields: Fields, message: string): void;
  /** A logger whose lines carry these fields too. */
  with(fields: Fields): Log;
  /** A logger whose lines carry the ids of the span in this context; the same logger when there is none. */
  in(context: Context): Log;
}

export interface LogOptions {
  readonly level?: LevelWithSilent;
  /** Where the lines go; standard error by default, since standard output belongs to the commands' answers. */
  readonly destination?: DestinationStream;
}

/** JSON lines: `time` (ISO), `level` (word), `msg`, the fields, `trace_id` and `span_id`. Secret-looking members are replaced. */
export function createLog(options: LogOptions = {}): Log {
  const lines = pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Errors are described by `redact`, pino's own serializer would add every member of them.
      serializers: { err: (value: unknown) => value },
    },
    options.destination ?? destination({ dest: 2, sync: true }),
  );
  const make = (fixed: Fields): Log => {
    const write = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: Fields, message: string) => {
      if (lines.isLevelEnabled(level)) lines[level](redact({ ...fixed, ...fields }), redactText(message));
    };
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      with: (fields) => make({ ...fixed, ...fields }),
      in: (context) => {
        const span = trace.getSpanContext(context);
        return make(span === undefined ? fixed : { ...fixed, trace_id: span.traceId, span_id: span.spanId });
      },
    };
  };
  return make({});
}

/** A logger that says nothing. */
export const SILENT_LOG: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => SILENT_LOG,
  in: () => SILENT_LOG,
};
