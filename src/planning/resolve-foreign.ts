import type { MustDeny, PlanForeignHook, ToolCall, ToolMapping } from '../contracts/foreign-hooks.js';
import type { JsonObject } from '../contracts/json.js';
import { AbilityError } from '../contracts/problem.js';
import { isForeign } from '../definitions/foreign-hook.js';
import type { HookDefinition } from '../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../definitions/registry.js';
import { didYouMean } from '../rules/nearest.js';
import { isShown, MAPPING_NAMES, type MappedAbility, mappingOf, toolCallOf } from '../rules/tool-mapping/map-tool.js';
import { type Available, checkCondition, checkTemplate } from './check-names.js';
import { chooseImplementation, configOf } from './choose-implementation.js';
import { placed } from './placed.js';
import type { HookSubject } from './resolve-hooks.js';

const IN_MAPPINGS: Available = {
  names: MAPPING_NAMES,
  functions: [],
  where: 'tool_input',
  instead: 'The hook is shown the input of the call, and nothing that depends on the moment or on chance.',
};
const IN_FILTERS: Available = { ...IN_MAPPINGS, names: ['tool_name', 'tool_input'], where: '`if` of a mapping' };

/** Whether a hook looks at an ability: one of another tool does where `as` shows it that ability. Source: answers, 38. */
export function covers(hook: HookDefinition, subject: MappedAbility): boolean {
  return !isForeign(hook) || hook.as === undefined || mappingOf(hook.as, subject) !== undefined;
}

/**
 * What a plan has of a hook of another tool: the mapping of the ability, and the calls it must deny as it will see them.
 *
 * @param subject left out for an event of a session, which is about no ability.
 * @returns undefined: it is none, or does not cover the ability.
 * @throws AbilityError `definition.*`, `expression.*`, with the place.
 */
export function resolveForeign(
  hook: Loaded<HookDefinition>,
  registry: Registry,
  subject: MappedAbility | undefined,
): PlanForeignHook | undefined {
  const { handler, as: mappings = [], must_deny, abstain } = hook.value;
  if (!('script' in handler || 'ability' in handler) || handler.format === undefined) return undefined;
  const { plugin_root } = { plugin_root: undefined, ...('script' in handler && handler.script) };
  const common = {
    format: handler.format,
    ...(handler.event !== undefined && { event: handler.event }),
    ...(plugin_root !== undefined && { plugin_root }),
  };
  if (!subject) return { ...common, silence: 'allow' };
  for (const [index, mapping] of mappings.entries()) checkMapping(mapping, hook, ['as', index]);
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

function checkMapping({ tool_input, if: condition }: ToolMapping, hook: Loaded<HookDefinition>, path: PropertyKey[]) {
  checkTemplate(tool_input, IN_MAPPINGS, hook, [...path, 'tool_input']);
  if (condition !== undefined) checkCondition(condition, IN_FILTERS, hook, [...path, 'if']);
}

/**
 * The calls that a hook must deny, as it sees them in an environment.
 *
 * One that only another environment shows to it is left to that; at least one is shown in each.
 */
function mustDeny(hook: Loaded<HookDefinition>, registry: Registry, environment: string): MustDeny[] {
  const { as: mappings = [], must_deny = [], id } = hook.value;
  const calls: MustDeny[] = [];
  for (const [index, { ability, input }] of must_deny.entries()) {
    const path = ['must_deny', index];
    const mapping = mappingOf(mappings, mappedAbilityOf(registry, ability, environment, hook, path));
    if (mapping) {
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
  const operation = registry.operations.get(ability);
  if (!operation) {
    throw new AbilityError({
      code: 'definition.unknown_reference',
      message: `There is no low-level ability ${ability}`,
      location: hook.locate([...path, 'ability']),
      suggestion: didYouMean(ability, registry.operations.keys()) ?? 'Name one that `as` shows to the hook.',
    });
  }
  const { scope, effects } = operation.value;
  const config = configOf(registry, ability);
  const { body } = chooseImplementation(registry, operation, config, config?.value.environments?.[environment]);
  return { ability, modules: scope.modules ?? [], environment, kind: body.kind, effects, tags: body.tags ?? [] };
}
