import type { BuiltinHook, HookAnswer } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import { faultOfOptions } from '../../definitions/builtin-options.js';
import { credentialsOf } from '../../planning/secrets/credentials.js';
import type { HandlerOf } from '../../rules/hooks/handlers.js';
import { allowedAnswer, failedAnswer } from '../../rules/hooks/hook-facts.js';
import { type HookRun, isOfTask, type TaskContext } from './hook-context.js';
import type { HookDependencies } from './hook-dependencies.js';
import { suggestAbilities } from './suggest-handler.js';

type Said = Partial<HookAnswer>;
type Answer = (run: TaskContext, options: JsonObject, dependencies: HookDependencies) => Said | Promise<Said>;

/** Those of tasks, with what they answer besides `allow`. */
const OF_TASKS: Record<Exclude<BuiltinHook, 'suggest'>, Answer> = {
  usage: recordUsage,
  async credentials_present(run, { names }, dependencies) {
    const missing = await missingCredentials(run, dependencies, names);
    if (missing.length === 0) return {};
    const { name } = run.plan.environment;
    const reason = `Missing required configuration: ${missing.join(', ')} (${name}).`;
    return {
      decision: 'deny',
      reason,
      suggestion: `Set it in .env.${name} or .env, or in the environment of the worker.`,
    };
  },
  environment_scope({ plan, operation }, { allow }) {
    const allowed = namesIn(allow);
    const { name } = plan.environment;
    if (allowed.includes(name)) return {};
    const reason = `${operation?.key ?? plan.ability.id} is not available in ${name}.`;
    return { decision: 'deny', reason, suggestion: `Run in ${allowed.join(' or ')}.` };
  },
};

export async function answerBuiltinHook(
  id: string,
  { name, options }: HandlerOf<'builtin'>,
  run: HookRun,
  dependencies: HookDependencies,
): Promise<HookAnswer> {
  const fault = faultOfOptions(name, options);
  if (fault !== undefined) return failedAnswer(id, run, fault);
  if (isOfTask(run) && name !== 'suggest')
    return { ...allowedAnswer(id, run), ...(await OF_TASKS[name](run, options, dependencies)) };
  if (!isOfTask(run) && name === 'suggest') return suggestAbilities(id, run, dependencies);
  return failedAnswer(id, run, `the built-in handler ${name} does not belong to ${run.phase}`);
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Writes one line per call: who called what, where, and how it ended. Source: R-002-63. */
function recordUsage(run: TaskContext, _: JsonObject, { recordUsage: append }: HookDependencies): Partial<HookAnswer> {
  append({
    ts: Date.now() / 1000,
    ability_id: run.operation?.key ?? run.plan.ability.id,
    task_id: run.task,
    step: run.path || null,
    environment: run.plan.environment.name,
    user_id: run.user.name,
    status: run.outcome?.status ?? null,
  });
  return {};
}

async function missingCredentials(run: TaskContext, { secrets }: HookDependencies, names: unknown): Promise<string[]> {
  const reader = secrets(run.plan.environment.name);
  const wanted = namesIn(names).map((name) => `env:${name}`);
  const references = [...wanted, ...credentialsOf(run.plan, run.operation).map(({ reference }) => reference)];
  const seen = [...new Set(references)].map(async (reference) => {
    const source = await reader.read([{ reference }], run.signal).catch(() => undefined);
    return source?.has(reference) ? [] : [reference.replace(/^env:/, '')];
  });
  return (await Promise.all(seen)).flat();
}
