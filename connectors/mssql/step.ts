import { mssqlDialect } from '../dialect/mssql-dialect.ts';

/** The procedures that write extended properties. */
export type PropertyProcedure =
  | 'sys.sp_addextendedproperty'
  | 'sys.sp_updateextendedproperty'
  | 'sys.sp_dropextendedproperty';

/** One argument of a procedure; `units` is the length that it is declared with (nvarchar). */
export interface Argument {
  readonly name: string;
  readonly value: string;
  readonly units: number;
}

/** One statement of a plan: a procedure call whose arguments are bound, or a text that runs as it is. */
export type Step =
  | { readonly kind: 'call'; readonly procedure: PropertyProcedure; readonly arguments: readonly Argument[] }
  | { readonly kind: 'text'; readonly text: string };

/** A plan in the form in which it is run: arguments apart from the text. */
export interface Steps {
  readonly steps: readonly Step[];
  readonly notes: readonly string[];
  readonly value?: string;
}

/**
 * A step as people see it: a statement that does the same when it is run by hand. Arguments stand as literals here; every text and
 * name in a step was found writable before, so the literal exists.
 */
export function showStep(step: Step): string {
  if (step.kind === 'text') return step.text;
  const literals = step.arguments.map(({ name, value }) => {
    const literal = mssqlDialect.quoteLiteral(value);
    return `@${name} = ${literal.ok ? literal.value : "N''"}`;
  });
  return `EXEC ${step.procedure} ${literals.join(', ')}`;
}

/** The text of a call with its arguments bound by name; no value stands in it. */
export function boundText(step: Extract<Step, { kind: 'call' }>): string {
  return `EXEC ${step.procedure} ${step.arguments.map(({ name }) => `@${name} = @${name}`).join(', ')}`;
}
