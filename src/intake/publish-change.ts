import { type Context, SpanKind } from '@opentelemetry/api';
import type { Publisher, PublishOptions, PublishReceipt } from '../../streams/nats/contract.ts';
import { injectTrace } from '../../streams/nats/trace-headers.ts';
import type { ChangeEvent } from '../domain/change-event.ts';
import { changeSubject, STREAMS } from '../domain/subjects.ts';
import { inSpan } from '../telemetry/in-span.ts';
import { messageIdOf } from './message-id.ts';

/** Publishes under a span of its own; that span's context travels in the headers, so the lane's spans stand below it. */
export function publishChange(
  publisher: Publisher,
  event: ChangeEvent,
  data: Uint8Array,
  options: PublishOptions,
  parent: Context,
): Promise<PublishReceipt> {
  const msgId = messageIdOf(event.id);
  const attributes = {
    'messaging.system': 'nats',
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.destination.name': STREAMS.changes,
    'messaging.destination.template': 'change.{service}.{slot}.{entityType}.{assetKey}',
    'messaging.message.id': msgId,
    'messaging.message.body.size': data.byteLength,
  };
  return inSpan(`${STREAMS.changes} publish`, { kind: SpanKind.PRODUCER, attributes }, parent, (context) =>
    publisher.publish(changeSubject(event.service, event), data, {
      ...options,
      msgId,
      headers: { ...options.headers, ...injectTrace(context) },
    }),
  );
}
