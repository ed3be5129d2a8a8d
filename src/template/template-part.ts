import type { Region } from '../../connectors/dialect/dialect.ts';
import type { Placeholder } from './scan-placeholders.ts';

/** A placeholder outside of all quotes: it becomes a whole identifier, literal or list. */
export interface BarePart {
  readonly kind: 'bare';
  readonly placeholder: Placeholder;
  /** What a cleared description becomes: `NULL` after the dialect's words for it, else the empty literal. */
  readonly cleared: 'null' | 'empty';
}

/** A quoted region with placeholders in it. It is written anew as a whole, so that its quotes fit what it holds. */
export interface RegionPart {
  readonly kind: 'region';
  readonly region: Region;
  /** Fixed text as it stands in the template, and placeholders. */
  readonly content: readonly (string | Placeholder)[];
  /** Something stands directly before it: another way of quoting needs a blank there, or `U&$$…$$` would become `U&'…'`. */
  readonly glued: boolean;
}

/** A template is a list of statements, a statement a list of parts; strings are fixed text. */
export type TemplatePart = string | BarePart | RegionPart;
