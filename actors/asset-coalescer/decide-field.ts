import type { Channel } from '../../src/channels/channel.ts';
import { chooseChannels, filterInDoubt } from '../../src/channels/choose-channel.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { Asset } from '../../src/domain/asset.ts';
import type { FieldValue, Ledger, OpenField, Touch } from '../../src/domain/ledger.ts';
import { compareRanks } from '../../src/domain/rank.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import type { SettledField } from '../../src/domain/sync-state.ts';
import { tagText } from '../../src/domain/tag-text.ts';
import { isDeletion } from '../../src/domain/touches.ts';
import { fieldHash } from '../../src/domain/undo.ts';
import { fieldValueHash, NO_VALUE } from '../../src/domain/value-hash.ts';
import type { ChannelVerdict, FieldWork } from '../lane/asset-work.ts';
import type { HeldChange } from '../lane/held-change.ts';
import { unexpectedFailure } from '../lane/unexpected-failure.ts';
import type { FieldAttempts } from './asset-entry.ts';
import { managingChannels, objectName, onlyChannelOf, removedChannels } from './channel-keys.ts';
import { ignoredUser } from './ignored-user.ts';
import { operationOf } from './operation-of.ts';
import { passingTags } from './passing-tags.ts';

export { managingChannels, objectName } from './channel-keys.ts';

/** What a decision about a field needs besides the ledger. */
export interface DecisionContext {
  readonly target: string;
  readonly asset: Asset;
  readonly config: CompiledConfig;
  readonly held: (sequence: number) => HeldChange | undefined;
  /** The change was given out to be written, and nothing is known of what came of it. */
  readonly sent: (sequence: number) => boolean;
  readonly attempts: (key: string) => FieldAttempts | undefined;
  /** A read of the catalogue said that it no longer knows the entity. */
  readonly catalogue?: 'gone';
}

type Verdict = ChannelVerdict['verdict'];
type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

/** What is said of a deletion: its keys are decided, the source is not touched. */
export const DELETED = 'the entity was deleted; the source is left as it is';

/**
 * Decides one open field: which channel writes it, what shall stand in the source, and what every other key ends as. Every key of
 * every touch stands in exactly one verdict, as its winner or among its losers. Pure: the ledger is only read.
 */
export function decideField(open: OpenField, ledger: Ledger, context: DecisionContext): FieldWork {
  const { target, asset, config } = context;
  const value = ledger.value(open.field);
  const settled = ledger.settled(open.key);
  const tried = context.attempts(open.key);
  const managing = managingChannels(target, asset, open.field, config);
  const verdicts: ChannelVerdict[] = removedVerdicts(open, context);
  // Filled member by member: there is one of these for each column, and spreading it together costs several times as much.
  const work: Writable<FieldWork> = {
    open,
    object: objectName(open.field),
    settlement: settlementOf(open, value, context),
    attempts: tried?.count ?? 0,
    verdicts,
  };
  if (tried !== undefined) work.firstAttemptAt = tried.firstAt;
  const source = decidedBy(open, ledger, context, managing);
  if (source !== undefined) work.decidedBy = source;
  if (open.field.aspect === 'tags') work.mayStand = mayStand(open, settled, context);
  if (settled?.written !== undefined) work.lastWritten = settled.written;
  const alike = (verdict: Verdict): FieldWork => {
    verdicts.push(...everyKey(open, context, (touch) => ignored(touch, context) ?? verdict));
    return work;
  };
  if (open.stale && open.removedTags.length === 0)
    return alike({ kind: 'superseded', by: open.settledBy ?? 'a newer change' });
  if (context.catalogue === 'gone')
    return alike({ kind: 'skipped', reason: 'entity gone: the catalogue no longer knows it' });
  if (managing.length === 0)
    return alike({ kind: 'skipped', reason: `no channel of ${target} writes ${open.field.aspect} at this level` });

  const state = ledger.newest();
  // The state before bears on tags alone.
  const before = open.field.aspect === 'tags' ? stateBeforeAll(open, ledger) : undefined;
  const choice = state === undefined ? undefined : chooseChannels(managing, state, before, open.field.aspect);
  for (const [index, channel] of managing.entries()) {
    const touches = concerned(open, channel.name, context);
    const aside = setAside(open, touches, context);
    for (const one of aside) verdicts.push({ channel: channel.name, losers: [], ...one });
    const [winner, ...losers] = touches.slice(aside.length);
    if (winner === undefined) continue;
    const decide = (): Verdict => {
      const ofIgnored = ignored(winner, context);
      if (ofIgnored !== undefined) return ofIgnored;
      // Where the catalogue was asked since and knows the entity, it has been brought back.
      if (isDeletionTouch(winner, context) && !open.fresh) return { kind: 'skipped', reason: DELETED };
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
      const event = (touch: Touch) => context.held(touch.sequence)?.received.event;
      let operation: ReturnType<typeof operationOf>;
      try {
        operation = operationOf(open, value, ledger, channel, answer.removalsOnly, state, { asset, config, event });
      } catch (error) {
        // A mistake of ours that one value brings out must not hold up the other assets.
        return { kind: 'failed', failure: unexpectedFailure('the value could not be prepared', error) };
      }
      if (!operation.ok) return { kind: 'skipped', reason: operation.error };
      work.write = { channel, operation: operation.value.operation, notes: operation.value.notes };
      return { kind: 'writes' };
    };
    verdicts.push({ channel: channel.name, winner, losers, verdict: decide() });
  }
  return work;
}

/** As `decideField`, but a mistake of ours that one field brings out ends the keys of that field alone. */
export function decideSafely(open: OpenField, ledger: Ledger, context: DecisionContext): FieldWork {
  try {
    return decideField(open, ledger, context);
  } catch (error) {
    const failure = unexpectedFailure('the field could not be decided', error);
    return {
      open,
      object: objectName(open.field),
      settlement: { key: open.key, rank: open.winner.rank },
      attempts: 0,
      verdicts: everyKey(open, context, () => ({ kind: 'failed', failure })),
    };
  }
}

/** The open touches that a channel is concerned with, the highest rank first. */
function concerned(open: OpenField, channel: string, context: DecisionContext): readonly Touch[] {
  const touches = [open.winner, ...open.losers].filter(
    (touch) => (onlyChannelOf(touch, context.held(touch.sequence)) ?? channel) === channel,
  );
  return touches.length < 2 ? touches : touches.sort((a, b) => compareRanks(b.rank, a.rank));
}

/**
 * Undos of ignored users that stand above the others. Where they belong in time was a guess; once the catalogue was asked, its answer
 * speaks for the changes of everybody else.
 */
function setAside(
  open: OpenField,
  touches: readonly Touch[],
  context: DecisionContext,
): readonly Pick<ChannelVerdict, 'winner' | 'verdict'>[] {
  const aside: Pick<ChannelVerdict, 'winner' | 'verdict'>[] = [];
  if (!open.fresh) return aside;
  for (const touch of touches) {
    const verdict = touch.doubts.includes('undo') ? ignored(touch, context) : undefined;
    if (verdict === undefined) return aside;
    aside.push({ winner: touch, verdict });
  }
  // Nobody else is there to speak for.
  return [];
}

/** Every key that the present configuration gives the field's touches, each with a verdict of its own. */
function everyKey(open: OpenField, context: DecisionContext, verdict: (touch: Touch) => Verdict): ChannelVerdict[] {
  const { target, asset, config } = context;
  const managing = managingChannels(target, asset, open.field, config);
  const of = (touch: Touch): ChannelVerdict => ({ winner: touch, losers: [], verdict: verdict(touch) });
  if (managing.length > 0) {
    return managing.flatMap(({ name }) =>
      concerned(open, name, context).map((touch) => ({ channel: name, ...of(touch) })),
    );
  }
  const withoutKey = (touch: Touch): boolean => removedOf(touch, context).length === 0;
  return [open.winner, ...open.losers].filter(withoutKey).map(of);
}

function removedOf(touch: Touch, context: DecisionContext): readonly string[] {
  const { target, asset, config } = context;
  const change = context.held(touch.sequence);
  // Nearly always: nothing can have gone away.
  if (change?.config.revision === config.revision && onlyChannelOf(touch, change) === undefined) return [];
  const managing = managingChannels(target, asset, touch.field, config);
  return removedChannels(target, asset, touch, change, managing, config);
}

/** The keys of channels that went away while the change was open. */
function removedVerdicts(open: OpenField, context: DecisionContext): ChannelVerdict[] {
  return [open.winner, ...open.losers].flatMap((touch) =>
    removedOf(touch, context).map((channel): ChannelVerdict => {
      const reason = `channel removed: ${channel}`;
      return { channel, winner: touch, losers: [], verdict: { kind: 'skipped', reason } };
    }),
  );
}

/**
 * A channel is concerned with a removed tag by the state before any of what came together: an owner before this one may have written
 * what stood there in between, without being able to tell.
 */
function stateBeforeAll(open: OpenField, ledger: Ledger): readonly Snapshot[] {
  return [...open.losers, open.winner].flatMap((touch) => ledger.before(touch.sequence) ?? []);
}

/**
 * The verdict on a change of a user whose changes are not written back; undefined for every other change. What only shows in the
 * snapshot of such a change was done by somebody else before.
 */
function ignored(touch: Touch, context: DecisionContext): Verdict | undefined {
  if (touch.reason === 'differs') return undefined;
  const user = ignoredUser(context.held(touch.sequence)?.received.event, context.config);
  return user === undefined ? undefined : { kind: 'skipped', reason: `changes of ${user} are not written back` };
}

/**
 * The tags, as `key=value`, that may stand in the source by our doing: what we applied, what an earlier decision left there, and what
 * people's changes name that may have been written without a word of it, by a try that failed half-way or by an owner that died. What
 * is decided now may have to leave them (an ignored user has the last word); a later decision takes them away.
 */
function mayStand(open: OpenField, settled: SettledField | undefined, context: DecisionContext): readonly string[] {
  const tried = context.attempts(open.key) !== undefined;
  const mayBeWritten = [open.winner, ...open.losers].filter((touch) => {
    const again = (context.held(touch.sequence)?.delivery.deliveryCount ?? 1) > 1;
    return (tried || again || context.sent(touch.sequence)) && ignored(touch, context) === undefined;
  });
  const passing = passingTags(open.field, mayBeWritten, ({ sequence }) => context.held(sequence)?.received.event);
  return [...new Set([...(settled?.tags ?? []), ...(settled?.mayStand ?? []), ...passing.map(tagText)])];
}

function decidedBy(
  open: OpenField,
  ledger: Ledger,
  context: DecisionContext,
  managing: readonly Channel[],
): FieldWork['decidedBy'] {
  if (open.fresh || context.catalogue === 'gone') return 'catalogue';
  const doubtful = open.doubts.length > 0 || isFilterInDoubt(open, ledger, context, managing);
  return doubtful ? 'snapshot' : undefined;
}

/** A channel that manages the field asks for tags, and no state that is known carries them. */
export function isFilterInDoubt(
  open: OpenField,
  ledger: Ledger,
  context: Pick<DecisionContext, 'target' | 'asset' | 'config'>,
  managing = managingChannels(context.target, context.asset, open.field, context.config),
): boolean {
  if (open.fresh || open.stale) return false;
  const state = ledger.newest();
  if (state === undefined) return false;
  return managing.some((channel) => filterInDoubt(channel.filter, state));
}

function isDeletionTouch(touch: Touch, context: DecisionContext): boolean {
  const event = context.held(touch.sequence)?.received.event;
  return event !== undefined && isDeletion(event);
}

/**
 * The rank and value of the state that the decision is made from. A change that is skipped for its user alone says nothing about
 * what a newer state holds: only the change itself is settled, so that whoever made the newer value is still written.
 */
function settlementOf(open: OpenField, value: FieldValue, context: DecisionContext): FieldWork['settlement'] {
  const touches = [open.winner, ...open.losers];
  const decisive = touches[setAside(open, touches, context).length] ?? open.winner;
  if (ignored(decisive, context) !== undefined) {
    const own = context.held(open.winner.sequence)?.received.event.snapshot;
    const hash = own === undefined ? undefined : fieldHash(own, open.winner);
    return { key: open.key, rank: open.winner.rank, ...(hash === undefined ? {} : { hash }) };
  }
  // Nothing is decided from the newest state here; raising the rank to it would supersede what is still to come below it: after a
  // deletion the restored entity, which touches everything that it carries.
  if (open.stale || (isDeletionTouch(open.winner, context) && !open.fresh))
    return { key: open.key, rank: open.winner.rank };
  const hash = fieldValueHash(value);
  // Nor is anything done about an empty value that nobody is known to have made empty: who did may still come.
  const undone = hash === NO_VALUE && !open.mayClear && value.known && value.aspect !== 'tags';
  const above = value.known && !undone && compareRanks(value.rank, open.winner.rank) > 0;
  const rank = above ? value.rank : open.winner.rank;
  return { key: open.key, rank, ...(hash === undefined ? {} : { hash }) };
}
