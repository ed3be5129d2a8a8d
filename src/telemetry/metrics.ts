import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { OutcomeStatus } from '../domain/outcome.ts';
import { boundedLabel } from './bounded-label.ts';

/** Where an intake message came from. */
export type IntakeSource = 'webhook' | 'events' | 'publish';

/** How an intake request was answered, or a raw event ended. */
export type IntakeAnswer = 'accepted' | 'unauthorized' | 'too-large' | 'unavailable' | 'error';

/** What became of one message found in an intake body. */
export type IntakeResult = 'published' | 'duplicate' | 'no-target' | 'other-entity' | 'test-message' | 'unreadable';

export type BreakerState = 'closed' | 'half-open' | 'open';

/** A lane as a label: target and partition. */
export interface LaneLabel {
  readonly target: string;
  readonly partition: number;
}

/** All metrics of a process. Each function is cheap enough for the hot path; times are in milliseconds, exported as seconds. */
export interface Metrics {
  readonly contentType: string;
  /** The exposition text for Prometheus. */
  text(): Promise<string>;
  intakeAnswered(source: IntakeSource, answer: IntakeAnswer): void;
  intakeEvent(source: IntakeSource, result: IntakeResult): void;
  outcome(target: string, channel: string | undefined, status: OutcomeStatus, count?: number): void;
  /** From the event's own time to the proven write. */
  changeToWrite(target: string, milliseconds: number): void;
  /** Messages in CHANGES that the lane has not settled. */
  laneLag(lane: LaneLabel, messages: number): void;
  /** Age of the oldest change that the lane has not settled; 0 when there is none. */
  oldestUnapplied(lane: LaneLabel, milliseconds: number): void;
  credits(lane: LaneLabel, inUse: { readonly messages: number; readonly bytes: number }): void;
  /** `share`: how far the lane's oldest unsettled change is on its way to being discarded, 0 to 1. */
  retention(lane: LaneLabel, share: number, needsReconcile: boolean): void;
  /** Changes of the target were discarded before they were settled. */
  gap(target: string): void;
  /** How full a stream is, 0 to 1. */
  streamFill(stream: string, share: number): void;
  /** Forgets the gauges of a lane that is no longer owned here. */
  laneGone(lane: LaneLabel): void;
  limiterWait(target: string, milliseconds: number): void;
  /** Statements per second that the lane may run now. */
  rateLimit(lane: LaneLabel, perSecond: number): void;
  /** The target has asked to slow down; the lane may run so many statements per second from now on. */
  throttled(lane: LaneLabel, perSecond: number): void;
  breaker(target: string, state: BreakerState): void;
  /** Whether the guard of a channel holds its clears back. */
  guard(channel: string, holding: boolean): void;
  /** Fields in a lane's hand that wait for a person, by the channel that would write them and the reason. */
  heldFields(lane: LaneLabel, channel: string, why: string, fields: number): void;
  /** `target` undefined: intake's own. */
  deadLetter(target: string | undefined): void;
}

const BREAKER_STATES: readonly BreakerState[] = ['closed', 'half-open', 'open'];
const LATENCY_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200];
const WAIT_SECONDS = [0.001, 0.01, 0.1, 0.5, 1, 5, 30, 120];

/** Targets and channels come from the configuration, so they are few; the bound guards against one that is not. */
const MAX_LABEL_VALUES = 500;

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const target = boundedLabel(MAX_LABEL_VALUES);
  const channel = boundedLabel(MAX_LABEL_VALUES);
  const labelsOf = (lane: LaneLabel) => ({ target: target(lane.target), partition: String(lane.partition) });

  const intakeRequests = new Counter({
    name: 'backflow_intake_requests_total',
    help: 'Intake requests by source and answer',
    labelNames: ['source', 'answer'],
    registers,
  });
  const intakeEvents = new Counter({
    name: 'backflow_intake_events_total',
    help: 'Messages found in intake bodies, by what became of them',
    labelNames: ['source', 'result'],
    registers,
  });
  const outcomes = new Counter({
    name: 'backflow_outcomes_total',
    help: 'Recorded outcomes',
    labelNames: ['target', 'channel', 'status'],
    registers,
  });
  const latency = new Histogram({
    name: 'backflow_change_to_write_seconds',
    help: 'Time from the catalogue change to the write in the source',
    labelNames: ['target'],
    buckets: LATENCY_SECONDS,
    registers,
  });
  const lag = new Gauge({
    name: 'backflow_lane_lag_messages',
    help: 'Changes that the lane has not settled yet',
    labelNames: ['target', 'partition'],
    registers,
  });
  const oldest = new Gauge({
    name: 'backflow_lane_oldest_unapplied_seconds',
    help: 'Age of the oldest change that the lane has not settled',
    labelNames: ['target', 'partition'],
    registers,
  });
  const creditsInUse = new Gauge({
    name: 'backflow_lane_credits_in_use',
    help: 'Credits held by changes in flight, in messages and in bytes',
    labelNames: ['target', 'partition', 'unit'],
    registers,
  });
  const limiterWaits = new Histogram({
    name: 'backflow_limiter_wait_seconds',
    help: 'Time that writes waited for the rate limit of their target',
    labelNames: ['target'],
    buckets: WAIT_SECONDS,
    registers,
  });
  const rates = new Gauge({
    name: 'backflow_rate_limit_per_second',
    help: 'Statements per second that the lane may run now',
    labelNames: ['target', 'partition'],
    registers,
  });
  const throttles = new Counter({
    name: 'backflow_throttled_total',
    help: 'Answers of the target that asked to slow down',
    labelNames: ['target'],
    registers,
  });
  const breakers = new Gauge({
    name: 'backflow_breaker_state',
    help: '1 for the state that the circuit breaker of the target is in',
    labelNames: ['target', 'state'],
    registers,
  });
  const deadLetters = new Counter({
    name: 'backflow_dead_letters_total',
    help: 'Dead letters written',
    labelNames: ['target'],
    registers,
  });

  const guards = new Gauge({
    name: 'backflow_guard_holding',
    help: '1 while the channel holds what it would clear, until it is released',
    labelNames: ['channel'],
    registers,
  });
  const held = new Gauge({
    name: 'backflow_held_fields',
    help: 'Fields that are not written until a person says so (guard, or a paused channel)',
    labelNames: ['target', 'partition', 'channel', 'why'],
    registers,
  });

  const retention = new Gauge({
    name: 'backflow_lane_retention_ratio',
    help: 'How far the oldest unsettled change of the lane is on its way to being discarded by CHANGES; 1: now',
    labelNames: ['target', 'partition'],
    registers,
  });
  const reconcile = new Gauge({
    name: 'backflow_lane_needs_reconcile',
    help: '1 when changes of the lane were discarded unsettled and nobody has compared the target with the catalogue since',
    labelNames: ['target', 'partition'],
    registers,
  });
  const gaps = new Counter({
    name: 'backflow_gaps_total',
    help: 'Gaps: stretches of changes that CHANGES discarded before they were settled',
    labelNames: ['target'],
    registers,
  });
  const fill = new Gauge({
    name: 'backflow_stream_fill_ratio',
    help: 'Bytes of a stream in relation to its limit; lanes wait while OUTCOMES, OBJECTS or DEADLETTERS is full',
    labelNames: ['stream'],
    registers,
  });

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    intakeAnswered: (source, answer) => intakeRequests.inc({ source, answer }),
    intakeEvent: (source, result) => intakeEvents.inc({ source, result }),
    outcome: (name, of, status, count = 1) =>
      outcomes.inc({ target: target(name), channel: of === undefined ? '' : channel(of), status }, count),
    changeToWrite: (name, milliseconds) => latency.observe({ target: target(name) }, seconds(milliseconds)),
    laneLag: (lane, messages) => lag.set(labelsOf(lane), messages),
    oldestUnapplied: (lane, milliseconds) => oldest.set(labelsOf(lane), seconds(milliseconds)),
    credits: (lane, inUse) => {
      creditsInUse.set({ ...labelsOf(lane), unit: 'messages' }, inUse.messages);
      creditsInUse.set({ ...labelsOf(lane), unit: 'bytes' }, inUse.bytes);
    },
    retention: (lane, share, needsReconcile) => {
      retention.set(labelsOf(lane), share);
      reconcile.set(labelsOf(lane), needsReconcile ? 1 : 0);
    },
    gap: (name) => gaps.inc({ target: target(name) }),
    streamFill: (stream, share) => fill.set({ stream }, share),
    laneGone: (lane) => {
      retention.remove(labelsOf(lane));
      reconcile.remove(labelsOf(lane));
      lag.remove(labelsOf(lane));
      rates.remove(labelsOf(lane));
      oldest.remove(labelsOf(lane));
      creditsInUse.remove({ ...labelsOf(lane), unit: 'messages' });
      creditsInUse.remove({ ...labelsOf(lane), unit: 'bytes' });
    },
    limiterWait: (name, milliseconds) => limiterWaits.observe({ target: target(name) }, seconds(milliseconds)),
    rateLimit: (lane, perSecond) => rates.set(labelsOf(lane), perSecond),
    throttled: (lane, perSecond) => {
      throttles.inc({ target: target(lane.target) });
      rates.set(labelsOf(lane), perSecond);
    },
    breaker: (name, state) => {
      for (const one of BREAKER_STATES) breakers.set({ target: target(name), state: one }, one === state ? 1 : 0);
    },
    guard: (name, holding) => guards.set({ channel: channel(name) }, holding ? 1 : 0),
    heldFields: (lane, name, why, fields) => {
      const labels = { ...labelsOf(lane), channel: channel(name), why };
      if (fields > 0) held.set(labels, fields);
      else held.remove(labels);
    },
    deadLetter: (name) => deadLetters.inc({ target: name === undefined ? '_intake' : target(name) }),
  };
}

/** Clocks of different machines disagree: a negative duration counts as none. */
function seconds(milliseconds: number): number {
  return Math.max(0, milliseconds) / 1000;
}
