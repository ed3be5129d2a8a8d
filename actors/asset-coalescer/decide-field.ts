import type { Channel } from '../../src/channels/channel.ts';
import { chooseChannels, manages } from '../../src/channels/choose-channel.ts';
import { markdownToPlain } from '../../src/channels/markdown-to-plain.ts';
import { principalOf } from '../../src/channels/owner-rules.ts';
import { managedTags } from '../../src/channels/tag-rules.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { Asset } from '../../src/domain/asset.ts';
import { type Field, levelOf } from '../../src/domain/entity.ts';
import { formatFqn, parseFqn } from '../../src/domain/fqn.ts';
import type { FieldValue, Ledger, OpenField, Touch } from '../../src/domain/ledger.ts';
import type { ObjectRef, Operation, Tag } from '../../src/domain/operation.ts';
import { compareRanks } from '../../src/domain/rank.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Column, Snapshot, TagLabel } from '../../src/domain/snapshot.ts';
import { isDeletion } from '../../src/domain/touches.ts';
import { fieldValueHash } from '../../src/domain/value-hash.ts';
import type { ChannelVerdict, FieldWork, FieldWrite } from '../lane/asset-work.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { FieldAttempts } from './asset-entry.ts';

/** What a decision about a field needs besides the ledger. */
export interface DecisionContext {
  readonly target: string;
  readonly asset: Asset;
  readonly config: CompiledConfig;
  readonly held: (sequence: number) => HeldChange | undefined;
  readonly attempts: (key: string) => FieldAttempts | undefined;
  /** A fresh read of the catalogue settled the doubts; `gone`: it no longer knows the entity. */
  readonly catalogue?: 'fresh' | 'gone';
}

/**
 * Decides one open field: which channel writes it, what shall stand in the source, and what every other key ends as.
 * Pure: the ledger is only read.
 */
export function decideField(open: OpenField, ledger: Ledger, context: DecisionContext): FieldWork {
  const { target, asset, config } = context;
  const value = ledger.value(open.field);
  const settled = ledger.settled(open.key);
  const object = objectName(open.field);
  const tried = context.attempts(open.key);
  const base = {
    open,
    object,
    settlement: settlementOf(open, value),
    attempts: tried?.count ?? 0,
    ...(tried === undefined ? {} : { firstAttemptAt: tried.firstAt }),
    ...decidedBy(open, context),
    ...(settled?.written === undefined ? {} : { lastWritten: settled.written }),
  };
  const touches = [open.winner, ...open.losers];

  if (open.stale && open.removedTags.length === 0) {
    return {
      ...base,
      verdicts: allKeys(target, asset, open, config, context, () => ({
        kind: 'superseded',
        by: open.settledBy ?? 'a newer change',
      })),
    };
  }
  if (context.catalogue === 'gone') {
    return {
      ...base,
      verdicts: allKeys(target, asset, open, config, context, () => ({
        kind: 'skipped',
        reason: 'entity gone: the catalogue no longer knows it',
      })),
    };
  }

  const managing = managingChannels(target, asset, open.field, config);
  if (managing.length === 0) {
    return {
      ...base,
      verdicts: allKeys(target, asset, open, config, context, () => ({
        kind: 'skipped',
        reason: unmanagedReason(target, asset, open.field, config, touches, context),
      })),
    };
  }

  const state = ledger.newest();
  const verdicts: ChannelVerdict[] = [];
  let write: FieldWrite | undefined;
  const choice =
    state === undefined
      ? undefined
      : chooseChannels(managing, state, ledger.before(open.winner.sequence), open.field.aspect);
  for (const [index, channel] of managing.entries()) {
    const concerned = touches.filter((touch) => touch.channel === undefined || touch.channel === channel.name);
    const [winner, ...losers] = [...concerned].sort((a, b) => compareRanks(b.rank, a.rank));
    if (winner === undefined) continue;
    const decide = (): ChannelVerdict['verdict'] => {
      const ignored = ignoredUser(winner, context);
      if (ignored !== undefined) return { kind: 'skipped', reason: `changes of ${ignored} are not written back` };
      if (isDeletionTouch(winner, context))
        return { kind: 'skipped', reason: 'the entity was deleted; the source is left as it is' };
      if (state === undefined || choice === undefined) {
        return {
          kind: 'skipped',
          reason: 'the event carries no entity, and no catalogue address is configured to ask',
        };
      }
      const answer = choice[index];
      if (answer === undefined) return { kind: 'skipped', reason: 'the filter gave no answer' };
      if (answer.kind === 'filter-false') return { kind: 'skipped', reason: answer.reason };
      if (answer.kind === 'shadowed') return { kind: 'skipped', reason: `shadowed by channel ${answer.by}` };
      const operation = operationOf(open, value, ledger, channel, answer.removalsOnly, state, context);
      if (!operation.ok) return { kind: 'skipped', reason: operation.error };
      write = { channel, operation: operation.value.operation, notes: operation.value.notes };
      return { kind: 'writes' };
    };
    verdicts.push({ channel: channel.name, winner, losers, verdict: decide() });
  }
  return { ...base, verdicts, ...(write === undefined ? {} : { write }) };
}

/** The channels of the target whose switches and levels include the field, highest priority first. */
export function managingChannels(
  target: string,
  asset: Asset,
  field: Field,
  config: CompiledConfig,
): readonly Channel[] {
  const level = levelOf(asset.entityType, field.column !== undefined);
  return config.channelsOf(target).filter((channel) => manages(channel, field.aspect, level));
}

/** `''` for the entity itself, else the column's path written like an FQN. */
export function objectName(field: Field): string {
  return field.column === undefined ? '' : formatFqn(field.column);
}

function ignoredUser(touch: Touch, context: DecisionContext): string | undefined {
  const event = context.held(touch.sequence)?.received.event;
  if (event === undefined) return undefined;
  for (const user of [event.userName, event.impersonatedBy]) {
    if (user !== undefined && context.config.ignoreUsers.has(user)) return user;
  }
  return undefined;
}

function decidedBy(open: OpenField, context: DecisionContext): Pick<FieldWork, 'decidedBy'> {
  if (open.fresh || context.catalogue === 'gone') return { decidedBy: 'catalogue' };
  return open.doubts.length === 0 ? {} : { decidedBy: 'snapshot' };
}

function isDeletionTouch(touch: Touch, context: DecisionContext): boolean {
  const event = context.held(touch.sequence)?.received.event;
  return event !== undefined && isDeletion(event);
}

/** Every key of the field's touches with one verdict for all of them. */
function allKeys(
  target: string,
  asset: Asset,
  open: OpenField,
  config: CompiledConfig,
  context: DecisionContext,
  verdict: (touch: Touch) => ChannelVerdict['verdict'],
): ChannelVerdict[] {
  const managing = managingChannels(target, asset, open.field, config).map((channel) => channel.name);
  const touches = [open.winner, ...open.losers];
  const names: (string | undefined)[] = managing.length === 0 ? [undefined] : managing;
  return names.flatMap((channel) => {
    const concerned = touches.filter(
      (touch) => channel === undefined || touch.channel === undefined || touch.channel === channel,
    );
    return concerned.map((winner) => {
      const ignored = ignoredUser(winner, context);
      const answer: ChannelVerdict['verdict'] =
        ignored === undefined
          ? verdict(winner)
          : { kind: 'skipped', reason: `changes of ${ignored} are not written back` };
      return { ...(channel === undefined ? {} : { channel }), winner, losers: [], verdict: answer };
    });
  });
}

function unmanagedReason(
  target: string,
  asset: Asset,
  field: Field,
  config: CompiledConfig,
  touches: readonly Touch[],
  context: DecisionContext,
): string {
  for (const touch of touches) {
    const held = context.held(touch.sequence);
    if (held === undefined || held.config.revision === config.revision) continue;
    const former = managingChannels(target, asset, field, held.config)[0];
    if (former !== undefined) return `channel removed: ${former.name}`;
  }
  return `no channel of ${target} writes ${field.aspect} at this level`;
}

function settlementOf(open: OpenField, value: FieldValue): FieldWork['settlement'] {
  const rank = value.known && compareRanks(value.rank, open.winner.rank) > 0 ? value.rank : open.winner.rank;
  const hash = fieldValueHash(value);
  return { key: open.key, rank, ...(hash === undefined ? {} : { hash }) };
}

function operationOf(
  open: OpenField,
  value: FieldValue,
  ledger: Ledger,
  channel: Channel,
  removalsOnly: boolean,
  state: Snapshot,
  context: DecisionContext,
): Result<{ operation: Operation; notes: readonly string[] }, string> {
  const object = objectRef(context.asset, open.field, state);
  if (!object.ok) return object;
  if (!value.known)
    return err(`the event does not carry the ${open.field.aspect} of this object, so nothing is known to write`);
  switch (value.aspect) {
    case 'description': {
      const text =
        value.text === undefined || channel.descriptionFormat === 'as-is' ? value.text : markdownToPlain(value.text);
      if ((text === undefined || text === '') && !open.mayClear)
        return err(
          'the description is empty here, but no change is known to have cleared it; the source is left as it is',
        );
      const previous = previousText(open.winner, context);
      return ok({
        operation: {
          aspect: 'description',
          object: object.value,
          text: text === '' ? undefined : text,
          ...(previous === undefined ? {} : { previous }),
        },
        notes: text === value.text ? [] : ['markup was turned into plain text'],
      });
    }
    case 'owners': {
      if (value.owners.length === 0 && !open.mayClear)
        return err('no owner is named here, but no change is known to have removed one; the source is left as it is');
      const principal = principalOf(value.owners, context.config.owners);
      if (!principal.ok) return err(principal.error.reason);
      return ok({ operation: { aspect: 'owners', object: object.value, principal: principal.value }, notes: [] });
    }
    case 'tags': {
      const desired = managedTags(value.tags);
      if (!desired.ok) return err(desired.error.reason);
      const before = (ledger.settled(open.key)?.tags ?? []).map(tagOf);
      const removed = tagsOf(open.removedTags);
      // What the diff removed goes in any case; what we applied before goes only when its absence is certain.
      const unset = unique([...removed, ...(open.mayClear ? before : [])]).filter(
        (tag) => !desired.value.some((wanted) => wanted.key === tag.key),
      );
      // A channel whose filter no longer matches only takes away what the change took away.
      if (removalsOnly)
        return ok({ operation: { aspect: 'tags', object: object.value, desired: [], added: [], unset }, notes: [] });
      const added = desired.value.filter((tag) => !before.some((applied) => sameTag(applied, tag)));
      return ok({
        operation: { aspect: 'tags', object: object.value, desired: desired.value, added, unset },
        notes: [],
      });
    }
  }
}

function previousText(winner: Touch, context: DecisionContext): string | undefined {
  const event = context.held(winner.sequence)?.received.event;
  const column = winner.field.column;
  const names =
    column === undefined
      ? ['description']
      : [`columns.${formatFqn(column)}.description`, `columns.${column.join('.')}.description`];
  const change = event?.changes?.find((candidate) => names.includes(candidate.name));
  return typeof change?.oldValue === 'string' ? change.oldValue : undefined;
}

/** Labels that channels manage, each on its own: one that cannot be written as key and value is passed over. */
function tagsOf(labels: readonly TagLabel[]): Tag[] {
  return labels.flatMap((label) => {
    const tags = managedTags([label]);
    return tags.ok ? tags.value : [];
  });
}

const sameTag = (a: Tag, b: Tag): boolean => a.key === b.key && a.value === b.value;

function unique(tags: readonly Tag[]): Tag[] {
  return tags.filter((tag, index) => tags.findIndex((other) => sameTag(other, tag)) === index);
}

function tagOf(text: string): Tag {
  const at = text.indexOf('=');
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}

/** The object in the source that a field of the asset is about. */
export function objectRef(asset: Asset, field: Field, state: Snapshot | undefined): Result<ObjectRef, string> {
  const parts = parseFqn(asset.fqn);
  if (!parts.ok) return err(`the name ${asset.fqn} cannot be read: ${parts.error.message}`);
  const [service, database, schema, table] = parts.value;
  if (service === undefined || database === undefined) return err(`the name ${asset.fqn} has too few parts`);
  const column = field.column === undefined ? undefined : findColumn(state?.columns ?? [], field.column);
  return ok({
    level: levelOf(asset.entityType, field.column !== undefined),
    entityType: asset.entityType,
    fqn: asset.fqn,
    service,
    database,
    ...(schema === undefined ? {} : { schema }),
    ...(table === undefined ? {} : { table }),
    ...(field.column === undefined ? {} : { column: field.column }),
    ...(state?.tableType === undefined ? {} : { tableType: state.tableType }),
    ...(column === undefined ? {} : { dataType: column.dataType }),
  });
}

function findColumn(columns: readonly Column[], path: readonly string[]): Column | undefined {
  const [name, ...rest] = path;
  const found = columns.find((column) => column.name === name);
  return rest.length === 0 || found === undefined ? found : findColumn(found.children, rest);
}
