/** What people edit of one table of the model. Undefined: none. */
export interface Content {
  readonly description?: string;
  /** Descriptions of the two columns. */
  readonly a?: string;
  readonly b?: string;
  readonly owner?: string;
  /** `Classification.tag`, at most one of each classification. */
  readonly tags: readonly string[];
}
export type TextPart = 'description' | 'a' | 'b';
export const TEXT_PARTS: readonly TextPart[] = ['description', 'a', 'b'];

export const BOT = 'ingestion-bot';
export const TARGET = 'pg_sales';
/** The label that brings a table into the filter of the second kind of configuration. */
export const SENSITIVE = 'PII.Sensitive';

/** One message for CHANGES. `keys`: the fields (`aspect object`) that it touches; undefined: it can have no outcome. */
export interface Publication {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly at: number;
  readonly table?: string;
  readonly user?: string;
  readonly keys?: readonly string[];
}

/** What an edit says to the catalogue, and to whoever judges the run in the end. */
export interface Emitted {
  readonly eventId: string;
  readonly user: string;
  readonly body: string;
  readonly keys: readonly string[];
}
