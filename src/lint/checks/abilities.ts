import type { Finding } from '../../contracts/findings.js';
import {
  abilityIds,
  type Composite,
  loadedAbilities,
  loadedAbility,
  loadedComposites,
} from '../../definitions/find-ability.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf, findingOfProblem } from '../../planning/finding-of.js';
import { callsOf } from '../../planning/steps/called-abilities.js';
import { didYouMean } from '../../text/nearest.js';
import type { LintedProject } from '../linted-project.js';

/** Finds easily confused ids, scopes without an environment, and conflicting settings of a shared key. */
export function* checkAbilitiesAlike({ registry }: LintedProject): Generator<Finding> {
  yield* alikeIds(registry);
  yield* emptyScopes(registry);
  yield* sharedKeys(registry);
}

function* alikeIds(registry: Registry): Generator<Finding> {
  const seen = new Map<string, string>();
  for (const [id, from] of loadedAbilities(registry)) {
    const key = 'operation_key' in from.value ? 'operation_key' : 'id';
    const plain = id.replace(/[._-]/g, '');
    const other = seen.get(plain);
    if (other === undefined) seen.set(plain, id);
    else yield findingOf('lint.ids_alike', `${id} is easily taken for ${other}`, from.locate([key]));
  }
}

function* emptyScopes(registry: Registry): Generator<Finding> {
  for (const [id, ability] of loadedAbilities(registry)) {
    if (ability.value.scope.environments?.length !== 0) continue;
    yield findingOf('lint.scope_empty', `${id} is available nowhere`, ability.locate(['scope', 'environments']));
  }
}

/** Finds workflows that share a key and differ in `limit` or `on_busy`. */
function* sharedKeys({ workflows }: Registry): Generator<Finding> {
  const first = new Map<string, { id: string; limit: number; on_busy: string }>();
  for (const [id, workflow] of workflows) {
    const { concurrency } = workflow.value;
    if (!concurrency) continue;
    const { key, limit, on_busy } = concurrency;
    const other = first.get(key);
    if (!other) first.set(key, { id, limit, on_busy });
    else if (other.limit !== limit || other.on_busy !== on_busy) {
      const says = ({ limit, on_busy }: { limit: number; on_busy: string }) => `limit ${limit}, ${on_busy}`;
      const message = `${id} (${says(concurrency)}) and ${other.id} (${says(other)}) share a key`;
      yield findingOf('lint.concurrency_disagrees', message, workflow.locate(['concurrency', 'key']));
    }
  }
}

/** Finds environments that one definition includes and another one excludes. Source: R-000-28. */
export function* checkScopes({ registry }: LintedProject): Generator<Finding> {
  for (const [, composite] of loadedComposites(registry)) yield* checkCalls(registry, composite);
  yield* checkSettings(registry);
}

/** A workflow or agent must be able to run in each environment it names; if it names none, in at least one. */
function* checkCalls(registry: Registry, composite: Loaded<Composite>): Generator<Finding> {
  const { id, scope } = composite.value;
  const all = environmentsOf(registry, scope);
  const calls = [...callsOf(composite.value)].map((call) => ({
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
    yield findingOf('lint.scope_contradiction', message, composite.locate(path));
  }
}

/** Finds settings for an environment in which the ability is not available: they are never read. */
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
  const ability = loadedAbility(registry, id);
  return ability && environmentsOf(registry, ability.value.scope);
}

/** Finds unknown and unused entries of `operations`; planning reports calls outside. Source: R-000-38. */
export function* checkWhitelists({ registry }: LintedProject): Generator<Finding> {
  const known = new Set(abilityIds(registry));
  for (const workflow of registry.workflows.values()) {
    const called = new Set([...callsOf(workflow.value)].map(({ id }) => id));
    for (const [index, id] of (workflow.value.operations ?? []).entries()) {
      const location = workflow.locate(['operations', index]);
      if (!known.has(id) && !registry.broken.has(`ability:${id}`)) {
        const problem = { code: 'definition.unknown_reference', message: `There is no ability \`${id}\``, location };
        const suggestion = didYouMean(id, [...known]);
        yield findingOfProblem({ ...problem, ...(suggestion !== undefined && { suggestion }) }, workflow.file);
      } else if (!called.has(id) && workflow.value.steps.length > 0) {
        const message = `\`operations\` of ${workflow.value.id} allows ${id}, and no step calls it`;
        yield findingOf('lint.operation_unused', message, location);
      }
    }
  }
}

/** Those of its scope, or all. Source: R-000-28; docs/definitions.md#high-level-abilities. */
export function environmentsOf(
  { project }: Registry,
  { environments }: { environments?: string[] | undefined },
): string[] {
  const all = Object.keys(project.environments);
  return environments ? all.filter((name) => environments.includes(name)) : all;
}
