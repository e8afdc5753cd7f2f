import { FUNCTIONS, METHODS } from '../../rules/expressions/language/functions.js';
import { OPERATORS } from '../../rules/expressions/language/operators.js';
import { type Callable, overloadsFor, type Result, type Wanted } from '../../rules/expressions/language/overloads.js';
import { type Alternative, ANY, listType, type Type, unite } from './type.js';

/** Maximum number of combinations of operand types; above it, the result is unknown. */
const MAX_WAYS = 200;

const KINDS: { operator: typeof OPERATORS; function: typeof FUNCTIONS; method: typeof METHODS } = {
  operator: OPERATORS,
  function: FUNCTIONS,
  method: METHODS,
};

/** An operator, a function or a method; the receiver of a method is its first operand. */
export interface Operation {
  is: keyof typeof KINDS;
  name: string;
}

/** Undefined if all operand types fail. Uses the evaluator's table, so that lint cannot differ from it. */
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
      // Adding lists gives one with the items of both.
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
