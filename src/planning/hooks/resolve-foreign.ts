import type { MustDeny, PlanForeignHook, ToolCall } from '../../contracts/foreign-hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError, invalidDefinition } from '../../contracts/problem.js';
import type { HookSubject, MappedAbility } from '../../definitions/fits-match.js';
import { isForeign } from '../../definitions/foreign-hook.js';
import type { HookDefinition, ToolMapping } from '../../definitions/formats/hooks.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { isShown, MAPPING_NAMES, mappingOf, toolCallOf } from '../../definitions/tool-mapping/map-tool.js';
import { partsOfHandler } from '../../definitions/written-handler.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';
import { operationInput, resolveParameters } from '../resolve/check-parameters.js';
import { chooseImplementation } from '../resolve/choose-implementation.js';
import { type Available, checkAt, checkCondition, checkTemplate, invalidAt } from '../steps/check-names.js';
import { hookLevels } from './hook-levels.js';

const IN_MAPPINGS: Available = {
  names: MAPPING_NAMES,
  functions: [],
  where: 'tool_input',
  instead: 'The hook is shown the input of the call, and nothing that depends on the moment or on chance.',
};
const IN_FILTERS: Available = { ...IN_MAPPINGS, names: ['tool_name', 'tool_input'], where: '`if` of a mapping' };

/** False if `as` of a foreign hook omits it. */
export function covers(hook: HookDefinition, subject: MappedAbility): boolean {
  return !isForeign(hook) || hook.as === undefined || mappingOf(hook.as, subject) !== undefined;
}

/**
 * The mapping of an ability for a foreign hook, and the calls the hook must deny, as it sees them.
 * @param subject undefined for a session event. @returns undefined unless the hook is foreign and covers the
 * ability. @throws AbilityError `definition.*`, `expression.*`, with the place.
 */
export function resolveForeign(
  hook: Loaded<HookDefinition>,
  registry: Registry,
  subject: MappedAbility | undefined,
): PlanForeignHook | undefined {
  const { handler, as: mappings = [], must_deny, abstain } = hook.value;
  const { format, event, script } = partsOfHandler(handler);
  if (format === undefined) return undefined;
  const { plugin_root } = { plugin_root: undefined, ...script };
  const common = { format, ...defined({ event, plugin_root }) };
  if (!subject) return { ...common, silence: 'allow' };
  for (const [index, { tool_input, if: condition }] of mappings.entries()) {
    checkTemplate(tool_input, IN_MAPPINGS, { from: hook, path: ['as', index, 'tool_input'] });
    if (condition !== undefined) checkCondition(condition, IN_FILTERS, { from: hook, path: ['as', index, 'if'] });
  }
  const mapping = mappingOf(mappings, subject);
  if (!mapping) return undefined;
  const denied = must_deny && mustDeny(hook, registry, subject.environment);
  const { tool_name, tool_input, if: condition } = mapping;
  return {
    ...common,
    shown: { tool_name, tool_input, ...(condition !== undefined && { if: condition }) },
    ...(denied && { must_deny: denied }),
    silence: abstain ?? (denied ? 'allow' : 'deny'),
  };
}

/** Omits calls that the hook sees in other environments only; each environment must have at least one. */
function mustDeny(hook: Loaded<HookDefinition>, registry: Registry, environment: string): MustDeny[] {
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
    const message = `The hook ${id} must deny a call of ${ability}, but no entry of \`as\` fits that ability`;
    throw invalidAt({ from: hook, path }, message, 'Add an entry to `as` whose `match` fits it.');
  }
  if (calls.length > 0) return calls;
  const message = `In ${environment} no entry of \`as\` fits a call that the hook ${id} must deny`;
  throw invalidAt(
    { from: hook, path: ['must_deny'] },
    message,
    `Add a call of an ability that \`as\` fits in ${environment}.`,
  );
}

/**
 * Adds the values that contract and implementation set, so that mappings can read defaults and the hook cannot
 * tell the two apart. @returns an invalid input unchanged.
 */
function asCalled(registry: Registry, operation: Loaded<LowLevel>, environment: string, given: JsonObject): JsonObject {
  const { operation_key: key, input_schema } = operation.value;
  const chosen = chooseImplementation(registry, operation, environment);
  const implementation = { id: chosen.id, ...resolveParameters(chosen) };
  try {
    return operationInput({ key, input_schema, implementation }, given);
  } catch (error) {
    if (error instanceof AbilityError && error.code === 'input.invalid') return given;
    throw error;
  }
}

function shown(mapping: ToolMapping, input: JsonObject, hook: Loaded<HookDefinition>, path: PropertyKey[]): ToolCall {
  return checkAt({ from: hook, path: [...path, 'input'] }, () => {
    const call = toolCallOf(mapping, input);
    if (isShown(mapping, call)) return call;
    throw invalidDefinition(
      `The \`if\` of its mapping keeps this call from the hook ${hook.value.id}, which must deny it`,
      undefined,
      'Correct `if`, or name another call.',
    );
  });
}

/** What `as` is tested against. @throws AbilityError `definition.unknown_reference` if it does not exist. */
export function mappedAbilityOf(
  registry: Registry,
  ability: string,
  environment: string,
  hook: Loaded<HookDefinition>,
  path: PropertyKey[],
): HookSubject {
  return hookLevels(registry, operationOf(registry, ability, hook, path), environment).subject;
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
    suggestion: didYouMean(ability, registry.operations.keys()) ?? 'Name one that an entry of `as` fits.',
  });
}
