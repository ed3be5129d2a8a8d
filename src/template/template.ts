import type { Dialect } from '../../connectors/dialect/dialect.ts';
import type { Aspect, Level } from '../domain/entity.ts';
import type { Tag } from '../domain/operation.ts';
import type { Result } from '../domain/result.ts';

/** A problem in a template's text. Lines and columns count from 1. */
export interface TemplateError {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

/** The values of the variables. Undefined: the change has no such value (no column, a cleared description). */
export interface TemplateValues {
  readonly database: string;
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly description?: string;
  readonly previous_description?: string;
  readonly owner?: string;
  readonly tag_key?: string;
  readonly tag_value?: string;
  readonly tags?: readonly Tag[];
  readonly data_type?: string;
  readonly service: string;
}

/** A template that was parsed once and whose every placeholder stands in a place with a safe form. */
export interface CompiledTemplate {
  readonly source: string;
  readonly dialect: Dialect;
  readonly variables: ReadonlySet<string>;
  /** The level of its deepest name and the aspect of its variables: what a channel's single template serves. */
  readonly serves: { readonly level: Level; readonly aspect: Aspect | undefined };
  /** Renders to as many statements as the template has. An error is a value that cannot be written there (NUL, too long, missing). */
  render(values: TemplateValues): Result<readonly string[], TemplateError>;
}
