import { FUNCTIONS, METHODS } from '../../rules/expressions/language/functions.js';
import { OPERATORS } from '../../rules/expressions/language/operators.js';
import { type Callable, overloadsFor, type Result, type Wanted } from '../../rules/expressions/language/overloads.js';
import { type Alternative, ANY, listType, type Type, unite } from './type.js';

/** Operands that may be many things at once are not tried in all their ways. */
const MAX_WAYS = 200;

const KINDS: { operator: typeof OPERATORS; function: typeof FUNCTIONS; method: typeof METHODS } = {
  operator: OPERATORS,
  function: FUNCTIONS,
  method: METHODS,
};

/** The result of an operator, a function or a method; a method's receiver is its first operand. */
export interface Operation {
  is: keyof typeof KINDS;
  name: string;
}

/**
 * The result type of an operation for operands of these types; undefined if it fails for all of them.
 *
 * The table of the evaluator answers, so that lint and evaluation cannot differ.
 */
export function resultOf({ is, name }: Operation, operands: Type[]): Type | undefined {
  const callable = KINDS[is].get(name);
  // Planning reports a function that does not exist.
  if (!callable) return ANY;
  const ways = operands.reduce((product, { length }) => product * length, 1);
  if (ways > MAX_WAYS) return ANY;
  const results = combinations(operands).flatMap((way) => resultsFor(callable, way));
  return results.length === 0 ? undefined : unite(...results);
}

function resultsFor(callable: Callable, way: Alternative[]): Type[] {
  const kinds: Wanted[] = way.map(({ kind }) => kind);
  return overloadsFor(callable, kinds).map(({ result }) => typeOf(result, way));
}

function typeOf(result: Result, way: Alternative[]): Type {
  switch (result) {
    case 'any':
      return ANY;
    case 'list<string>':
      return listType([{ kind: 'string' }]);
    case 'list':
      // A list that is added to another one holds what both held.
      return listType(unite(...way.map((one) => (one.kind === 'list' ? one.item() : ANY))));
    case 'map':
      return [{ kind: 'map', fields: new Map(), others: () => ANY }];
    case 'optional':
      return [{ kind: 'optional', of: ANY }];
    default:
      return [{ kind: result }];
  }
}

function combinations(operands: Type[]): Alternative[][] {
  return operands.reduce<Alternative[][]>(
    (ways, type) => ways.flatMap((way) => type.map((one) => [...way, one])),
    [[]],
  );
}
