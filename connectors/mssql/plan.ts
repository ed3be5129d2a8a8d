import type { DescriptionOperation, Operation, OwnersOperation } from '../../src/domain/operation.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Plan, PlanOptions, Refusal, SourceObject } from '../contract.ts';
import { mssqlDialect } from '../dialect/mssql-dialect.ts';
import { fitText } from '../text-limit.ts';
import { detailOf } from './detail.ts';
import { missingFailure } from './missing.ts';
import { planTags } from './plan-tags.ts';
import { dropProperty, setProperty } from './property.ts';
import { refuse } from './refuse.ts';
import { DESCRIPTION_PROPERTY, PROPERTY_UNITS } from './spec.ts';
import { type Step, type Steps, showStep } from './step.ts';
import { type Target, targetOf } from './target.ts';
import { refuseTemplate } from './template-guard.ts';

/** Turns an operation into the statements that make it true. Pure; `source` undefined: the catalogue's hints decide. */
export function planMssql(
  operation: Operation,
  source: SourceObject | undefined,
  options: PlanOptions,
): Result<Plan, Refusal> {
  const planned = planSteps(operation, source, options);
  if (!planned.ok) return planned;
  const { steps, ...rest } = planned.value;
  return ok({ ...rest, statements: steps.map(showStep) });
}

/** The same, as what is sent. */
export function planSteps(
  operation: Operation,
  source: SourceObject | undefined,
  options: PlanOptions,
): Result<Steps, Refusal> {
  if (options.template !== undefined) return planTemplate(operation, options.template);
  if (operation.aspect === 'owners' && operation.object.level === 'column') {
    return refuse('unsupported', 'column-owner', 'In SQL Server a column has no owner of its own.');
  }
  if (source?.exists === false) return err({ outcome: 'failed', failure: missingFailure(source) });
  const target = targetOf(operation.object, source);
  if (!target.ok) return target;
  const planned = planAspect(operation, target.value, source, options);
  if (!planned.ok || !target.value.assumed) return planned;
  const note = `The kind of object (${target.value.kind}) is taken from the catalogue; the source decides when it is written.`;
  return ok({ ...planned.value, notes: [...planned.value.notes, note] });
}

function planAspect(
  operation: Operation,
  target: Target,
  source: SourceObject | undefined,
  options: PlanOptions,
): Result<Steps, Refusal> {
  switch (operation.aspect) {
    case 'description':
      return planDescription(operation, target, source, options);
    case 'tags':
      return planTags(operation, target, source);
    case 'owners':
      return planOwner(operation, target, source);
  }
}

/** A template's statements run as they are; what they bring about is only known for a description and an owner. */
function planTemplate(operation: Operation, statements: readonly string[]): Result<Steps, Refusal> {
  for (const statement of statements) {
    const problem = refuseTemplate(statement);
    if (problem !== undefined) return refuse('invalid', problem.code, problem.message);
  }
  const value =
    operation.aspect === 'description'
      ? operation.text
      : operation.aspect === 'owners'
        ? operation.principal
        : undefined;
  const steps = statements.map((text): Step => ({ kind: 'text', text }));
  return ok({ steps, notes: [], ...(value === undefined || value === '' ? {} : { value }) });
}

function planDescription(
  operation: DescriptionOperation,
  target: Target,
  source: SourceObject | undefined,
  options: PlanOptions,
): Result<Steps, Refusal> {
  const present = detailOf(source)?.properties.includes(DESCRIPTION_PROPERTY);
  const text = operation.text ?? '';
  if (text === '') {
    // Nothing there is what was wished for.
    return ok({ steps: present === false ? [] : [dropProperty(DESCRIPTION_PROPERTY, target)], notes: [] });
  }
  // Checked before the cut, so that what the cut takes away cannot hide it.
  const whole = mssqlDialect.quoteLiteral(text);
  if (!whole.ok) {
    return refuse('invalid', whole.error.code, `The description cannot be written: ${whole.error.message}.`);
  }
  const fitted = fitText(text, { max: PROPERTY_UNITS, unit: 'utf16' }, options.overlong ?? 'cut');
  if (!fitted.ok) return refuse('invalid', 'description-too-long', fitted.error);
  const notes = fitted.value.note === undefined ? [] : [fitted.value.note];
  const previous = present ?? (operation.previous !== undefined && operation.previous !== '');
  const step = setProperty(DESCRIPTION_PROPERTY, fitted.value.text, target, previous ? 'update' : 'add');
  return ok({ steps: [step], notes, value: fitted.value.text });
}

function planOwner(
  operation: OwnersOperation,
  target: Target,
  source: SourceObject | undefined,
): Result<Steps, Refusal> {
  const detail = detailOf(source);
  const dropped = detail?.permissions ?? 0;
  if (dropped > 0 && detail?.mayDropPermissions !== true && target.kind !== 'database') {
    return refuse(
      'unsupported',
      'owner-drops-permissions',
      `SQL Server would drop the ${dropped} permission(s) that are granted on the object itself. Grant them on its schema or to a role that owns it, or set ownerChangeDropsPermissions: true on the connection.`,
    );
  }
  const { principal } = operation;
  if (principal === undefined || principal === '') {
    if (target.kind === 'database' || target.kind === 'schema') {
      return refuse(
        'unsupported',
        'owner-required',
        `In SQL Server a ${target.kind} always has an owner: it can be given to another principal, but not be left without one.`,
      );
    }
    return ok({ steps: [authorization(target, 'SCHEMA OWNER')], notes: [] });
  }
  const quoted = mssqlDialect.quoteIdentifier(principal);
  if (!quoted.ok) {
    return refuse(
      'invalid',
      `principal-${quoted.error.code}`,
      `The owner's principal cannot be named: ${quoted.error.message}.`,
    );
  }
  return ok({ steps: [authorization(target, quoted.value)], notes: [], value: principal });
}

function authorization(target: Target, owner: string): Step {
  const kind = target.kind === 'database' || target.kind === 'schema' ? target.kind.toUpperCase() : 'OBJECT';
  return { kind: 'text', text: `ALTER AUTHORIZATION ON ${kind}::${target.quoted} TO ${owner}` };
}
