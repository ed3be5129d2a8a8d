import { type Context, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import type { Publisher } from '../../streams/nats/contract.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { extractTrace } from '../../streams/nats/trace-headers.ts';
import { CHANGE_HEADERS } from '../domain/change-headers.ts';
import { deadLetterSubject } from '../domain/subjects.ts';
import { failSpan, inSpan, traceIdOf } from '../telemetry/in-span.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { withinTime } from '../telemetry/within-time.ts';
import { type IntakeProblem, intakeDeadLetter } from './dead-letter.ts';
import type { Intake, IntakeItem, IntakeMessage, IntakeReport, TargetLookup } from './intake.ts';
import { NO_TARGET, recordNoTarget } from './no-target.ts';
import { publishChange } from './publish-change.ts';
import { type FoundEvent, readBody } from './read-body.ts';
import { refusalOf } from './refusal.ts';
import { fitEvent } from './slim-event.ts';
import { HEADER_ROOM, storeLargeEvent } from './store-large-event.ts';

/** Below the 12 s after which OpenMetadata gives a request up. */
const HOLD_MS = 8_000;

export interface IntakeOptions {
  readonly publisher: Publisher;
  /** Largest message that the server takes now, in bytes, headers included. */
  readonly maxPayload: () => number;
  readonly targets: TargetLookup;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly clock: { now(): number };
  /** How long a message is held while NATS is away, milliseconds. */
  readonly holdMs?: number;
}

/** The way of all messages into CHANGES; see `Intake`. */
export function createIntake(options: IntakeOptions): Intake {
  const { metrics, log } = options;
  const holdMs = options.holdMs ?? HOLD_MS;
  return {
    ingest: async (message) => {
      const found = readBody(message.body);
      const work = Promise.all(found.map((part, position) => takePart(options, message, part, position)));
      const report = (await withinTime(toReport(work), holdMs)) ?? {
        stored: false,
        reason: 'NATS did not take the message in time',
      };
      if (report.stored) {
        for (const item of report.items) metrics.intakeEvent(message.source, item.result);
      } else {
        log.error({ source: message.source, reason: report.reason }, 'an intake message could not be stored');
      }
      return report;
    },
  };
}

async function toReport(work: Promise<readonly IntakeItem[]>): Promise<IntakeReport> {
  try {
    return { stored: true, items: await work };
  } catch (error) {
    if (error instanceof StreamError) return { stored: false, reason: error.message };
    throw error;
  }
}

/**
 * One part under its own `intake` span, which is a child of the sender's span or the root of a new trace. What leads to nothing
 * makes no span.
 */
async function takePart(
  options: IntakeOptions,
  message: IntakeMessage,
  part: FoundEvent,
  position: number,
): Promise<IntakeItem> {
  if (part.kind === 'test') return { result: 'test-message' };
  if (part.kind === 'other') return { result: 'other-entity', eventId: part.eventId, entityType: part.entityType };
  const span = {
    kind: message.source === 'webhook' ? SpanKind.SERVER : SpanKind.CONSUMER,
    attributes: { 'backflow.source': message.source, ...attributesOf(part) },
  };
  return inSpan('intake', span, extractTrace(message.headers, ROOT_CONTEXT), async (context) => {
    const burial = { message, position, context };
    if (part.kind === 'problem') return bury(options, { ...burial, problem: part.problem, body: part.body });
    try {
      return await store(options, part, context);
    } catch (error) {
      const problem = refusalOf(error, part.event.id);
      if (problem === undefined) throw error;
      options.log.in(context).error({ err: error, eventId: part.event.id }, 'an event could not be taken into CHANGES');
      return bury(options, { ...burial, problem, body: Buffer.from(JSON.stringify(part.raw)) });
    }
  });
}

function attributesOf(part: FoundEvent): Record<string, string> {
  if (part.kind !== 'change') return {};
  const { id, entityType, fqn, service } = part.event;
  return {
    'backflow.event.id': id,
    'backflow.entity.type': entityType,
    'backflow.asset': fqn,
    'backflow.service': service,
  };
}

async function store(
  options: IntakeOptions,
  part: Extract<FoundEvent, { kind: 'change' }>,
  context: Context,
): Promise<IntakeItem> {
  const { publisher, targets, clock } = options;
  const { event } = part;
  const { data: fitted, fit } = fitEvent(part.raw, options.maxPayload() - HEADER_ROOM);
  const noTarget = !targets.reads(event.service);
  const giveUpAfterMs = options.holdMs ?? HOLD_MS;
  const settings = { maxPayload: options.maxPayload(), giveUpAfterMs };
  const data = fit === 'large' ? await storeLargeEvent(publisher, event.id, fitted, settings) : fitted;
  const headers = {
    [CHANGE_HEADERS.receivedAt]: String(clock.now()),
    ...(fit === 'whole' ? {} : { [CHANGE_HEADERS.slimmed]: '1' }),
    ...(fit === 'large' ? { [CHANGE_HEADERS.large]: '1' } : {}),
    ...(noTarget ? { [CHANGE_HEADERS.noTarget]: '1' } : {}),
  };
  const { sequence, duplicate } = await publishChange(publisher, event, data, { headers, giveUpAfterMs }, context);
  if (!noTarget) return { result: duplicate ? 'duplicate' : 'published', eventId: event.id, sequence };
  const configRevision = targets.revision();
  const traceId = traceIdOf(context);
  await recordNoTarget(publisher, { event, sequence, at: clock.now(), configRevision, traceId }, giveUpAfterMs);
  options.metrics.outcome(NO_TARGET, undefined, 'skipped');
  return { result: 'no-target', eventId: event.id, sequence };
}

interface Burial {
  readonly message: IntakeMessage;
  readonly problem: IntakeProblem;
  readonly body: Uint8Array;
  readonly position: number;
  readonly context: Context;
}

/** Puts into the dead letters what cannot be taken; nothing that was signed right is dropped. */
async function bury(options: IntakeOptions, burial: Burial): Promise<IntakeItem> {
  const { message, problem, context } = burial;
  failSpan(context, problem.code);
  const letter = intakeDeadLetter(
    {
      ...burial,
      at: options.clock.now(),
      origin: message.id === undefined ? undefined : `${message.source}/${message.id}`,
      traceId: traceIdOf(context),
    },
    options.maxPayload() - HEADER_ROOM,
  );
  await options.publisher.publish(deadLetterSubject(undefined, letter.id), JSON.stringify(letter), {
    msgId: letter.id,
  });
  options.metrics.deadLetter(undefined);
  options.log
    .in(context)
    .warn(
      { source: message.source, deadLetter: letter.id, code: problem.code, problem: problem.message },
      'an intake message went to the dead letters',
    );
  return { result: 'unreadable', deadLetter: letter.id, reason: problem.message };
}
