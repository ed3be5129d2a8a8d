import { NAME_UNITS } from '../dialect/mssql-dialect.ts';
import { PROPERTY_UNITS } from './spec.ts';
import type { Step } from './step.ts';
import type { Target } from './target.ts';

/** The call that gives an extended property a value; `update` when the property is there already, else `add`. */
export function setProperty(name: string, value: string, target: Target, how: 'add' | 'update'): Step {
  return {
    kind: 'call',
    procedure: how === 'add' ? 'sys.sp_addextendedproperty' : 'sys.sp_updateextendedproperty',
    arguments: [
      { name: 'name', value: name, units: NAME_UNITS },
      // Never nvarchar(max), which cannot become a sql_variant (error 206).
      { name: 'value', value, units: PROPERTY_UNITS },
      ...target.levels,
    ],
  };
}

/** The call that takes an extended property away. */
export function dropProperty(name: string, target: Target): Step {
  return {
    kind: 'call',
    procedure: 'sys.sp_dropextendedproperty',
    arguments: [{ name: 'name', value: name, units: NAME_UNITS }, ...target.levels],
  };
}
