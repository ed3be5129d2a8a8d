import type { Channel } from '../../src/channels/channel.ts';
import { markdownToPlain } from '../../src/channels/markdown-to-plain.ts';
import { principalOf } from '../../src/channels/owner-rules.ts';
import { managedTags } from '../../src/channels/tag-rules.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { Asset } from '../../src/domain/asset.ts';
import type { ChangeEvent } from '../../src/domain/change-event.ts';
import { changesNamed } from '../../src/domain/changes-named.ts';
import { columnAt } from '../../src/domain/columns.ts';
import { type Field, levelOf } from '../../src/domain/entity.ts';
import { formatFqn, parseFqn } from '../../src/domain/fqn.ts';
import type { FieldValue, Ledger, OpenField, Touch } from '../../src/domain/ledger.ts';
import type { ObjectRef, Operation, Tag } from '../../src/domain/operation.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { tagOf } from '../../src/domain/tag-text.ts';
import { passingTags, tagsOf } from './passing-tags.ts';

/** What making an operation needs besides the ledger. */
export interface OperationContext {
  readonly asset: Asset;
  readonly config: CompiledConfig;
  readonly event: (touch: Touch) => ChangeEvent | undefined;
}

/**
 * What shall be true of the field in the source for a channel, or why nothing is to be written. Pure.
 * `removalsOnly`: the channel's filter was true before the change and no longer is.
 */
export function operationOf(
  open: OpenField,
  value: FieldValue,
  ledger: Ledger,
  channel: Channel,
  removalsOnly: boolean,
  state: Snapshot,
  context: OperationContext,
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
      const settled = ledger.settled(open.key);
      const before = (settled?.tags ?? []).map(tagOf);
      const left = (settled?.mayStand ?? []).map(tagOf);
      const removed = tagsOf(open.removedTags);
      // What the diff removed goes in any case; what we applied, or may have applied, goes only when its absence is certain.
      const touches = [open.winner, ...open.losers];
      const passing = open.losers.length === 0 ? [] : passingTags(open.field, touches, context.event);
      const unset = unique([...removed, ...(open.mayClear ? [...before, ...left, ...passing] : [])]).filter(
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

function previousText(winner: Touch, context: OperationContext): string | undefined {
  const event = context.event(winner);
  const column = winner.field.column;
  const changes = event?.changes ?? [];
  const first = (name: string) => changesNamed(changes, name)[0];
  const change =
    column === undefined
      ? first('description')
      : (first(`columns.${formatFqn(column)}.description`) ?? first(`columns.${column.join('.')}.description`));
  return typeof change?.oldValue === 'string' ? change.oldValue : undefined;
}

const sameTag = (a: Tag, b: Tag): boolean => a.key === b.key && a.value === b.value;

function unique(tags: readonly Tag[]): Tag[] {
  return tags.filter((tag, index) => tags.findIndex((other) => sameTag(other, tag)) === index);
}

/** The object in the source that a field of the asset is about. */
export function objectRef(asset: Asset, field: Field, state: Snapshot | undefined): Result<ObjectRef, string> {
  const parts = parseFqn(asset.fqn);
  if (!parts.ok) return err(`the name ${asset.fqn} cannot be read: ${parts.error.message}`);
  const [service, database, schema, table] = parts.value;
  if (service === undefined || database === undefined) return err(`the name ${asset.fqn} has too few parts`);
  const column = field.column === undefined ? undefined : columnAt(state?.columns ?? [], field.column);
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
