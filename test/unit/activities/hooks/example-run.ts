import type { HookRun, SessionContext, TaskContext } from '../../../../src/activities/hooks/hook-context.js';
import type { HookDependencies } from '../../../../src/activities/hooks/hook-dependencies.js';
import type { Phase } from '../../../../src/contracts/hooks.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import { examplePlan } from '../../rules/example-plan.js';

const COMMON = {
  user: { name: 'ada', source: 'claimed' },
  path: 'a',
  caller: undefined,
  moment: Date.parse('2026-12-24T18:00:00Z'),
  signal: new AbortController().signal,
  hooks: [],
  logs: undefined,
} as const;

export type TaskRun = TaskContext & { phase: Phase };
export type SessionRun = SessionContext & { phase: Phase };

/** The hooks before the call of `db.write` by the step `a` of `t-1`. */
export function taskRun(more: Partial<TaskRun> = {}): TaskRun {
  const plan = examplePlan();
  const operation = plan.operations['db.write'];
  const about = { plan, operation, input: { n: 1 }, task: 't-1', session: null, scope: undefined, planDigest: null };
  return { ...COMMON, phase: 'PreAbilityCall', ...about, ...more } satisfies HookRun;
}

/** The hooks of a prompt of the session `s-1`. */
export function sessionRun(more: Partial<SessionRun> = {}): SessionRun {
  const payload = { prompt: 'restart the service', turn_index: 3 };
  const environment = { name: 'dev', protected: false, vars: { region: 'eu' } };
  return { ...COMMON, phase: 'PromptSubmit', path: '', session: 's-1', payload, environment, module: 'ops', ...more };
}

/** Hooks for which no script and no ability is expected to answer. @param more overrides some dependencies. */
export function hookDependencies(more: Partial<HookDependencies> = {}): HookDependencies {
  return {
    answerScript: () => Promise.reject(new Error('no script is expected to answer here')),
    answerAbility: () => Promise.reject(new Error('no ability is expected to answer here')),
    secrets: (environment) => secretsHere('/nowhere', environment, {}),
    recordUsage: () => {},
    ...more,
  };
}
