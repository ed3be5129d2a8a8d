import { type Context, ROOT_CONTEXT } from '@opentelemetry/api';
import { err } from '../../src/domain/result.ts';
import type { Behavior } from '../kernel/behavior.ts';
import type { AssetWork, FieldResult, FieldWork, FieldWrite } from '../lane/asset-work.ts';
import { startStage } from '../lane/stage-spans.ts';
import { type RenderedWork, writingSequence } from '../lane/staged-work.ts';
import { renderTemplates } from './render-field.ts';

/** Renders the templates of every field that is to be written, each change in a `render` span of its own. */
export function renderWork(work: AssetWork): RenderedWork {
  const stages = new Map<number, Context>();
  const refused: FieldResult[] = [];
  const bySequence = Map.groupBy(
    work.fields.filter((field) => field.write !== undefined),
    writingSequence,
  );
  const rendered = new Map<FieldWork, FieldWork>();
  for (const [sequence, fields] of bySequence) {
    const stage = startStage('render', work.changes.get(sequence)?.trace ?? ROOT_CONTEXT, {
      attributes: { 'backflow.fields': fields.length },
    });
    stages.set(sequence, stage.context);
    for (const field of fields) {
      const { write } = field;
      if (write === undefined) continue;
      const statements = renderSafely(write);
      if (!statements.ok) {
        refused.push({
          key: field.open.key,
          status: statements.error.outcome,
          reason: statements.error.reason,
          statements: [],
          notes: write.notes,
          attempts: field.attempts,
          ...(statements.error.outcome === 'failed'
            ? { failure: { class: 'invalid', scope: 'object', code: 'template', message: statements.error.reason } }
            : {}),
        });
      } else if (statements.value?.statements.length === 0) {
        // A template that runs once per changed tag, and no tag changed in its way.
        refused.push({
          key: field.open.key,
          status: 'skipped',
          reason: 'the template runs once per changed tag, and no tag has changed so',
          statements: [],
          notes: write.notes,
          attempts: field.attempts,
        });
      } else if (statements.value !== undefined) {
        const { statements: template, notes } = statements.value;
        rendered.set(field, { ...field, write: { ...write, template, notes: [...write.notes, ...notes] } });
      }
    }
    stage.span.end();
  }
  const fields = work.fields.map((field) => rendered.get(field) ?? field);
  return { work: { ...work, fields }, stages, refused };
}

/** A template that throws is a fault of this one field. */
function renderSafely({ channel, operation }: FieldWrite): ReturnType<typeof renderTemplates> {
  try {
    return renderTemplates(channel, operation);
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error;
    return err({ outcome: 'failed', reason: `a template of channel ${channel.name} failed (unexpected ${name})` });
  }
}

export interface RendererMessage {
  readonly type: 'work';
  readonly works: readonly AssetWork[];
}

/** Whoever writes the rendered batches. */
export interface BatchTaker {
  offer(msg: { readonly type: 'batch'; readonly batch: readonly RenderedWork[] }): Promise<void>;
}

/** Renders what the coalescer gave out and passes it on as one batch. */
export function templateRenderer(dispatcher: BatchTaker): Behavior<undefined, RendererMessage> {
  return {
    start: () => undefined,
    async receive(state, message) {
      await dispatcher.offer({ type: 'batch', batch: message.works.map(renderWork) });
      return state;
    },
  };
}
