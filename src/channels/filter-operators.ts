/** How an operator treats its arguments; the checker and the normaliser follow it. */
export type OperatorKind = 'logic' | 'compare' | 'iterate' | 'reduce' | 'value' | 'var';

export interface Operator {
  readonly kind: OperatorKind;
  readonly min: number;
  readonly max: number;
  /** The name under which the engine knows it. */
  readonly name: string;
  /** How it is written, for error messages. */
  readonly form: string;
}

function operator(name: string, kind: OperatorKind, min: number, max: number, form: string): Operator {
  return { name, kind, min, max, form };
}

const MANY = 1000;
const compare = (name: string): Operator => operator(name, 'compare', 2, 2, `{ "${name}": [ a, b ] }`);
const order = (name: string): Operator => operator(name, 'compare', 2, 3, `{ "${name}": [ a, b ] }`);
const iterate = (name: string): Operator =>
  operator(name, 'iterate', 2, 2, `{ ${name}: [ { var: tags }, { "==": [ { var: tagFQN }, … ] } ] }`);
const sum = (name: string, min: number): Operator => operator(name, 'value', min, MANY, `{ "${name}": [ a, b ] }`);
const contains = operator('contains', 'value', 2, 2, '{ contains: [ list or text, value ] }');
const choose = operator('if', 'logic', 2, MANY, '{ if: [ condition, then, else ] }');

/**
 * Everything that a filter may use: standard JsonLogic without side effects, plus OpenMetadata's `contains`, `length`,
 * `isOwner`, `isReviewer`, `filterReferenceByType` and `filterTagsBySource`.
 */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['var', operator('var', 'var', 1, 2, '{ var: service.name }')],
  ['and', operator('and', 'logic', 1, MANY, '{ and: [ … ] }')],
  ['or', operator('or', 'logic', 1, MANY, '{ or: [ … ] }')],
  ['!', operator('!', 'logic', 1, 1, '{ "!": [ a ] }')],
  ['!!', operator('!!', 'logic', 1, 1, '{ "!!": [ a ] }')],
  ['if', choose],
  ['?:', choose],
  ['==', compare('==')],
  ['===', compare('===')],
  ['!=', compare('!=')],
  ['!==', compare('!==')],
  ['<', order('<')],
  ['<=', order('<=')],
  ['>', order('>')],
  ['>=', order('>=')],
  ['in', operator('in', 'value', 2, 2, '{ in: [ value, list or text ] }')],
  ['contains', contains],
  ['array_contains', contains],
  ['some', iterate('some')],
  ['all', iterate('all')],
  ['none', iterate('none')],
  ['filter', iterate('filter')],
  ['map', iterate('map')],
  ['reduce', operator('reduce', 'reduce', 3, 3, '{ reduce: [ list, { … current … accumulator … }, start ] }')],
  ['merge', operator('merge', 'value', 1, MANY, '{ merge: [ list, list ] }')],
  ['length', operator('length', 'value', 1, 1, '{ length: [ list or text ] }')],
  ['cat', operator('cat', 'value', 1, MANY, '{ cat: [ a, b ] }')],
  ['substr', operator('substr', 'value', 2, 3, '{ substr: [ text, start, length ] }')],
  ['+', sum('+', 1)],
  ['-', sum('-', 1)],
  ['*', sum('*', 1)],
  ['/', sum('/', 2)],
  ['%', operator('%', 'value', 2, 2, '{ "%": [ a, b ] }')],
  ['min', sum('min', 1)],
  ['max', sum('max', 1)],
  ['isOwner', operator('isOwner', 'value', 1, 1, '{ isOwner: { var: updatedBy } }')],
  ['isReviewer', operator('isReviewer', 'value', 1, 1, '{ isReviewer: { var: updatedBy } }')],
  [
    'filterReferenceByType',
    operator('filterReferenceByType', 'value', 2, 2, '{ filterReferenceByType: [ { var: owners }, team ] }'),
  ],
  [
    'filterTagsBySource',
    operator('filterTagsBySource', 'value', 2, 2, '{ filterTagsBySource: [ { var: tags }, Glossary ] }'),
  ],
]);

/** The members that an `isOwner`/`isReviewer` looks through. */
export const PERSON_LISTS: Readonly<Record<string, 'owners' | 'reviewers'>> = {
  isOwner: 'owners',
  isReviewer: 'reviewers',
};
