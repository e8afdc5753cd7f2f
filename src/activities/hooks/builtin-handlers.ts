import type { BuiltinHook, HookAnswer } from '../../contracts/hooks.js';
import type { PlanHandler } from '../../contracts/plan.js';
import { faultOfOptions } from '../../definitions/builtin-options.js';
import { credentialsOf } from '../../planning/secrets/credentials.js';
import { failedAnswer } from '../../rules/hooks/hook-facts.js';
import { type HookRun, isOfTask, type TaskContext } from './hook-context.js';
import type { HookDependencies } from './hook-dependencies.js';

/** All but `suggest`, which belongs to prompts. */
type BuiltinHandler = Extract<PlanHandler, { kind: 'builtin' }> & { name: Exclude<BuiltinHook, 'suggest'> };

export function answerBuiltinHook(
  id: string,
  { name, options }: BuiltinHandler,
  run: HookRun,
  dependencies: HookDependencies,
): HookAnswer {
  const at = { phase: run.phase, path: run.path };
  const fault = faultOfOptions(name, options);
  if (fault !== undefined) return failedAnswer(id, at, fault);
  if (!isOfTask(run)) return failedAnswer(id, at, `the built-in handler ${name} does not belong to ${run.phase}`);
  const allow = { hook_id: id, ...at, status: 'ok', decision: 'allow' } as const;
  switch (name) {
    case 'usage':
      recordUsage(run, dependencies);
      return allow;
    case 'credentials_present': {
      const missing = missingCredentials(run, dependencies, options.names);
      if (missing.length === 0) return allow;
      const reason = `Missing required configuration: ${missing.join(', ')} (${run.plan.environment.name}).`;
      const suggestion = `Set it in .env.${run.plan.environment.name} or .env, or in the environment of the worker.`;
      return { ...allow, decision: 'deny', reason, suggestion };
    }
    case 'environment_scope': {
      const allowed = namesIn(options.allow);
      const environment = run.plan.environment.name;
      if (allowed.includes(environment)) return allow;
      const reason = `${run.operation?.key ?? run.plan.ability.id} is not available in ${environment}.`;
      return { ...allow, decision: 'deny', reason, suggestion: `Run in ${allowed.join(' or ')}.` };
    }
  }
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Writes one line per call: who called what, where, and how it ended. Source: R-002-63. */
function recordUsage(run: TaskContext, { recordUsage: append }: HookDependencies): void {
  append({
    ts: Date.now() / 1000,
    ability_id: run.operation?.key ?? run.plan.ability.id,
    task_id: run.task,
    step: run.path || null,
    environment: run.plan.environment.name,
    user_id: run.user.name,
    status: run.outcome?.status ?? null,
  });
}

function missingCredentials(run: TaskContext, { secrets }: HookDependencies, names: unknown): string[] {
  const source = secrets(run.plan.environment.name);
  const wanted = namesIn(names).map((name) => `env:${name}`);
  const references = [...wanted, ...credentialsOf(run.plan, run.operation).map(({ reference }) => reference)];
  return [...new Set(references)].filter((reference) => !source.has(reference)).map((r) => r.replace(/^env:/, ''));
}
