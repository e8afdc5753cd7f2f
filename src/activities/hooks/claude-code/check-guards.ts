import type { Finding } from '../../../contracts/findings.js';
import { loadRegistry } from '../../../definitions/load-registry.js';
import type { Registry } from '../../../definitions/registry.js';
import { findingOfProblem } from '../../../planning/finding-of.js';
import { foreignGuards, hookEnvironment } from '../../../planning/hooks/foreign-guards.js';
import type { ScriptHookDependencies } from '../ask-script.js';
import { checkMustDeny, faultOfUndenied, type ProvenGuards } from './proven-guards.js';

/**
 * Fires each guard of another tool with what it must deny in an environment, so that its first call need not.
 * Source: docs/hooks.md#guards-written-for-claude-code-or-codex.
 *
 * @returns those that fail, as each call that they guard will say.
 * @throws AbilityError for a project that cannot be read.
 */
export async function proveGuards(
  root: string,
  environment: string,
  proven: Pick<ProvenGuards, 'faultOf'>,
  signal: AbortSignal,
): Promise<{ hook: string; fault: string }[]> {
  const failed: { hook: string; fault: string }[] = [];
  const registry = loadRegistry(root);
  const around = hookEnvironment(registry, environment);
  for (const { hook, handler } of foreignGuards(registry, environment).guards) {
    if (signal.aborted) break;
    const fault = await proven.faultOf(hook.value.id, handler, around, signal);
    if (fault !== undefined && !signal.aborted) failed.push({ hook: hook.value.id, fault });
  }
  return failed;
}

/** What came of firing guards with what they must deny. */
export interface GuardCheck {
  /** One for each call that was not denied. */
  findings: Finding[];
  /** Guards that were fired, each counted once. */
  guards: number;
  /** Calls that they were fired with, in all environments. */
  calls: number;
  /** Guards that cannot be fired in some environment, because their definition is wrong. */
  unresolved: string[];
}

/** Fires each guard with each call that it must deny, in each environment: `lint --check-hooks`. */
export async function checkGuards(
  registry: Registry,
  dependencies: ScriptHookDependencies,
  signal: AbortSignal,
): Promise<GuardCheck> {
  const findings: Finding[] = [];
  const fired = new Set<string>();
  const unresolved = new Set<string>();
  let calls = 0;
  for (const environment of Object.keys(registry.project.environments)) {
    const planned = foreignGuards(registry, environment);
    for (const { hook } of planned.problems) unresolved.add(hook.value.id);
    for (const { hook, handler } of planned.guards) {
      const { id } = hook.value;
      fired.add(id);
      calls += handler.foreign.must_deny?.length ?? 0;
      for (const undenied of await checkMustDeny(
        dependencies,
        id,
        handler,
        hookEnvironment(registry, environment),
        signal,
      )) {
        const message = `In ${environment} the hook ${id} fails: ${faultOfUndenied(undenied)}`;
        findings.push(
          findingOfProblem({ code: 'hook.failed', message, location: hook.locate(['must_deny']) }, hook.file),
        );
      }
    }
  }
  return { findings, guards: fired.size, calls, unresolved: [...unresolved] };
}
