import type { DescriptionOperation } from '../../src/domain/operation.ts';
import type { Result } from '../../src/domain/result.ts';
import type { PlanOptions, Refusal } from '../contract.ts';

/** What one description contributes to an ALTER TABLE, or the whole ALTER DATABASE of a schema. */
export interface Clause {
  readonly target: 'schema' | 'table' | 'column';
  /** The quoted table: `` `shop`.`orders` ``. */
  readonly address: string;
  readonly text: string;
  readonly notes: readonly string[];
  /** What will stand in the source; undefined: nothing. */
  readonly value?: string;
  /** Of a column whose definition is known: how SHOW CREATE TABLE will print it, unless the server words it in another way. */
  readonly printed?: string;
}

/** A clause, or why there is none, and everything that it was planned from beside the definition of the column. */
export interface Planning {
  readonly operation: DescriptionOperation;
  readonly exists: boolean | undefined;
  readonly kind: string | undefined;
  readonly overlong: PlanOptions['overlong'];
  readonly clause: Result<Clause, Refusal>;
}
