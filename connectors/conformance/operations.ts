import type {
  DescriptionOperation,
  ObjectRef,
  Operation,
  OwnersOperation,
  Tag,
  TagsOperation,
} from '../../src/domain/operation.ts';

export function describeAs(object: ObjectRef, text: string | undefined): DescriptionOperation {
  return { aspect: 'description', object, text };
}

export function giveTo(object: ObjectRef, principal: string | undefined): OwnersOperation {
  return { aspect: 'owners', object, principal };
}

export function tagWith(object: ObjectRef, desired: readonly Tag[], unset: readonly Tag[] = []): TagsOperation {
  return { aspect: 'tags', object, desired, added: desired, unset };
}

/** For messages: `description of table "a"."b"`, readable whatever the names hold. */
export function nameOf(object: ObjectRef): string {
  const names = [object.schema, object.table, ...(object.column ?? [])].filter((name) => name !== undefined);
  return `${object.level} ${JSON.stringify(names.length === 0 ? [object.database] : names)}`;
}

/** What should stand in the source when the operation has been carried out; tags as the dump shows them. */
export function wanted(operation: Operation): string | undefined {
  switch (operation.aspect) {
    case 'description':
      return operation.text === '' ? undefined : operation.text;
    case 'owners':
      return operation.principal;
    case 'tags':
      return operation.desired.length === 0 ? undefined : tagLines(operation.desired);
  }
}

export function tagLines(tags: readonly Tag[]): string {
  return tags
    .map(({ key, value }) => `${key}=${value}`)
    .sort()
    .join('\n');
}
