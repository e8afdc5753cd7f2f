import type { Finding } from '../../contracts/findings.js';
import type { SourceLocation } from '../../contracts/problem.js';
import { abilityIds, loadedAbility } from '../../definitions/find-ability.js';
import { type Loaded, type Registry, unreadable } from '../../definitions/registry.js';
import { listSpecialists } from '../../definitions/specialists.js';
import { findingOf } from '../../planning/finding-of.js';
import { callsOf } from '../../planning/steps/called-abilities.js';
import { didYouMean } from '../../text/nearest.js';
import type { LintedProject } from '../linted-project.js';

/** Checks references and capabilities of packs. Source: R-004-13, R-004-14. */
export function* checkSpecialists({ registry }: LintedProject): Generator<Finding> {
  const { capabilities, packs } = listSpecialists(registry);
  if (!unreadable(registry, 'low-level', 'high-level')) {
    yield* checkWorkflows(registry);
    yield* checkMeans(registry);
  }
  if (!unreadable(registry, 'capabilities')) {
    const known = capabilities.map(({ id }) => id);
    for (const [id, pack] of registry.packs) {
      for (const [index, name] of pack.value.capabilities.entries()) {
        if (known.includes(name) || registry.broken.has(`capability:${name}`)) continue;
        const message = `The pack ${id} has the capability ${name}, which is not there`;
        const near = didYouMean(name, known);
        yield findingOf('lint.pack_capability_unknown', message, pack.locate(['capabilities', index]), near);
      }
    }
  }
  if (hidesPacks(registry)) return;
  for (const [id, capability] of registry.capabilities) {
    if (packs.some((pack) => pack.capabilities.includes(id))) continue;
    yield findingOf('lint.capability_unprovided', `No pack has the capability ${id}`, capability.locate([], 'key'));
  }
}

function* checkWorkflows(registry: Registry): Generator<Finding> {
  const known = abilityIds(registry);
  for (const [id, pack] of registry.packs) {
    const { workflow } = pack.value;
    if (known.includes(workflow) || registry.broken.has(`ability:${workflow}`)) continue;
    const message = `The pack ${id} runs ${workflow}, which is not there`;
    const near = didYouMean(workflow, known);
    yield findingOf('lint.pack_workflow_missing', message, pack.locate(['workflow']), near);
  }
}

/**
 * Finds capabilities of packs and agents that nothing they may call has. A workflow, which says what it does itself,
 * is believed; an agent is not. Source: R-004-01, R-004-09.
 */
function* checkMeans(registry: Registry): Generator<Finding> {
  const unbacked = function* (
    claims: readonly string[],
    by: string,
    id: string,
    locate: (at: number) => SourceLocation,
  ) {
    const means = meansOf(registry, id);
    for (const [at, name] of claims.entries()) {
      if (means?.has(name) !== false) continue;
      const message = `${by} has the capability ${name}, and nothing that ${id} may call has it`;
      yield findingOf('lint.capability_unbacked', message, locate(at));
    }
  };
  for (const { id, workflow, capabilities } of listSpecialists(registry).packs) {
    const own = registry.packs.get(id);
    const runs = loadedAbility(registry, workflow);
    const at = (index: number) => own?.locate(['capabilities', index]) ?? (runs as Loaded<unknown>).locate([]);
    yield* unbacked(capabilities, `The pack ${id}`, workflow, at);
  }
  for (const [id, { value, locate }] of registry.agents) {
    yield* unbacked(value.capabilities ?? [], `The agent ${id}`, id, (index) => locate(['capabilities', index]));
  }
}

/** The capabilities of an ability and of all that it may call; undefined if one of these is not there. */
function meansOf(registry: Registry, id: string, seen: Set<string> = new Set()): Set<string> | undefined {
  const loaded = loadedAbility(registry, id);
  if (!loaded) return undefined;
  if (seen.has(id)) return new Set();
  seen.add(id);
  const { value } = loaded;
  const own = 'type' in value && value.type === 'agent' ? [] : (value.capabilities ?? []);
  const called = 'type' in value ? [...callsOf(value)].map((call) => meansOf(registry, call.id, seen)) : [];
  if (called.includes(undefined)) return undefined;
  return new Set([...own, ...called.flatMap((means) => [...(means ?? [])])]);
}

/** Whether a broken file may hold a missing pack, or duplicates hide it. */
function hidesPacks(registry: Registry): boolean {
  return (
    unreadable(registry, 'packs') !== undefined || [...registry.broken.keys()].some((key) => key.startsWith('pack:'))
  );
}
