import { type Content, type Emitted, TARGET, TEXT_PARTS, type TextPart } from './catalogue-content.ts';

/** One entry of a change description. Lists hold what was added or removed. */
export interface FieldDiff {
  readonly kind: 'added' | 'updated' | 'deleted';
  readonly name: string;
  readonly oldValue?: unknown;
  readonly newValue?: unknown;
}

const fqnOf = (table: string): string => `${TARGET}.shop.public.${table}`;
const nameOf = (part: TextPart): string => (part === 'description' ? part : `columns.${part}.description`);
const label = (tagFQN: string) => ({ tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' });
const owner = (name: string) => ({ id: `user-${name}`, type: 'user', name, fullyQualifiedName: name });

/** What an edit says about itself. */
export function changesBetween(before: Content, after: Content): readonly FieldDiff[] {
  const texts = TEXT_PARTS.flatMap((part): FieldDiff[] => {
    const oldValue = before[part];
    const newValue = after[part];
    if (oldValue === newValue) return [];
    const kind = oldValue === undefined ? 'added' : newValue === undefined ? 'deleted' : 'updated';
    return [{ kind, name: nameOf(part), ...values(oldValue, newValue) }];
  });
  const owners = before.owner === after.owner ? [] : listDiff('owners', ownersOf(before), ownersOf(after), owner);
  return [...texts, ...owners, ...listDiff('tags', before.tags, after.tags, label)];
}

export function voteDiff(): readonly FieldDiff[] {
  return [{ kind: 'updated', name: 'votes', oldValue: '', newValue: 'votedUp' }];
}

/** `whole` false: as events of votes carry it, without relations. */
export function entityJson(
  name: string,
  id: string,
  content: Content,
  more: {
    readonly version: number;
    readonly updatedAt: number;
    readonly updatedBy: string;
    readonly deleted: boolean;
    readonly whole: boolean;
  },
): Readonly<Record<string, unknown>> {
  const { whole, ...rest } = more;
  const fqn = fqnOf(name);
  const text = (value: string | undefined) => (value === undefined ? {} : { description: value });
  const column = (part: 'a' | 'b') => ({
    name: part,
    dataType: 'INT',
    fullyQualifiedName: `${fqn}.${part}`,
    tags: [],
    ...text(content[part]),
  });
  return {
    id,
    name,
    fullyQualifiedName: fqn,
    ...text(content.description),
    ...rest,
    tableType: 'Regular',
    columns: [column('a'), column('b')],
    ...(whole ? { tags: content.tags.map(label), owners: ownersOf(content).map(owner) } : {}),
    databaseSchema: { id: 's', type: 'databaseSchema', name: 'public', fullyQualifiedName: `${TARGET}.shop.public` },
    database: { id: 'd', type: 'database', name: 'shop', fullyQualifiedName: `${TARGET}.shop` },
    service: { id: 'x', type: 'databaseService', name: TARGET, fullyQualifiedName: TARGET },
    serviceType: 'Postgres',
  };
}

interface EventParts {
  readonly eventId: string;
  readonly eventType: string;
  readonly table: string;
  readonly entityId: string;
  readonly userName: string;
  readonly timestamp: number;
  readonly version: number;
  readonly previousVersion: number | undefined;
  /** Undefined: no change description at all, as creations and hard deletions have it. */
  readonly diff: readonly FieldDiff[] | undefined;
  readonly changedAt: ReadonlyMap<string, number>;
  readonly entity: Readonly<Record<string, unknown>>;
  readonly content: Content;
}

/** The event as it lies in CHANGES, and the fields that it touches. */
export function eventJson(event: EventParts): Emitted {
  const { eventId, eventType, table, entityId, userName, timestamp, diff, previousVersion, content } = event;
  const ofKind = (kind: FieldDiff['kind']) =>
    (diff ?? []).filter((change) => change.kind === kind).map(({ kind: _, ...change }) => jsonValues(change));
  const summary = [...event.changedAt].map(([name, changedAt]) => [name, { changedAt, changedBy: userName }]);
  const body = JSON.stringify({
    id: eventId,
    eventType,
    entityType: 'table',
    entityId,
    entityFullyQualifiedName: fqnOf(table),
    previousVersion: 0.1,
    currentVersion: event.version,
    userName,
    timestamp,
    ...(diff === undefined
      ? {}
      : {
          changeDescription: {
            fieldsAdded: ofKind('added'),
            fieldsUpdated: ofKind('updated'),
            fieldsDeleted: ofKind('deleted'),
            previousVersion,
            changeSummary: Object.fromEntries(summary),
          },
        }),
    entity: JSON.stringify(event.entity),
  });
  return { eventId, user: userName, body, keys: keysOf(eventType, diff, content) };
}

function keysOf(eventType: string, diff: readonly FieldDiff[] | undefined, content: Content): readonly string[] {
  const whole = eventType === 'entityCreated' || eventType === 'entityRestored';
  const keys = whole ? carried(content) : [...new Set((diff ?? []).flatMap(({ name }) => keyOf(name) ?? []))];
  return keys.length === 0 ? [' '] : keys;
}

function keyOf(name: string): string | undefined {
  if (name === 'tags' || name === 'owners' || name === 'description') return `${name} `;
  const column = /^columns\.(\w+)\.description$/.exec(name)?.[1];
  return column === undefined ? undefined : `description ${column}`;
}

function carried(content: Content): readonly string[] {
  const texts = TEXT_PARTS.filter((part) => content[part] !== undefined).flatMap((part) => keyOf(nameOf(part)) ?? []);
  return [...texts, ...(content.tags.length > 0 ? ['tags '] : []), ...(content.owner === undefined ? [] : ['owners '])];
}

const ownersOf = ({ owner: name }: Content): readonly string[] => (name === undefined ? [] : [name]);

function values(oldValue: unknown, newValue: unknown): Pick<FieldDiff, 'oldValue' | 'newValue'> {
  return { ...(oldValue === undefined ? {} : { oldValue }), ...(newValue === undefined ? {} : { newValue }) };
}

function listDiff(
  name: string,
  before: readonly string[],
  after: readonly string[],
  make: (item: string) => object,
): FieldDiff[] {
  const added = after.filter((item) => !before.includes(item)).map(make);
  const removed = before.filter((item) => !after.includes(item)).map(make);
  return [
    ...(added.length > 0 ? [{ kind: 'added' as const, name, newValue: added }] : []),
    ...(removed.length > 0 ? [{ kind: 'deleted' as const, name, oldValue: removed }] : []),
  ];
}

/** Lists travel as JSON text. */
function jsonValues({ name, oldValue, newValue }: Omit<FieldDiff, 'kind'>) {
  const text = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : value);
  return { name, ...values(text(oldValue), text(newValue)) };
}
