import type { FailureClass } from '../../src/domain/failure.ts';
import { err, type Result } from '../../src/domain/result.ts';
import type { Refusal } from '../contract.ts';

/** What is unsupported is skipped; everything else has failed. */
export function refuse(failureClass: FailureClass, code: string, message: string): Result<never, Refusal> {
  return err({
    outcome: failureClass === 'unsupported' ? 'skipped' : 'failed',
    failure: { class: failureClass, scope: 'object', code, message },
  });
}
