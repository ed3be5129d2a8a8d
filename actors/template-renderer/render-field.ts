import type { Channel, TemplateSlot } from '../../src/channels/channel.ts';
import type { Operation } from '../../src/domain/operation.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import { renderOperation, serves } from '../../src/template/render-operation.ts';
import type { TemplateError } from '../../src/template/template.ts';

/** Why a channel's templates give no statement: none serves the operation (skipped), or a value cannot be written there (failed). */
export interface RenderRefusal {
  readonly outcome: 'skipped' | 'failed';
  readonly reason: string;
  /** Where in the template the value stands that cannot be written. */
  readonly error?: TemplateError;
}

/** What a channel's templates give. A note tells what of the change no template serves. */
export interface RenderedTemplates {
  readonly statements: readonly string[];
  readonly notes: readonly string[];
}

type Action = NonNullable<TemplateSlot['action']>;

/**
 * Statements of the channel's own templates for an operation; undefined: the channel has none and the connector's plan is used.
 * A tags operation runs the remove template for what goes and the add template for what is new; one that writes the whole set
 * (`{tags}`) serves both and runs once.
 */
export function renderTemplates(
  channel: Channel,
  operation: Operation,
): Result<RenderedTemplates | undefined, RenderRefusal> {
  if (channel.templates.length === 0) return ok(undefined);
  const statements: string[] = [];
  const actions = actionsOf(operation);
  const chosen = new Map<TemplateSlot, Action>();
  const unserved: Action[] = [];
  for (const action of actions) {
    const slot = slotFor(channel, operation, action);
    if (slot === undefined) unserved.push(action);
    else if (!chosen.has(slot)) chosen.set(slot, action);
  }
  for (const [slot, action] of chosen) {
    const rendered = renderOperation(slot.template, operation, action === 'remove' ? 'remove' : 'add');
    if (!rendered.ok) {
      const { line, column, message } = rendered.error;
      return err({
        outcome: 'failed',
        reason: `template of channel ${channel.name}, line ${line}, column ${column}: ${message}`,
        error: rendered.error,
      });
    }
    statements.push(...rendered.value);
  }
  if (chosen.size > 0) {
    return ok({ statements, notes: unserved.map((action) => `no template serves to ${action} ${operation.aspect}`) });
  }
  return err({
    outcome: 'skipped',
    reason: `no template for ${actions.join(' and ')} ${operation.aspect} of a ${operation.object.level}`,
  });
}

function actionsOf(operation: Operation): readonly Action[] {
  if (operation.aspect === 'description') return [operation.text === undefined ? 'clear' : 'set'];
  if (operation.aspect === 'owners') return [operation.principal === undefined ? 'clear' : 'set'];
  if (operation.unset.length === 0) return ['add'];
  return operation.added.length === 0 ? ['remove'] : ['remove', 'add'];
}

/** The most specific slot that fits. What a slot leaves open is decided by the names that its template uses. */
function slotFor(channel: Channel, operation: Operation, action: Action): TemplateSlot | undefined {
  const { level } = operation.object;
  const fitting = channel.templates.filter((slot) => {
    if (slot.action !== undefined && slot.action !== action) return false;
    // A template for one tag sets it; only a channel that says so takes it for the removal.
    if (slot.action === undefined && action === 'remove' && isPerTag(slot)) return false;
    if (slot.aspect === undefined && slot.level === undefined) return serves(slot.template, operation);
    const ownAspect = slot.template.serves.aspect;
    return (
      (slot.aspect === undefined
        ? ownAspect === undefined || ownAspect === operation.aspect
        : slot.aspect === operation.aspect) &&
      (slot.level === undefined ? slot.template.serves.level === level : slot.level === level)
    );
  });
  const weight = (slot: TemplateSlot): number =>
    (slot.aspect === undefined ? 0 : 1) + (slot.level === undefined ? 0 : 1) + (slot.action === undefined ? 0 : 2);
  return fitting.sort((a, b) => weight(b) - weight(a))[0];
}

function isPerTag({ template }: TemplateSlot): boolean {
  return template.variables.has('tag_key') || template.variables.has('tag_value');
}
