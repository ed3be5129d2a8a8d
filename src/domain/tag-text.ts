import type { Tag } from './operation.ts';

/** A tag as sync states and outcomes name it: `key=value`. */
export function tagText({ key, value }: Tag): string {
  return `${key}=${value}`;
}

/** The tag that a text of `tagText` names. */
export function tagOf(text: string): Tag {
  const at = text.indexOf('=');
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}
