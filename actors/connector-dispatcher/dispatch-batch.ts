import { type Context, context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { Connection, Connector } from '../../connectors/contract.ts';
import type { AssetKey } from '../../src/domain/asset.ts';
import { OPERATION_TYPE } from '../../src/domain/operation.ts';
import type { FieldResult } from '../lane/asset-work.ts';
import type { ClearGuard } from '../lane/lane-ports.ts';
import { failStage, type Stage, startStage, traceparentOf } from '../lane/stage-spans.ts';
import { type RenderedWork, writingSequence } from '../lane/staged-work.ts';
import { type FieldToSend, heldResult, passGuard } from './guard-clears.ts';
import { readSources } from './read-sources.ts';
import { type BatchField, fieldsToWrite, planField, resultOf, unreadResult } from './write-batch.ts';

/** What a batch needs from its lane. */
export interface DispatchPorts {
  readonly connector: Connector;
  /** Waits until this many statements may run. */
  readonly limit: (statements: number) => Promise<void>;
  /** Whether a field that failed on an object fault after so many attempts may be tried again. */
  readonly mayRetry: (field: BatchField, attempts: number) => boolean;
  /** Asked before anything is cleared; absent: nothing is guarded. */
  readonly guard?: ClearGuard;
}

/**
 * Reads what stands in the source (one read for the batch), plans the differences, writes them, and gives every field its result.
 * Throws what the connection throws: a failure of the whole target, after which nothing is known of the batch.
 */
export async function dispatchBatch(
  batch: readonly RenderedWork[],
  connection: Connection,
  ports: DispatchPorts,
): Promise<ReadonlyMap<AssetKey, readonly FieldResult[]>> {
  const results = new Map<AssetKey, FieldResult[]>(batch.map(({ work, refused }) => [work.key, [...refused]]));
  const refusedFields = new Set(batch.flatMap(({ work, refused }) => refused.map(({ key }) => `${work.key} ${key}`)));
  const fields = fieldsToWrite(batch.map(({ work }) => work)).filter(
    ({ work, field }) => !refusedFields.has(`${work.key} ${field.open.key}`),
  );
  if (fields.length === 0) return results;

  const spans = new BatchSpans(batch, fields);
  try {
    const sources = await context.with(spans.sharedContext(), () => readSources(fields, connection));
    const sends: FieldToSend[] = [];
    for (const [index, field] of fields.entries()) {
      const read = sources[index] ?? { source: { exists: false } };
      const planned =
        'source' in read
          ? planField(field, read.source, ports.connector)
          : { result: unreadResult(field, read.failure, (attempts) => ports.mayRetry(field, attempts)) };
      if ('result' in planned) {
        results.get(field.work.key)?.push(planned.result);
        spans.decided(field, planned.result.status);
        continue;
      }
      sends.push(planned);
    }
    const { go, held } = await passGuard(sends, ports.guard);
    for (const { field } of held) {
      results.get(field.work.key)?.push(heldResult(field));
      spans.decided(field, 'held');
    }
    const writes = go.map(({ field, write }): FieldToSend & { readonly stage: Stage } => {
      const stage = spans.write(field);
      const traceparent = traceparentOf(stage.span);
      return { field, stage, write: { ...write, ...(traceparent === undefined ? {} : { traceparent }) } };
    });
    if (writes.length > 0) {
      await ports.limit(writes.reduce((sum, { write }) => sum + write.plan.statements.length, 0));
      const only = writes.length === 1 ? writes[0]?.stage.context : undefined;
      const answers = await context.with(only ?? spans.sharedContext(), () =>
        connection.apply(writes.map(({ write }) => write)),
      );
      const ofTarget = answers.find((answer) => !answer.ok && answer.failure.scope === 'target');
      if (ofTarget?.ok === false) throw new ConnectorError(ofTarget.failure);
      const byId = new Map(answers.map((answer) => [answer.id, answer]));
      for (const { field, write, stage } of writes) {
        const result = resultOf(field, write, byId.get(field.id), (attempts) => ports.mayRetry(field, attempts));
        results.get(field.work.key)?.push(result);
        endWrite(stage.span, result);
        spans.decided(field, result.status);
      }
    }
    spans.end();
    return results;
  } catch (error) {
    spans.fail();
    throw error;
  }
}

function endWrite(span: Span, result: FieldResult): void {
  span.setAttribute('backflow.status', result.status);
  if (result.failure === undefined) span.end();
  else failStage(span, `${result.failure.class} ${result.failure.code}`);
}

/**
 * The spans of a batch. Each change has its own `dispatch` span with its `write` spans below; in a batch of several fields the
 * work that they share happens in one `write batch` span of its own trace, which every `write` span links to.
 */
class BatchSpans {
  readonly #dispatch = new Map<string, Stage>();
  readonly #batch: Stage | undefined;
  readonly #only: Context | undefined;
  readonly #open = new Set<Span>();

  constructor(batch: readonly RenderedWork[], fields: readonly BatchField[]) {
    const stages = new Map(batch.map(({ work, stages: byWork }) => [work.key, byWork]));
    for (const field of fields) {
      const key = this.#key(field);
      if (this.#dispatch.has(key)) continue;
      const parent = stages.get(field.work.key)?.get(writingSequence(field.field)) ?? ROOT_CONTEXT;
      const stage = startStage('dispatch', parent);
      this.#dispatch.set(key, stage);
      this.#open.add(stage.span);
    }
    if (fields.length > 1) {
      this.#batch = startStage('write batch', ROOT_CONTEXT, { attributes: { 'backflow.fields': fields.length } });
      this.#open.add(this.#batch.span);
    } else {
      const [only] = this.#dispatch.values();
      this.#only = only?.context;
    }
  }

  /** Where the work that the fields share happens. */
  sharedContext(): Context {
    return this.#batch?.context ?? this.#only ?? ROOT_CONTEXT;
  }

  write(field: BatchField): Stage {
    const parent = this.#dispatch.get(this.#key(field))?.context ?? ROOT_CONTEXT;
    const batchContext = this.#batch === undefined ? undefined : trace.getSpanContext(this.#batch.context);
    const stage = startStage('write', parent, {
      attributes: {
        'backflow.channel': field.write.channel.name,
        'backflow.operation': OPERATION_TYPE[field.field.open.field.aspect],
        'backflow.aspect': field.field.open.field.aspect,
        'backflow.asset': field.work.asset.fqn,
        'backflow.object': field.field.object,
      },
      ...(batchContext === undefined ? {} : { links: [{ context: batchContext }] }),
    });
    this.#open.add(stage.span);
    return stage;
  }

  decided(field: BatchField, status: string): void {
    this.#dispatch.get(this.#key(field))?.span.setAttribute('backflow.status', status);
  }

  end(): void {
    for (const span of this.#open) if (span.isRecording()) span.end();
  }

  fail(): void {
    for (const span of this.#open) if (span.isRecording()) failStage(span, 'the target failed');
  }

  #key(field: BatchField): string {
    return `${field.work.key} ${writingSequence(field.field)}`;
  }
}
