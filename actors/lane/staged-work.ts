import type { Context } from '@opentelemetry/api';
import type { AssetWork, FieldResult, FieldWork } from './asset-work.ts';

/** Work on its way from stage to stage, with the trace context in which each change's next span starts. */
export interface StagedWork {
  readonly work: AssetWork;
  /** By CHANGES sequence; only changes that a write comes from. */
  readonly stages: ReadonlyMap<number, Context>;
}

/** Work after rendering: fields whose template gave a refusal already have their result. */
export interface RenderedWork extends StagedWork {
  readonly refused: readonly FieldResult[];
}

/** The sequence whose change a field's write belongs to: that of the key that gets the written verdict. */
export function writingSequence(field: FieldWork): number {
  const writing = field.verdicts.find((verdict) => verdict.verdict.kind === 'writes');
  return (writing?.winner ?? field.open.winner).sequence;
}
