import type { FailureClass } from '../../src/domain/failure.ts';
import { err, type Result } from '../../src/domain/result.ts';
import type { Refusal } from '../contract.ts';

/** Why there is no plan; what the system does not have ends `skipped`, the rest `failed`. */
export function refuse(failureClass: FailureClass, code: string, message: string): Result<never, Refusal> {
  return err({
    outcome: failureClass === 'unsupported' ? 'skipped' : 'failed',
    failure: { class: failureClass, scope: 'object', code, message },
  });
}
