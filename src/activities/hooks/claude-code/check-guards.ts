import type { Finding } from '../../../contracts/findings.js';
import type { MustDeny } from '../../../contracts/foreign-hooks.js';
import type { HookDefinition } from '../../../definitions/formats/hooks.js';
import { loadRegistry } from '../../../definitions/load-registry.js';
import type { Loaded, Registry } from '../../../definitions/registry.js';
import { findingOfProblem } from '../../../planning/finding-of.js';
import { hookEnvironment } from '../../../planning/hooks/example-event.js';
import { foreignGuards } from '../../../planning/hooks/foreign-guards.js';
import type { ScriptHookDependencies } from '../ask-script.js';
import { faultOfUndenied, type ProvenGuards, saidTo } from './proven-guards.js';

/**
 * Fires each guard's `must_deny` cases in an environment, so that its first call need not. @returns the failed guards, with the reason that each
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
  for await (const { hook, environment, call, said } of firedGuards(registry, dependencies, signal)) {
    const { id } = hook.value;
    (call ? fired : unresolved).add(id);
    if (!call) continue;
    calls += 1;
    if (said === undefined) continue;
    const message = `In ${environment} the hook ${id} fails: ${faultOfUndenied({ ...call, said })}`;
    findings.push(findingOfProblem({ code: 'hook.failed', message, location: hook.locate(['must_deny']) }, hook.file));
  }
  return { findings, guards: fired.size, calls, unresolved: [...unresolved] };
}

interface FiredGuard {
  hook: Loaded<HookDefinition>;
  environment: string;
  /** Number of the call, from 1; 0: the guard could not be resolved. */
  number: number;
  call: MustDeny | undefined;
  /** Its answer, or why it could not be resolved; undefined: it denies. */
  said: string | undefined;
}

async function* firedGuards(
  registry: Registry,
  dependencies: ScriptHookDependencies,
  signal: AbortSignal,
  only?: Loaded<HookDefinition>,
): AsyncGenerator<FiredGuard> {
  const isWanted = ({ hook }: Pick<FiredGuard, 'hook'>): boolean => only === undefined || hook === only;
  for (const environment of Object.keys(registry.project.environments)) {
    const around = hookEnvironment(registry, environment);
    const { guards, problems } = foreignGuards(registry, environment);
    for (const { hook, problem } of problems.filter(isWanted))
      yield { hook, environment, number: 0, call: undefined, said: problem.message };
    for (const { hook, handler } of guards.filter(isWanted)) {
      for (const [index, call] of (handler.foreign.must_deny ?? []).entries()) {
        const said = await saidTo(call, dependencies, hook.value.id, handler, around, signal);
        yield { hook, environment, number: index + 1, call, said };
      }
    }
  }
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
  const reports: MustDenyReport[] = [];
  const never = new AbortController().signal;
  for await (const { hook, environment, number, call, said } of firedGuards(registry, dependencies, never, only)) {
    reports.push({
      hook: hook.value.id,
      phase: 'PreAbilityCall',
      environment,
      must_deny: number,
      ability: call?.ability ?? null,
      status: said === undefined ? 'passed' : 'failed',
      expected: 'deny',
      said: said ?? 'deny',
    });
  }
  return reports;
}
