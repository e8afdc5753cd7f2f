import type { MustDeny, ToolCall, ToolMapping } from '../../contracts/foreign-hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { isShown, mappingOf, toolCallOf } from '../../definitions/tool-mapping/map-tool.js';
import { didYouMean } from '../../text/nearest.js';
import { operationInput } from '../input/operation-input.js';
import { resolveParameters } from '../resolve/check-parameters.js';
import { chooseImplementation, configOf } from '../resolve/choose-implementation.js';
import type { ChosenImplementation, EnvironmentSettings } from '../resolve/chosen-implementation.js';
import { placed } from '../steps/placed.js';
import type { HookSubject } from './hook-subject.js';

/**
 * The calls that a hook must deny, as it sees them in an environment.
 *
 * One that only another environment shows to it is left to that; at least one is shown in each.
 */
export function mustDeny(hook: Loaded<HookDefinition>, registry: Registry, environment: string): MustDeny[] {
  const { as: mappings = [], must_deny = [], id } = hook.value;
  const calls: MustDeny[] = [];
  for (const [index, { ability, input: given }] of must_deny.entries()) {
    const path = ['must_deny', index];
    const mapping = mappingOf(mappings, mappedAbilityOf(registry, ability, environment, hook, path));
    if (mapping) {
      const input = asCalled(registry, operationOf(registry, ability, hook, path), environment, given);
      calls.push({ ability, input, ...shown(mapping, input, hook, path) });
      continue;
    }
    const others = Object.keys(registry.project.environments);
    const elsewhere = others.some((name) => mappingOf(mappings, mappedAbilityOf(registry, ability, name, hook, path)));
    if (elsewhere) continue;
    throw new AbilityError({
      code: 'definition.invalid',
      message: `The hook ${id} must deny a call of ${ability}, which no entry of \`as\` shows it`,
      location: hook.locate(path),
      suggestion: 'Add an entry to `as` whose `match` fits it.',
    });
  }
  if (calls.length > 0) return calls;
  throw new AbilityError({
    code: 'definition.invalid',
    message: `In ${environment} the hook ${id} is shown none of the calls that it must deny`,
    location: hook.locate(['must_deny']),
    suggestion: `Add one of an ability that \`as\` shows it in ${environment}.`,
  });
}

/**
 * An input as a call has it, with what the contract and the implementation set. Without that the hook could tell the two
 * apart, and a mapping could not read what has a default.
 *
 * @returns one that no call may have, as it is written.
 */
function asCalled(registry: Registry, operation: Loaded<LowLevel>, environment: string, given: JsonObject): JsonObject {
  const { operation_key: key, input_schema } = operation.value;
  const { chosen, settings } = inEnvironment(registry, operation, environment);
  const implementation = { id: chosen.id, ...resolveParameters(chosen, settings) };
  try {
    return operationInput({ key, input_schema, implementation }, given);
  } catch (error) {
    if (error instanceof AbilityError && error.code === 'input.invalid') return given;
    throw error;
  }
}

function shown(mapping: ToolMapping, input: JsonObject, hook: Loaded<HookDefinition>, path: PropertyKey[]): ToolCall {
  try {
    const call = toolCallOf(mapping, input);
    if (isShown(mapping, call)) return call;
    throw new AbilityError({
      code: 'definition.invalid',
      message: `The \`if\` of its mapping keeps this call from the hook ${hook.value.id}, which must deny it`,
      suggestion: 'Correct `if`, or name another call.',
    });
  } catch (error) {
    throw placed(error, hook, [...path, 'input']);
  }
}

/** An ability as `as` matches it. @throws AbilityError `definition.unknown_reference` where it is no low-level one. */
export function mappedAbilityOf(
  registry: Registry,
  ability: string,
  environment: string,
  hook: Loaded<HookDefinition>,
  path: PropertyKey[],
): HookSubject {
  const operation = operationOf(registry, ability, hook, path);
  const { scope, effects } = operation.value;
  const { body } = inEnvironment(registry, operation, environment).chosen;
  return { ability, modules: scope.modules ?? [], environment, kind: body.kind, effects, tags: body.tags ?? [] };
}

/** Which implementation an operation has in an environment, and what is set for it there. */
function inEnvironment(
  registry: Registry,
  operation: Loaded<LowLevel>,
  environment: string,
): { chosen: ChosenImplementation; settings: EnvironmentSettings | undefined } {
  const config = configOf(registry, operation.value.operation_key);
  const settings = config?.value.environments?.[environment];
  return { chosen: chooseImplementation(registry, operation, config, settings), settings };
}

function operationOf(
  registry: Registry,
  ability: string,
  hook: Loaded<HookDefinition>,
  path: PropertyKey[],
): Loaded<LowLevel> {
  const operation = registry.operations.get(ability);
  if (operation) return operation;
  throw new AbilityError({
    code: 'definition.unknown_reference',
    message: `There is no low-level ability ${ability}`,
    location: hook.locate([...path, 'ability']),
    suggestion: didYouMean(ability, registry.operations.keys()) ?? 'Name one that `as` shows to the hook.',
  });
}
