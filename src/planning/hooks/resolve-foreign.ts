import type { PlanForeignHook, ToolMapping } from '../../contracts/foreign-hooks.js';
import { isForeign } from '../../definitions/foreign-hook.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { MAPPING_NAMES, type MappedAbility, mappingOf } from '../../definitions/tool-mapping/map-tool.js';
import { type Available, checkCondition, checkTemplate } from '../steps/check-names.js';
import { mustDeny } from './must-deny.js';

const IN_MAPPINGS: Available = {
  names: MAPPING_NAMES,
  functions: [],
  where: 'tool_input',
  instead: 'The hook is shown the input of the call, and nothing that depends on the moment or on chance.',
};
const IN_FILTERS: Available = { ...IN_MAPPINGS, names: ['tool_name', 'tool_input'], where: '`if` of a mapping' };

/**
 * Whether a hook looks at an ability: one of another tool does where `as` shows it that ability.
 * Source: docs/hooks.md#guards-written-for-claude-code-or-codex.
 */
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
