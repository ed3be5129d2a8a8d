import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { decideField, objectName } from '../../actors/asset-coalescer/decide-field.ts';
import type { HeldChange } from '../../actors/lane/held-change.ts';
import { renderTemplates } from '../../actors/template-renderer/render-field.ts';
import type { Connector, PlanOptions } from '../../connectors/contract.ts';
import type { Channel, TemplateSlot } from '../channels/channel.ts';
import { enteredFields } from '../channels/entered-fields.ts';
import type { CompiledConfig } from '../config/compiled.ts';
import { assetKey } from '../domain/asset.ts';
import { createLedger } from '../domain/asset-ledger.ts';
import type { ChangeEvent } from '../domain/change-event.ts';
import { ASPECTS, type Aspect, LEVELS } from '../domain/entity.ts';
import type { Ledger, OpenField } from '../domain/ledger.ts';
import { UNDO_WAIT_MS } from '../domain/undo.ts';
import type { CompiledTemplate } from '../template/template.ts';

/** A statement could not be made. Line and column count in the template; 1 and 1 where none is to blame. */
export interface RenderProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

/** A touched field that leads to no statement, and why. */
export interface RenderSkip {
  readonly asset: string;
  readonly aspect?: Aspect;
  /** `''` is the entity itself, else the column. */
  readonly object: string;
  readonly reason: string;
}

export interface RenderedEvent {
  /** Exactly as they would be run, in the order of the fields. */
  readonly statements: readonly string[];
  readonly notes: readonly string[];
  readonly skipped: readonly RenderSkip[];
  readonly errors: readonly RenderProblem[];
}

/** Whose rules an event is rendered with. */
export interface RenderRules {
  readonly connector: Connector;
  readonly target: string;
  readonly channel: Channel;
  /** Owners and ignored users; of the channels only `channel` counts. */
  readonly config: CompiledConfig;
}

/**
 * What a lane that has never seen the asset would write for an event, decided and planned by the lane's own code, without any
 * server: the source's present state is unknown, so the catalogue's hints decide (the kind of a table, for example).
 */
export function renderEvent(event: ChangeEvent, rules: RenderRules): RenderedEvent {
  const asset = { entityType: event.entityType, fqn: event.fqn };
  const held = heldChange(event, rules.config);
  const ledger = createLedger(asset, undefined);
  // An undo waits for the change that it takes back; here nothing else will come.
  const admission = ledger.admit(held.received, 0);
  if (admission.kind === 'waiting') ledger.admit(held.received, 2 * UNDO_WAIT_MS);
  touchEntered(ledger, rules.channel);
  const open = ledger.open();
  if (open.length === 0) {
    const reason =
      admission.kind === 'deleted'
        ? 'the entity was deleted; the source is left as it is'
        : 'the change touches nothing that is written back';
    return { statements: [], notes: [], skipped: [{ asset: event.fqn, object: '', reason }], errors: [] };
  }
  const parts = open.map((field) => renderField(field, ledger, held, rules));
  return {
    statements: parts.flatMap((part) => part.statements),
    notes: [...new Set(parts.flatMap((part) => part.notes))],
    skipped: parts.flatMap((part) => part.skipped),
    errors: parts.flatMap((part) => part.errors),
  };
}

function renderField(open: OpenField, ledger: Ledger, held: HeldChange, rules: RenderRules): RenderedEvent {
  const { target, channel, connector, config } = rules;
  const { asset } = held;
  const nothing: RenderedEvent = { statements: [], notes: [], skipped: [], errors: [] };
  const skip = (reason: string): RenderedEvent => ({
    ...nothing,
    skipped: [{ asset: asset.fqn, aspect: open.field.aspect, object: objectName(open.field), reason }],
  });
  const work = decideField(open, ledger, {
    target,
    asset,
    config,
    held: () => held,
    sent: () => false,
    attempts: () => undefined,
  });
  if (work.write === undefined) {
    const reasons = work.verdicts.flatMap(({ verdict }) => (verdict.kind === 'skipped' ? [verdict.reason] : []));
    return skip(reasons[0] ?? 'nothing is to be written');
  }
  const { operation, notes } = work.write;
  const rendered = renderTemplates(channel, operation);
  if (!rendered.ok) {
    const { outcome, reason, error } = rendered.error;
    if (outcome === 'skipped') return skip(reason);
    return { ...nothing, errors: [error ?? { line: 1, column: 1, message: reason }] };
  }
  const options: PlanOptions = {
    ...(rendered.value === undefined ? {} : { template: rendered.value.statements }),
    acceptRace: channel.acceptRace,
  };
  if (rendered.value?.statements.length === 0)
    return skip('the template runs once per changed tag, and no tag has changed so');
  const plan = connector.plan(operation, undefined, options);
  if (!plan.ok) {
    const { outcome, failure } = plan.error;
    if (outcome === 'skipped') return skip(failure.message);
    const hint = `refused by the connector ${connector.spec.name} (${failure.code})`;
    return { ...nothing, errors: [{ line: 1, column: 1, message: failure.message, hint }] };
  }
  return { ...nothing, statements: plan.value.statements, notes: [...notes, ...plan.value.notes] };
}

/** A change that brings the entity into the channel's filter touches everything of the channel that the entity carries. */
function touchEntered(ledger: Ledger, channel: Channel): void {
  const state = ledger.newest();
  const before = ledger.before(SEQUENCE);
  if (state === undefined) return;
  for (const field of enteredFields(channel, state, before)) ledger.touch(SEQUENCE, field, channel.name);
}

const SEQUENCE = 1;

/** The event as a lane would hold it; it came from no stream, so there is nothing to acknowledge. */
function heldChange(event: ChangeEvent, config: CompiledConfig): HeldChange {
  const asset = { entityType: event.entityType, fqn: event.fqn };
  const { timestamp } = event;
  return {
    delivery: {
      subject: '',
      sequence: SEQUENCE,
      deliveryCount: 1,
      streamTime: timestamp,
      headers: {},
      data: new Uint8Array(),
      pending: 0,
      ack: () => {},
      nak: () => {},
    },
    received: { sequence: SEQUENCE, streamTime: timestamp, event },
    asset,
    bytes: 0,
    key: assetKey(asset),
    trace: ROOT_CONTEXT,
    span: trace.getTracer('backflow').startSpan('render', {}, ROOT_CONTEXT),
    receivedAt: timestamp,
    pulledAt: timestamp,
    config,
  };
}

/**
 * Rules for a template alone (none: the connector's own plan): a channel that every entity fits and that writes everything. Without a
 * configuration an owner's name in the catalogue stands for the principal.
 */
export function templateRules(
  connector: Connector,
  template: CompiledTemplate | undefined,
  event: ChangeEvent,
): RenderRules {
  const slots: readonly TemplateSlot[] = template === undefined ? [] : [{ template }];
  const channel: Channel = {
    name: 'template',
    priority: 0,
    mode: 'write',
    filter: {
      matches: () => true,
      explain: () => ({ clause: 'every entity', result: true, children: [] }),
      needsTags: false,
    },
    update: new Set(ASPECTS),
    levels: new Set(LEVELS),
    onDrift: 'overwrite',
    descriptionFormat: 'as-is',
    templates: slots,
    acceptRace: true,
  };
  const owners = event.snapshot?.owners ?? [];
  return channelRules(connector, event.service, channel, {
    revision: 0,
    hash: '',
    targets: new Map(),
    channelsOf: () => [channel],
    channels: [channel],
    owners: { map: new Map(owners.map(({ name }) => [name, name])), team: 'role', multiple: 'first' },
    ignoreUsers: new Set(),
  });
}

/** Rules of one channel of a configuration; that other channels may come first is not looked at. */
export function channelRules(
  connector: Connector,
  target: string,
  channel: Channel,
  config: CompiledConfig,
): RenderRules {
  return { connector, target, channel, config: { ...config, channels: [channel], channelsOf: () => [channel] } };
}
