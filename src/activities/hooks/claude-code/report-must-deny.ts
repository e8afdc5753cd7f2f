import type { HookDefinition } from '../../../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../../../definitions/registry.js';
import { foreignGuards, hookEnvironment } from '../../../planning/hooks/foreign-guards.js';
import type { ScriptHookDependencies } from '../ask-script.js';
import { checkMustDeny } from './proven-guards.js';

/** What came of one call that a guard of another tool must deny. */
export interface MustDenyReport {
  hook: string;
  phase: 'PreAbilityCall';
  environment: string;
  /** Which of the calls that it must deny there, counted from 1; 0: none could be made. */
  must_deny: number;
  /** What is called; null: the guard could not be resolved. */
  ability: string | null;
  status: 'passed' | 'failed';
  expected: 'deny';
  /** `deny`, or what the guard said instead, as in "it allows". */
  said: string;
}

/**
 * Fires each guard of another tool with each call that it must deny, in each environment. Source: docs/hooks.md#trying-hooks-out.
 *
 * @param only one hook; left out: all. One that cannot be resolved has failed.
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
        const asked = { ...handler, foreign: { ...handler.foreign, must_deny: [call] } };
        const [undenied] = await checkMustDeny(dependencies, id, asked, hookEnvironment(registry, environment), never);
        report(id, index + 1, call.ability, undenied?.said);
      }
    }
  }
  return reports;
}
