import type { Finding } from '../../contracts/findings.js';
import { AbilityError } from '../../contracts/problem.js';
import { isForeign } from '../../definitions/foreign-hook.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import { BINDING_LISTS, isGlobal } from '../../definitions/hook-bindings.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { mappingOf } from '../../definitions/tool-mapping/map-tool.js';
import { findingOf } from '../../planning/finding-of.js';
import { mappedAbilityOf } from '../../planning/hooks/resolve-foreign.js';
import { fitsMatch } from '../../planning/hooks/resolve-hooks.js';
import type { LintedProject } from '../linted-project.js';

const MOST_NAMED = 5;

/** Finds guards of another tool that fit abilities which `as` does not show them. Source: docs/hooks.md#guards-written-for-claude-code-or-codex. */
export function* checkHookCoverage({ registry }: LintedProject): Generator<Finding> {
  for (const phase of ['PreAbilityCall', 'PostAbilityCall'] as const) {
    for (const hook of registry.hooks.get(phase) ?? []) {
      if (!hook.value.enabled || !isForeign(hook.value)) continue;
      const list = BINDING_LISTS[phase];
      const wanted = [...registry.operations].filter(
        ([, { value }]) => isGlobal(registry, phase, hook.value) || value.hooks?.[list]?.includes(hook.value.id),
      );
      const missed = wanted.map(([id]) => id).filter((id) => isMissed(hook, id, registry));
      if (missed.length === 0) continue;
      const more = missed.length > MOST_NAMED ? ` and ${missed.length - MOST_NAMED} more` : '';
      const message = `The hook ${hook.value.id} is not asked about ${missed.slice(0, MOST_NAMED).join(', ')}${more}: no entry of \`as\` fits`;
      yield findingOf('lint.hook_uncovered', message, hook.locate(['as']));
    }
  }
}

/** Whether the hook fires for an ability somewhere, and is not shown it there. */
function isMissed(hook: Loaded<HookDefinition>, id: string, registry: Registry): boolean {
  const { match, as: mappings = [] } = hook.value;
  return Object.keys(registry.project.environments).some((environment) => {
    try {
      const subject = mappedAbilityOf(registry, id, environment, hook, []);
      return (!match || fitsMatch(match, subject)) && mappingOf(mappings, subject) === undefined;
    } catch (error) {
      // What is wrong with the ability itself is a finding of its own.
      if (error instanceof AbilityError) return false;
      throw error;
    }
  });
}
