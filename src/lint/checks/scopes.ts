import type { Finding } from '../../contracts/findings.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { callsOf } from '../../planning/steps/called-abilities.js';
import type { LintedProject } from '../linted-project.js';
import { environmentsOf } from '../scopes.js';

/** Finds environments that one definition promises and another one takes away. Source: R-000-28. */
export function* checkScopes({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) yield* checkCalls(registry, workflow);
  yield* checkSettings(registry);
}

/** A workflow that names its environments must be able to run there; one that names none, somewhere. */
function* checkCalls(registry: Registry, workflow: Loaded<HighLevel>): Generator<Finding> {
  const { id, scope } = workflow.value;
  const all = environmentsOf(registry, scope);
  const calls = [...callsOf(workflow.value)].map((call) => ({
    ...call,
    within: availableIn(registry, call.id) ?? all,
  }));
  const isSomewhere = all.some((name) => calls.every(({ within }) => within.includes(name)));
  if (!scope.environments && isSomewhere) return;
  for (const { id: callee, path, within } of calls) {
    const missing = all.filter((name) => !within.includes(name));
    if (missing.length === 0) continue;
    const where = within.length > 0 ? `only in ${within.join(', ')}` : 'nowhere';
    const message = `${id} may run in ${missing.join(', ')}, and calls ${callee}, which is available ${where}`;
    yield findingOf('lint.scope_contradiction', message, workflow.locate(path));
  }
}

/** Settings for an environment in which the ability is not available are never read. */
function* checkSettings(registry: Registry): Generator<Finding> {
  for (const [id, config] of registry.configs) {
    const within = availableIn(registry, id);
    for (const name of Object.keys(config.value.environments ?? {})) {
      if (!within || within.includes(name)) continue;
      const message = `The configuration has settings of ${id} for ${name}, where it is not available`;
      yield findingOf('lint.scope_contradiction', message, config.locate(['environments', name], 'key'));
    }
  }
}

function availableIn(registry: Registry, id: string): string[] | undefined {
  const ability = registry.operations.get(id) ?? registry.workflows.get(id);
  return ability && environmentsOf(registry, ability.value.scope);
}
