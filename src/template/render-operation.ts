import type { Dialect } from '../../connectors/dialect/dialect.ts';
import type { ObjectRef, Operation, Tag } from '../domain/operation.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { positionAt } from './source-position.ts';
import type { CompiledTemplate, TemplateError, TemplateValues } from './template.ts';

/** `tag`: the changed tag that this run is for, where a template runs once per tag. */
export interface ValueOptions {
  readonly tag?: Tag;
}

/** Whether a template is meant for an operation when its channel does not say so: its deepest name and its aspect fit. */
export function serves(template: CompiledTemplate, operation: Operation): boolean {
  const { level, aspect } = template.serves;
  return level === operation.object.level && (aspect === undefined || aspect === operation.aspect);
}

/** The values of the variables for an operation. An error is a nested column where the dialect has none. */
export function templateValues(
  operation: Operation,
  dialect: Dialect,
  options: ValueOptions = {},
): Result<TemplateValues, string> {
  const names = objectNames(operation.object, dialect);
  if (!names.ok) return names;
  return ok({ ...names.value, ...aspectValues(operation), ...tagValues(options.tag) });
}

/**
 * Renders a template for an operation: once, or once per changed tag when it uses `{tag_key}` or `{tag_value}`.
 * `action` says which changed tags: those that were added (also what a channel's single template serves), or those to remove;
 * none of them means no statements.
 */
export function renderOperation(
  template: CompiledTemplate,
  operation: Operation,
  action: 'add' | 'remove' = 'add',
): Result<readonly string[], TemplateError> {
  const { aspect } = template.serves;
  if (aspect !== undefined && aspect !== operation.aspect) {
    return err({ line: 1, column: 1, message: `the template is for ${aspect}, the change is of ${operation.aspect}` });
  }
  const perTag = template.variables.has('tag_key') || template.variables.has('tag_value');
  if (operation.aspect !== 'tags' || !perTag) return renderOnce(template, operation, {});
  const statements: string[] = [];
  for (const tag of action === 'add' ? operation.added : operation.unset) {
    const rendered = renderOnce(template, operation, { tag });
    if (!rendered.ok) return rendered;
    statements.push(...rendered.value);
  }
  return ok(statements);
}

function renderOnce(
  template: CompiledTemplate,
  operation: Operation,
  options: ValueOptions,
): Result<readonly string[], TemplateError> {
  const values = templateValues(operation, template.dialect, options);
  if (values.ok) return template.render(values.value);
  const at = Math.max(0, template.source.indexOf('{column}'));
  return err({ ...positionAt(template.source, at), message: values.error });
}

type Names = Pick<TemplateValues, 'database' | 'schema' | 'table' | 'column' | 'data_type' | 'service'>;

function objectNames(object: ObjectRef, dialect: Dialect): Result<Names, string> {
  const column = columnName(object.column, dialect);
  if (!column.ok) return column;
  return ok({
    service: object.service,
    database: object.database,
    ...(object.schema === undefined ? {} : { schema: object.schema }),
    ...(object.table === undefined ? {} : { table: object.table }),
    ...(column.value === undefined ? {} : { column: column.value }),
    ...(object.dataType === undefined ? {} : { data_type: object.dataType }),
  });
}

function columnName(path: readonly string[] | undefined, dialect: Dialect): Result<string | undefined, string> {
  if (path === undefined || path.length === 0) return ok(undefined);
  if (path.length === 1) return ok(path[0]);
  if (dialect.joinColumn !== undefined) return ok(dialect.joinColumn(path));
  return err(`the change is of a nested column, and ${dialect.name} has none`);
}

function aspectValues(operation: Operation): Partial<TemplateValues> {
  switch (operation.aspect) {
    case 'description':
      return {
        ...(operation.text === undefined ? {} : { description: operation.text }),
        ...(operation.previous === undefined ? {} : { previous_description: operation.previous }),
      };
    case 'tags':
      return { tags: operation.desired };
    case 'owners':
      return operation.principal === undefined ? {} : { owner: operation.principal };
  }
}

function tagValues(tag: Tag | undefined): Partial<TemplateValues> {
  return tag === undefined ? {} : { tag_key: tag.key, tag_value: tag.value };
}
