import { splitPath } from 'json-logic-engine';
import { ENTITY_TYPES } from '../domain/entity.ts';

/**
 * What a value of the entity document looks like, so that filters are checked before they run.
 * `free`: anything (custom properties). `readsTags`: the value is made from the tags of the entity or of its columns.
 */
export type Shape =
  | { readonly kind: 'text'; readonly values?: readonly string[]; readonly readsTags?: true }
  | { readonly kind: 'number' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'free' }
  | { readonly kind: 'object'; readonly members: Readonly<Record<string, Shape>>; readonly readsTags?: true }
  | { readonly kind: 'list'; readonly of: Shape; readonly readsTags?: true };

const text: Shape = { kind: 'text' };
const number: Shape = { kind: 'number' };
const flag: Shape = { kind: 'flag' };
const free: Shape = { kind: 'free' };

function object(members: Readonly<Record<string, Shape>>): Shape {
  return { kind: 'object', members };
}

const named = object({ name: text, fullyQualifiedName: text });
const reference = object({ name: text, fullyQualifiedName: text, type: text, displayName: text });

const tag = object({
  tagFQN: text,
  /** The first part of `tagFQN`. */
  classification: text,
  /** The last part of `tagFQN`. */
  name: text,
  source: { kind: 'text', values: ['Classification', 'Glossary'] },
  labelType: text,
  state: { kind: 'text', values: ['Suggested', 'Confirmed'] },
});
const tags: Shape = { kind: 'list', of: tag, readsTags: true };

/**
 * The fields that filters may name, nested by dots. `tags` holds all labels, suggested ones and glossary terms too: a filter
 * that wants less says so by `state` and `source`. `columns` lists nested columns as well, each with its `path` from the top.
 * `tier` and `certification` are null where the entity has none. Everything below `extension` (custom properties) is free.
 */
export const VOCABULARY: Shape = object({
  entityType: { kind: 'text', values: ENTITY_TYPES },
  name: text,
  /** Falls back to the name. */
  displayName: text,
  fullyQualifiedName: text,
  /** The empty text where there is none. */
  description: text,
  service: object({ name: text, fullyQualifiedName: text, type: text }),
  /** The same as `service.type`. */
  serviceType: text,
  database: named,
  /** Null for a database. */
  databaseSchema: named,
  tableType: text,
  owners: {
    kind: 'list',
    of: object({ name: text, fullyQualifiedName: text, type: text, displayName: text, inherited: flag }),
  },
  reviewers: { kind: 'list', of: reference },
  domains: { kind: 'list', of: named },
  dataProducts: { kind: 'list', of: named },
  tags,
  tier: { kind: 'object', members: { tagFQN: text, name: text }, readsTags: true },
  certification: object({ tagFQN: text, name: text }),
  extension: free,
  columns: {
    kind: 'list',
    of: object({ name: text, path: text, fullyQualifiedName: text, description: text, dataType: text, tags }),
  },
  entityStatus: text,
  sourceUrl: text,
  retentionPeriod: text,
  deleted: flag,
  version: number,
  updatedAt: number,
  updatedBy: text,
});

/** Names that lead to the prototype of an object and never to data. */
export const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export type ResolvedPath =
  | { readonly ok: true; readonly shape: Shape; readonly readsTags: boolean; readonly parts: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly word?: string; readonly candidates?: readonly string[] };

/** `a.b` as `['a', 'b']`; a backslash before a dot makes it part of the name. */
export function pathParts(path: string): readonly string[] {
  return path === '' ? [] : splitPath(path);
}

/** Follows a path such as `databaseSchema.name` through a shape. The empty path is the shape itself. */
export function resolvePath(from: Shape, path: string): ResolvedPath {
  let shape = from;
  let readsTags = false;
  const parts = pathParts(path);
  for (const [index, part] of parts.entries()) {
    if (FORBIDDEN_NAMES.has(part))
      return { ok: false, message: `the name ${JSON.stringify(part)} is not allowed in a path` };
    const walked = parts.slice(0, index).join('.');
    if (shape.kind === 'free') continue;
    if (shape.kind === 'list') {
      if (!/^\d{1,6}$/.test(part)) {
        const rest = parts.slice(index).join('.');
        return {
          ok: false,
          message: `${JSON.stringify(walked)} is a list, so ${JSON.stringify(path)} names no single value; write { some: [ { var: ${walked} }, { "==": [ { var: ${rest} }, … ] } ] }`,
        };
      }
      shape = shape.of;
      continue;
    }
    if (shape.kind !== 'object') {
      return {
        ok: false,
        message: `${JSON.stringify(walked)} is a single value and has no member ${JSON.stringify(part)}`,
      };
    }
    const next = Object.hasOwn(shape.members, part) ? shape.members[part] : undefined;
    if (next === undefined) {
      const where = walked === '' ? '' : ` of ${JSON.stringify(walked)}`;
      return {
        ok: false,
        message: `unknown field ${JSON.stringify(part)}${where}`,
        word: part,
        candidates: Object.keys(shape.members),
      };
    }
    shape = next;
    if ('readsTags' in shape && shape.readsTags === true) readsTags = true;
  }
  if ('readsTags' in shape && shape.readsTags === true) readsTags = true;
  return { ok: true, shape, readsTags, parts };
}
