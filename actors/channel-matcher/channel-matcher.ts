import { randomUUID } from 'node:crypto';
import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import { assetKey } from '../../src/domain/asset.ts';
import { CHANGE_HEADERS } from '../../src/domain/change-headers.ts';
import { type Aspect, levelOf } from '../../src/domain/entity.ts';
import type { OutcomeItem } from '../../src/domain/outcome.ts';
import { parseMessage } from '../../src/domain/parse-change-event.ts';
import { touchesOf } from '../../src/domain/touches.ts';
import type { Delivery } from '../../streams/nats/contract.ts';
import { extractTrace } from '../../streams/nats/trace-headers.ts';
import type { CoalescerMessage } from '../asset-coalescer/asset-coalescer.ts';
import type { LaneIdentity } from '../asset-coalescer/close-work.ts';
import { objectName } from '../asset-coalescer/decide-field.ts';
import type { ActorRef } from '../kernel/actor-ref.ts';
import type { Behavior } from '../kernel/behavior.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { LanePorts } from '../lane/lane-ports.ts';
import { startStage, traceIdOf } from '../lane/stage-spans.ts';

export type MatcherMessage =
  | { readonly type: 'deliveries'; readonly deliveries: readonly Delivery[] }
  | { readonly type: 'configure'; readonly config: CompiledConfig };

export interface MatcherOptions {
  readonly identity: LaneIdentity;
  readonly config: CompiledConfig;
  readonly ports: LanePorts;
  readonly coalescer: ActorRef<CoalescerMessage>;
}

/**
 * First stage of a lane: parses what was pulled and separates the changes that the configuration alone decides (no channel of the
 * target manages their entity type and touched aspects), which are settled in bulk, from those that go to their asset.
 */
export function channelMatcher(options: MatcherOptions): Behavior<CompiledConfig, MatcherMessage> {
  const { identity, ports } = options;

  function hold(delivery: Delivery, config: CompiledConfig, now: number): HeldChange | undefined {
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
    return {
      delivery,
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
      config,
    };
  }

  async function settleInBulk(
    settled: readonly { delivery: Delivery; items: readonly OutcomeItem[] }[],
    config: CompiledConfig,
    now: number,
  ): Promise<void> {
    await ports.store.recordBulk({
      v: 1,
      id: randomUUID(),
      target: identity.target,
      at: now,
      lane: identity.lane,
      configRevision: config.revision,
      items: settled.flatMap(({ items }) => items),
      settles: settled.map(({ delivery }) => delivery.sequence),
    });
    for (const { delivery, items } of settled) {
      delivery.ack();
      for (const item of items) ports.observe.outcome(undefined, item.status, undefined);
    }
  }

  return {
    start: () => options.config,
    async receive(config, message, ctx) {
      if (message.type === 'configure') return message.config;
      const now = ctx.clock.now();
      const changes: HeldChange[] = [];
      const bulk: { delivery: Delivery; items: readonly OutcomeItem[] }[] = [];
      for (const delivery of message.deliveries) {
        if (delivery.headers[CHANGE_HEADERS.noTarget] === '1') {
          delivery.ack();
          continue;
        }
        const held = hold(delivery, config, now);
        if (held === undefined) {
          await ports.store.recordDeadLetter(unreadable(identity.target, delivery, now));
          bulk.push({ delivery, items: [unreadableItem(delivery)] });
          continue;
        }
        const items = configurationAlone(held, identity.target, config, now);
        if (items === undefined) changes.push(held);
        else {
          bulk.push({ delivery, items });
          held.span.end();
        }
      }
      if (bulk.length > 0) await settleInBulk(bulk, config, now);
      if (changes.length > 0) await options.coalescer.offer({ type: 'changes', changes });
      return config;
    },
  };
}

/**
 * The items of a change that no channel of the target could ever write; undefined when some channel might.
 * Descriptions count as touched by every change of their entity: accepted suggestions show only in the snapshots of later changes.
 */
export function configurationAlone(
  held: HeldChange,
  target: string,
  config: CompiledConfig,
  now: number,
): readonly OutcomeItem[] | undefined {
  const { event } = held.received;
  const levels =
    event.entityType === 'table'
      ? [levelOf('table', false), levelOf('table', true)]
      : [levelOf(event.entityType, false)];
  const channels = config.channelsOf(target).filter((channel) => levels.some((level) => channel.levels.has(level)));
  const manages = (aspect: Aspect): boolean => channels.some((channel) => channel.update.has(aspect));
  const touches = touchesOf(event);
  if (manages('description') || touches.some((touch) => manages(touch.field.aspect))) return undefined;
  const identity = {
    sequence: held.received.sequence,
    eventId: event.id,
    status: 'skipped' as const,
    user: event.userName,
    ...(held.traceId === undefined ? {} : { traceId: held.traceId }),
    timings: { eventAt: event.timestamp, receivedAt: held.receivedAt, pulledAt: held.pulledAt, settledAt: now },
  };
  if (touches.length === 0)
    return [{ ...identity, object: '', reason: 'the change touches nothing that is written back' }];
  return touches.map(({ field }) => ({
    ...identity,
    aspect: field.aspect,
    object: objectName(field),
    reason: `no channel of ${target} writes ${field.aspect} of a ${event.entityType}`,
  }));
}

const UNREADABLE = {
  class: 'invalid',
  code: 'unreadable-change',
  message: 'the message in CHANGES holds no change event that can be read',
} as const;

function unreadableItem(delivery: Delivery): OutcomeItem {
  return {
    sequence: delivery.sequence,
    eventId: '',
    object: '',
    status: 'failed',
    reason: UNREADABLE.message,
    failure: UNREADABLE,
  };
}

function unreadable(target: string, delivery: Delivery, now: number) {
  const text = Buffer.from(delivery.data).toString('utf8');
  return {
    v: 1 as const,
    id: `${target.replaceAll(/[^A-Za-z0-9]/g, '_')}-${delivery.sequence}`,
    target,
    sequence: delivery.sequence,
    at: now,
    failure: UNREADABLE,
    body: text.slice(0, 65_536),
    ...(text.length > 65_536 ? { bodyCut: true } : {}),
  };
}
