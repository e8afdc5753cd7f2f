import type { EventContext, GuardDecision, HookAnswer, Phase } from '../contracts/hooks.js';
import type { PlanHook } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import type { HookDefinition } from '../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../definitions/registry.js';
import { caseOf, type HookCase } from '../planning/hooks/example-event.js';
import { plannedHook } from '../planning/hooks/resolve-hooks.js';
import { EnvironmentVariables } from '../planning/secrets/secret-source.js';

export interface HookCaseReport {
  hook: string;
  phase: Phase;
  /** Number of the example, from 1. */
  number: number;
  status: 'passed' | 'failed';
  expected: GuardDecision;
  /** The answer of the hook, or its failure. */
  said: string;
}

interface Asks {
  ask(hook: PlanHook, event: EventContext, now?: number): Promise<HookAnswer>;
}

/** Runs hooks' examples one by one, with real handlers. Source: docs/hooks.md#testing-hooks. */
export async function runHookCases(
  registry: Registry,
  trial: Asks,
  env: NodeJS.ProcessEnv,
  only?: Loaded<HookDefinition>,
): Promise<HookCaseReport[]> {
  const reports: HookCaseReport[] = [];
  for (const [phase, hooks] of registry.hooks) {
    for (const hook of hooks.filter((one) => only === undefined || one === only)) {
      for (const [index, example] of (hook.value.examples ?? []).entries()) {
        const expected = 'expect' in example ? example.expect : example.decision;
        const said = await sayOf(registry, phase, hook, () => caseOf(registry, phase, example), trial, env);
        const status = said === expected ? 'passed' : 'failed';
        reports.push({ hook: hook.value.id, phase, number: index + 1, status, expected, said });
      }
    }
  }
  return reports;
}

/** The hook's decision; the error of a failed hook, whose refusal does not count as a decision. */
async function sayOf(
  registry: Registry,
  phase: Phase,
  hook: Loaded<HookDefinition>,
  read: () => HookCase,
  trial: Asks,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  try {
    const { event, now } = read();
    const variables = new EnvironmentVariables(registry.root, event.environment.name, env);
    const { id, handler } = plannedHook(hook, phase, registry, variables);
    const { status, decision, reason } = await trial.ask({ id, handler }, event, now);
    return status === 'ok' ? decision : `failed: ${reason}`;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return `failed: ${error.message}`;
  }
}
