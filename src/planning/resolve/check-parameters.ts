import type { Json, JsonObject } from '../../contracts/json.js';
import type { Plan, PlanImplementation, PlanOperation } from '../../contracts/plan.js';
import { AbilityError, invalidDefinition, type SourceLocation } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded } from '../../definitions/registry.js';
import { canonicalJson } from '../../rules/canonical.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { didYouMean } from '../../text/nearest.js';
import { checkAgainst, satisfies } from '../input/schemas.js';
import { stepCalls } from '../steps/called-abilities.js';
import type { ChosenImplementation } from './choose-implementation.js';

/** `defaults`: the parameters that an implementation sets; `overridable`: those that callers may change. */
export type Parameters = Pick<PlanImplementation, 'defaults' | 'overridable'>;

/** Callers may set all parameters unless a list restricts them. Source: R-000-46; docs/definitions.md. */
export function resolveParameters({ body, settings }: ChosenImplementation): Parameters {
  const defaults = { ...body.defaults, ...settings?.defaults };
  return { defaults, overridable: settings?.overridable ?? body.overridable ?? Object.keys(defaults) };
}

/** An invalid default would make every call fail. @throws AbilityError `definition.invalid`, with the place. */
export function checkParameters(
  { implementation, input_schema, key }: PlanOperation,
  { from, path, config, settings }: ChosenImplementation,
  environment: string,
): void {
  const place = (field: 'defaults' | 'overridable', name: string): SourceLocation => {
    const set = settings?.[field];
    const here = Array.isArray(set) ? true : set !== undefined && Object.hasOwn(set, name);
    if (config && here) return config.locate(['environments', environment, field, name]);
    return from.locate([...path, field, name]);
  };
  for (const name of implementation.overridable) {
    if (Object.hasOwn(implementation.defaults, name)) continue;
    throw invalidDefinition(
      `\`${name}\` is \`overridable\` and has no default, so there is nothing to override`,
      place('overridable', name),
      `Set it under \`defaults\`, or leave it out of \`overridable\`.`,
    );
  }
  for (const [name, value] of Object.entries(implementation.defaults)) {
    if (satisfies(partOf(input_schema), { [name]: value })) continue;
    throw invalidDefinition(
      `The default \`${name}\` of ${implementation.id} does not fit the input_schema of ${key}`,
      place('defaults', name),
      'Correct the value, or name the parameter in `input_schema`.',
    );
  }
}

/** Keywords about several properties together: checking a single parameter must ignore them. */
const OF_SEVERAL: ReadonlySet<string> = new Set([
  ...['required', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else', 'minProperties', 'const', 'enum', '$ref'],
  ...['dependentRequired', 'dependentSchemas', 'dependencies', 'unevaluatedProperties'],
]);

function partOf(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !OF_SEVERAL.has(keyword)));
}

/** Refuses parameters that the callee's implementation reserves. @throws AbilityError `definition.invalid`. */
export function checkStepParameters(workflow: Loaded<HighLevel>, operations: ReadonlyMap<string, PlanOperation>): void {
  for (const { id, with: given, path } of stepCalls(workflow.value)) {
    const operation = operations.get(id);
    const name = operation && typeof given === 'object' ? keptParameter(operation, given) : undefined;
    if (!operation || name === undefined) continue;
    throw invalidDefinition(
      `\`${name}\` is set by the implementation ${operation.implementation.id} of ${id}`,
      workflow.locate([...path.slice(0, -1), 'with', name], 'key'),
      'Leave it out, or list it as `overridable` at the implementation.',
    );
  }
}

/** The first parameter of an input that is not overridable and differs from the implementation's value. */
export function keptParameter(
  { implementation }: { implementation: Parameters },
  given: JsonObject,
): string | undefined {
  const { defaults, overridable } = implementation;
  const differs = (one: Json | undefined, other: Json | undefined): boolean =>
    canonicalJson(one) !== canonicalJson(other);
  return Object.keys(defaults).find(
    (name) => Object.hasOwn(given, name) && !overridable.includes(name) && differs(given[name], defaults[name]),
  );
}

/**
 * Refuses inputs of a request that the contract excludes (`additionalProperties: false`): a mistyped name would
 * drop its parameter, or send the input in another form, unnoticed. @throws AbilityError `definition.invalid`.
 */
export function checkParams({ body, from, path }: ChosenImplementation, input_schema: JsonObject): void {
  if (body.kind !== 'api' || input_schema.additionalProperties !== false) return;
  const { properties = {}, patternProperties } = input_schema;
  if (patternProperties !== undefined || properties === null || typeof properties !== 'object') return;
  const refuse = (name: string, at: PropertyKey[], what: string): void => {
    if (Object.hasOwn(properties, name)) return;
    throw invalidDefinition(
      `${what} uses the input ${name}, which \`input_schema\` neither has nor allows`,
      from.locate([...path, 'api', ...at], at.length > 1 ? 'key' : 'value'),
      didYouMean(name, Object.keys(properties)) ?? 'Add it to `input_schema`.',
    );
  };
  const { params = {} } = body.api;
  for (const name of Object.keys(params)) refuse(name, ['params', name], '`params`');
  const filled = new Set(
    Object.entries(params).map(([key, param]) => (param.in === 'path' ? (param.name ?? key) : '')),
  );
  for (const [, name = ''] of body.api.path.matchAll(/\{\+?([^{}]*)\}/g)) {
    if (!filled.has(name)) refuse(name, ['path'], 'The path');
  }
}

type CalledOperation = Pick<PlanOperation, 'key' | 'input_schema'> & {
  implementation: Parameters & { id: string };
};

/**
 * The input over the implementation's parameters, checked.
 * @throws AbilityError `input.invalid`, also for a parameter that callers may not set. Source: R-000-46.
 */
export function operationInput(operation: CalledOperation, given: JsonObject): JsonObject {
  const { key, input_schema, implementation } = operation;
  const kept = keptParameter(operation, given);
  if (kept !== undefined) {
    throw new AbilityError({
      code: 'input.invalid',
      message: `\`${kept}\` is set by the implementation ${implementation.id} of ${key}, and callers may not change it`,
      suggestion: 'Leave it out, or list it as `overridable` at the implementation.',
    });
  }
  const input = { ...implementation.defaults, ...given };
  return checkExactly(input_schema, input, `The input of ${key}`);
}

/** Adds defaults; for a low-level ability, gives its call's input. @throws AbilityError `input.invalid`. */
export function taskInput({ ability, operations }: Plan, given: JsonObject): JsonObject {
  const own = ability.kind === 'operation' ? operations[ability.id] : undefined;
  if (own) return operationInput(own, given);
  return checkExactly(ability.input_schema, given, `The input of ${ability.id}`);
}

/** Refuses integers that may have been others, wherever they were read or computed. */
function checkExactly(schema: JsonObject, input: JsonObject, what: string): JsonObject {
  refuseUnsafeKeys(input, 'input.invalid', true);
  return checkAgainst(schema, input, { code: 'input.invalid', what });
}
