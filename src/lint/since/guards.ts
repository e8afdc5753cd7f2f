import { CALLERS } from '../../contracts/callers.js';
import { EFFECTS, type Effect } from '../../contracts/effects.js';
import type { Finding } from '../../contracts/findings.js';
import { AbilityError } from '../../contracts/problem.js';
import { type Composite, loadedComposite } from '../../definitions/find-ability.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import type { TaskPhase } from '../../definitions/hook-bindings.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import type { HookSubject } from '../../planning/hooks/hook-subject.js';
import { type HookBindings, selectHooks } from '../../planning/hooks/resolve-hooks.js';
import { compositeLevels, hookLevels } from '../../planning/resolve/resolve-operation.js';
import { type Call, callsOf } from '../../planning/steps/called-abilities.js';

interface Guard {
  name: string;
  phase: TaskPhase;
  hook: string;
}

/** Empty if they cannot be determined. */
export function guardsOf(registry: Registry, id: string, environment: string): Guard[] {
  try {
    const { subject, levels } = surroundingsOf(registry, id, environment);
    return (['PreAbilityCreate', 'PreAbilityCall'] as const).flatMap((phase) =>
      selectHooks(phase, registry, subject, levels, () => {}).map(({ value }) => {
        return { name: `${value.id} (${phase})`, phase, hook: value.id };
      }),
    );
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return [];
  }
}

function surroundingsOf(
  registry: Registry,
  id: string,
  environment: string,
): { subject: HookSubject; levels: HookBindings[] } {
  const operation = registry.operations.get(id);
  if (operation) return hookLevels(registry, operation, environment);
  const composite = loadedComposite(registry, id) as Loaded<Composite>;
  return {
    subject: {
      ability: id,
      modules: composite.value.scope.modules ?? [],
      environment,
      kind: 'workflow',
      effects: effectOf(registry, id),
      tags: [...tagsOf(registry, id, environment)],
    },
    levels: compositeLevels(registry, composite, environment),
  };
}

/** The tags of all operations that a workflow or agent may call, directly or not. */
function tagsOf(registry: Registry, id: string, environment: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(id)) return new Set();
  seen.add(id);
  const operation = registry.operations.get(id);
  if (operation) return new Set(hookLevels(registry, operation, environment).subject.tags);
  return new Set(callsIn(registry, id).flatMap((call) => [...tagsOf(registry, call.id, environment, seen)]));
}

/** Of a workflow or agent: the gravest effect of all its calls, direct or not. */
export function effectOf(registry: Registry, id: string, seen: Set<string> = new Set()): Effect {
  if (seen.has(id)) return 'read';
  seen.add(id);
  const operation = registry.operations.get(id);
  if (operation) return operation.value.effects;
  const effects = callsIn(registry, id).map((call) => effectOf(registry, call.id, seen));
  return EFFECTS.findLast((effect) => effects.includes(effect)) ?? 'read';
}

function callsIn(registry: Registry, id: string): Call[] {
  const composite = loadedComposite(registry, id);
  return composite ? [...callsOf(composite.value)] : [];
}

/** Finds what a guard no longer stops, by its definition; changed conditions or scripts cannot be compared. */
export function* compareGuard(before: Registry, after: Registry, phase: TaskPhase, id: string): Generator<Finding> {
  const [old, now] = [before, after].map((registry) => hookIn(registry, phase, id));
  if (!old || !now) return;
  const name = `${id} (${phase})`;
  const fires = callersOf(now.value);
  const lost = callersOf(old.value).filter((caller) => !fires.includes(caller));
  if (lost.length > 0) {
    const message = `The guard ${name} no longer fires for ${lost.join(', ')}`;
    yield findingOf('lint.break_guard', message, now.locate(['match', 'callers']));
  }
  const what = weakened(old.value.handler, now.value.handler);
  if (what) yield findingOf('lint.break_guard', `The guard ${name} ${what}`, now.locate(['handler']));
  if (old.value.abstain === 'deny' && now.value.abstain !== 'deny') {
    const message = `The guard ${name} no longer denies where it is silent`;
    yield findingOf('lint.break_guard', message, now.locate(['abstain']));
  }
}

function hookIn(registry: Registry, phase: TaskPhase, id: string): Loaded<HookDefinition> | undefined {
  return registry.hooks.get(phase)?.find(({ value }) => value.id === id);
}

function callersOf({ match }: HookDefinition): readonly string[] {
  return match?.callers ?? CALLERS;
}

/** In what way the new handler is weaker; undefined if none is visible. */
function weakened(old: HookDefinition['handler'], now: HookDefinition['handler']): string | undefined {
  if (canStop(old) && !canStop(now)) return 'can no longer stop a call: it neither denies nor asks for approval';
  if (!('expression' in old) || !('expression' in now)) return undefined;
  const [was, is] = [old.expression, now.expression];
  if (was.deny_if !== undefined && is.deny_if === undefined) return 'no longer denies: it has no `deny_if`';
  const isMerged = is.deny_if !== undefined && is.deny_if !== was.deny_if;
  const isLost = was.confirm_if !== undefined && is.confirm_if === undefined;
  return isLost && !isMerged ? 'no longer asks for approval: it has no `confirm_if`' : undefined;
}

function canStop(handler: HookDefinition['handler']): boolean {
  if ('expression' in handler) return (handler.expression.deny_if ?? handler.expression.confirm_if) !== undefined;
  return !('builtin' in handler && handler.builtin.name === 'usage');
}
