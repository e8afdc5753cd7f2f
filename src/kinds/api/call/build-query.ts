import type { PlanApiParam } from '../../../contracts/api.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import type { ApiImplementation } from '../../../contracts/plan.js';
import type { Scope } from '../../../rules/expressions/evaluate.js';
import { evaluateOptional } from '../../../rules/expressions/template.js';
import { paramsIn } from './distribute-input.js';
import { encode, inputOf, type Pair, unusable, writePairs } from './write-values.js';

/**
 * The definition's values, the inputs assigned to the query, and `rest`, the unassigned inputs.
 * @throws CallFailure `input.invalid` for a value that cannot be written, or an input whose name is already used.
 */
export function buildQuery(
  { query, params = {}, auth }: ApiImplementation['api'],
  input: JsonObject,
  rest: JsonObject,
  scope: Scope,
): string {
  const written = Object.entries(query).flatMap(([name, template]) =>
    plainPairs(name, evaluateOptional(template, scope) ?? null),
  );
  const sent = paramsIn('query', params);
  const given = new Set([
    ...Object.keys(query),
    ...Object.keys(auth?.query ?? {}),
    ...sent.map(([, { name }]) => name),
  ]);
  const named = sent.flatMap(([key, param]) => ownPairs(key, param, inputOf(input, key), given));
  const others = Object.entries(rest).flatMap(([name, value]) => {
    if (given.has(name)) throw unusable(name, 'would give a parameter of the query a second value');
    return plainPairs(name, value);
  });
  return joinPairs([...written, ...named, ...others], '&');
}

/** The pairs of one parameter; names derived from its value must not collide with those of others. */
export function ownPairs(key: string, param: PlanApiParam, value: Json, given: ReadonlySet<string>): Pair[] {
  const pairs = writePairs(param, value);
  const other = pairs.find(({ name }) => name !== param.name && given.has(name));
  if (other) throw unusable(key, `would give ${other.name} a second value`);
  return pairs;
}

/** Without a style, lists repeat (`a=1&a=2`), and maps are refused, since they have no agreed form. */
export function plainPairs(name: string, value: Json): Pair[] {
  const items = Array.isArray(value) ? value : [value];
  if (items.some((item) => item !== null && typeof item === 'object')) {
    const suggestion = 'Set its `style` in `params`: `deepObject`, `form` or `json`.';
    throw unusable(name, 'is a map or a nested list, which a query or form cannot hold', suggestion);
  }
  return writePairs({ in: 'query', name, style: 'form', explode: true }, value);
}

export function joinPairs(pairs: readonly Pair[], between: string): string {
  return pairs.map(({ name, value }) => `${encode(name, name)}=${value}`).join(between);
}
