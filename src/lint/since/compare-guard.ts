import { CALLERS } from '../../contracts/callers.js';
import type { Finding } from '../../contracts/findings.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import type { TaskPhase } from '../../definitions/hook-bindings.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';

/**
 * What a guard lets through that it stopped before, where it is still asked before an ability.
 *
 * Reported is what the definition alone shows: callers it no longer fires for, and a handler that can stop less. What a
 * changed condition or script decides cannot be compared.
 */
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

/** How a handler stops less than the one before it; undefined where that cannot be seen. */
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
