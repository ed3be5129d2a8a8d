/** The part of Transact-SQL that the peer understands, as trees. Nothing else is accepted. */

export type Literal =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number };

export type Expression =
  | Literal
  | { readonly kind: 'null' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'column'; readonly table: string; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  /** `CONVERT(nvarchar(units), value)` */
  | { readonly kind: 'convert'; readonly units: number; readonly value: Expression }
  | {
      readonly kind: 'compare';
      readonly operator: '=' | '<>' | '<' | '>' | '<=' | '>=' | 'like';
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'in'; readonly value: Expression; readonly list: readonly Expression[]; readonly negated: boolean }
  | { readonly kind: 'isNull'; readonly value: Expression; readonly negated: boolean }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression };

export interface SelectColumn {
  readonly expression: Expression;
  readonly alias: string;
}

export type Source =
  | { readonly kind: 'view'; readonly name: string; readonly alias: string }
  | {
      readonly kind: 'values';
      readonly rows: readonly (readonly Expression[])[];
      readonly alias: string;
      readonly columns: readonly string[];
    };

export interface Join {
  readonly source: Source;
  readonly outer: boolean;
  readonly on: Expression;
}

export interface Select {
  readonly kind: 'select';
  readonly columns: readonly SelectColumn[];
  readonly from: Source | undefined;
  readonly joins: readonly Join[];
  readonly where: Expression | undefined;
}

export interface Call {
  readonly kind: 'call';
  /** `sys.sp_addextendedproperty` */
  readonly procedure: string;
  readonly args: readonly { readonly name: string; readonly value: Expression }[];
}

export type Statement =
  | Select
  | Call
  | { readonly kind: 'set'; readonly setting: string; readonly value: string }
  | { readonly kind: 'kill'; readonly session: number }
  | {
      readonly kind: 'authorization';
      readonly on: 'object' | 'schema' | 'database';
      readonly names: readonly string[];
      /** Undefined: SCHEMA OWNER. */
      readonly owner: string | undefined;
    }
  | { readonly kind: 'classify'; readonly column: readonly string[]; readonly options: ReadonlyMap<string, string> }
  | { readonly kind: 'declassify'; readonly column: readonly string[] };
