import type { Aspect, EntityType, Level } from './entity.ts';

/** OpenMetadata's own names for what is done to an object. */
export type OperationType = 'UPDATE_DESCRIPTION' | 'UPDATE_TAGS' | 'UPDATE_OWNER';

export const OPERATION_TYPE: Readonly<Record<Aspect, OperationType>> = {
  description: 'UPDATE_DESCRIPTION',
  tags: 'UPDATE_TAGS',
  owners: 'UPDATE_OWNER',
};

/** The object in the source system that an operation names. Names are raw (unquoted, decoded). */
export interface ObjectRef {
  readonly level: Level;
  readonly entityType: EntityType;
  /** Canonical FQN of the entity (not of the column). */
  readonly fqn: string;
  readonly service: string;
  readonly database: string;
  readonly schema?: string;
  readonly table?: string;
  readonly column?: readonly string[];
  /** The catalogue's word for the kind of table; a hint only, the source decides. */
  readonly tableType?: string;
  /** The catalogue's data type of a column. */
  readonly dataType?: string;
}

/** A tag as key and value: classification name and tag name (or what a mapping made of them). */
export interface Tag {
  readonly key: string;
  readonly value: string;
}

interface OperationBase {
  readonly object: ObjectRef;
}

/** Text undefined: the description is cleared. `previous` is what the catalogue said stood there before. */
export interface DescriptionOperation extends OperationBase {
  readonly aspect: 'description';
  readonly text: string | undefined;
  readonly previous?: string;
}

/** `desired`: all labels that the channel manages; `unset`: what has to go; `added`: what of `desired` is new. */
export interface TagsOperation extends OperationBase {
  readonly aspect: 'tags';
  readonly desired: readonly Tag[];
  readonly added: readonly Tag[];
  readonly unset: readonly Tag[];
}

/** `principal`: the source system's role or user; undefined: the catalogue has no owner any more. */
export interface OwnersOperation extends OperationBase {
  readonly aspect: 'owners';
  readonly principal: string | undefined;
}

/** What shall be true of one aspect of one object in the source system. */
export type Operation = DescriptionOperation | TagsOperation | OwnersOperation;

/** Whether it would leave less in the source than stands there: a description emptied, tags unset, an owner removed. */
export function takesAway(operation: Operation): boolean {
  switch (operation.aspect) {
    case 'description':
      return operation.text === undefined || operation.text === '';
    case 'owners':
      return operation.principal === undefined;
    case 'tags':
      return operation.unset.length > 0;
  }
}
