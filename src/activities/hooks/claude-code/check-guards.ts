import type { Finding } from '../../../contracts/findings.js';
import type { HookDefinition } from '../../../definitions/formats/hooks.js';
import { loadRegistry } from '../../../definitions/load-registry.js';
import type { Loaded, Registry } from '../../../definitions/registry.js';
import { findingOfProblem } from '../../../planning/finding-of.js';
import { foreignGuards, hookEnvironment } from '../../../planning/hooks/foreign-guards.js';
import type { ScriptHookDependencies } from '../ask-script.js';
import { checkMustDeny, faultOfUndenied, type ProvenGuards } from './proven-guards.js';

/**
 * Fires each guard's `must_deny` cases in an environment, so that its first call need not. Source:
 * docs/hooks.md#guards-written-for-claude-code-or-codex. @returns the failed guards, with the reason that each
 * guarded call will report. @throws AbilityError for a project that cannot be read.
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

export interface GuardCheck {
  findings: Finding[];
  /** Number of guards fired, each counted once. */
  guards: number;
  /** Number of calls they were fired with, in all environments. */
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

export interface MustDenyReport {
  hook: string;
  phase: 'PreAbilityCall';
  environment: string;
  /** Number of the call among the `must_deny` cases there, from 1; 0: no call could be made. */
  must_deny: number;
  /** The called ability; null: the guard could not be resolved. */
  ability: string | null;
  status: 'passed' | 'failed';
  expected: 'deny';
  /** `deny`, or the guard's other answer, as in "it allows". */
  said: string;
}

/**
 * Fires each guard's `must_deny` cases in each environment; a guard that cannot be resolved has failed. Source:
 * docs/hooks.md#testing-hooks. @param only one hook; omitted: all.
 */
export async function reportMustDeny(
  registry: Registry,
  dependencies: ScriptHookDependencies,
  only?: Loaded<HookDefinition>,
): Promise<MustDenyReport[]> {
  const isWanted = ({ hook }: { hook: Loaded<HookDefinition> }): boolean => only === undefined || hook === only;
  const never = new AbortController().signal;
  const reports: MustDenyReport[] = [];
  for (const environment of Object.keys(registry.project.environments)) {
    const report = (hook: string, must_deny: number, ability: string | null, fault: string | undefined): void => {
      const came = { status: fault === undefined ? 'passed' : 'failed', said: fault ?? 'deny' } as const;
      reports.push({ hook, phase: 'PreAbilityCall', environment, must_deny, ability, expected: 'deny', ...came });
    };
    const { guards, problems } = foreignGuards(registry, environment);
    for (const { hook, problem } of problems.filter(isWanted)) report(hook.value.id, 0, null, problem.message);
    for (const { hook, handler } of guards.filter(isWanted)) {
      const { id } = hook.value;
      for (const [index, call] of (handler.foreign.must_deny ?? []).entries()) {
        const probe = { ...handler, foreign: { ...handler.foreign, must_deny: [call] } };
        const [undenied] = await checkMustDeny(dependencies, id, probe, hookEnvironment(registry, environment), never);
        report(id, index + 1, call.ability, undenied?.said);
      }
    }
  }
  return reports;
}
