import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import { assetKey } from '../../src/domain/asset.ts';
import { CHANGE_HEADERS } from '../../src/domain/change-headers.ts';
import { parseMessage } from '../../src/domain/parse-change-event.ts';
import type { Delivery } from '../../streams/nats/contract.ts';
import { extractTrace } from '../../streams/nats/trace-headers.ts';
import type { LaneIdentity } from '../asset-coalescer/close-work.ts';
import { withoutBody } from '../lane/deliveries-in-hand.ts';
import type { HeldChange } from '../lane/held-change.ts';
import { startStage, traceIdOf } from '../lane/stage-spans.ts';

/** Whether a delivery is none of the lane's business, so that it is only acknowledged. */
export function isForOthers({ headers }: Delivery, target: string): boolean {
  if (headers[CHANGE_HEADERS.noTarget] === '1') return true;
  const replayTarget = headers[CHANGE_HEADERS.replayTarget];
  return replayTarget !== undefined && replayTarget !== target;
}

/** The change in a delivery, with its trace begun; undefined when no change event can be read. `now`: whole epoch milliseconds. */
export function holdDelivery(
  delivery: Delivery,
  identity: LaneIdentity,
  config: CompiledConfig,
  now: number,
): HeldChange | undefined {
  const event = parseMessage(delivery.data).find((parsed) => parsed.kind === 'change')?.event;
  if (event === undefined) return undefined;
  const asset = { entityType: event.entityType, fqn: event.fqn };
  const process = startStage('CHANGES process', extractTrace(delivery.headers, ROOT_CONTEXT), {
    kind: SpanKind.CONSUMER,
    attributes: {
      'messaging.system': 'nats',
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'process',
      'messaging.destination.name': 'CHANGES',
      'messaging.destination.template': 'change.{service}.{slot}.{entityType}.{assetKey}',
      'messaging.consumer.group.name': identity.lane,
      'messaging.message.id': event.id,
      'messaging.message.body.size': delivery.data.length,
      'backflow.delivery_count': delivery.deliveryCount,
      'backflow.target': identity.target,
    },
  });
  const match = startStage('match', process.context, { attributes: { 'backflow.config_revision': config.revision } });
  match.span.end();
  const traceId = traceIdOf(process.context);
  const receivedAt = Number(delivery.headers[CHANGE_HEADERS.receivedAt]);
  const replayOf = delivery.headers[CHANGE_HEADERS.replayOf];
  const onlyChannel = delivery.headers[CHANGE_HEADERS.replayChannel];
  return {
    delivery: withoutBody(delivery),
    received: {
      sequence: delivery.sequence,
      streamTime: delivery.streamTime,
      event,
      ...(replayOf === undefined ? {} : { replayOf }),
    },
    asset,
    key: assetKey(asset),
    trace: match.context,
    span: process.span,
    ...(traceId === undefined ? {} : { traceId }),
    receivedAt: Number.isFinite(receivedAt) && receivedAt > 0 ? receivedAt : delivery.streamTime,
    pulledAt: now,
    bytes: delivery.data.length,
    config,
    ...(onlyChannel === undefined ? {} : { onlyChannel }),
  };
}
