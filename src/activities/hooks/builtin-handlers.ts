import { poolOf } from '../../choosing/ability-pool.js';
import { actOf } from '../../choosing/decide/asks-for.js';
import { suggest } from '../../choosing/suggest.js';
import type { BuiltinHook, HookAnswer } from '../../contracts/hooks.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { faultOfOptions } from '../../definitions/builtin-options.js';
import { credentialsOf, knownSecrets } from '../../planning/secrets/credentials.js';
import { Masker } from '../../planning/secrets/masking/masker.js';
import { allowedAnswer, failedAnswer, type HandlerOf, type HookPlace } from '../../rules/hooks/handlers.js';
import { type HookRun, isOfTask, type SessionContext, type TaskContext } from './hook-context.js';
import type { HookDependencies } from './hook-dependencies.js';

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

/** Maximum number of abilities suggested for a prompt; readers would skip more. */
const MAX = 3;

/**
 * Handler `suggest`: hints are the abilities that fit a prompt, the intent is the best one with reason, score and
 * missing inputs. Without a match it gives no answer; it never denies. Source: R-000-57, R-000-65.
 */
export async function suggestAbilities(
  id: string,
  run: SessionContext & HookPlace,
  { definitions, recordGap, secrets }: Pick<HookDependencies, 'definitions' | 'recordGap' | 'secrets'>,
): Promise<HookAnswer> {
  if (!definitions) return failedAnswer(id, run, 'there are no definitions here to suggest from');
  const { prompt, scope } = run.payload;
  const allowed = allowedAnswer(id, run);
  if (typeof prompt !== 'string') return allowed;
  const where = typeof scope === 'string' ? scope : run.module;
  const pool = poolOf(definitions(), run.environment.name, where);
  const { suggestions, nearest, documents, question, warning } = await suggest(pool, { text: prompt, limit: MAX });
  const answer = { ...allowed, ...(warning !== undefined && { warnings: [warning] }) };
  const here = suggestions.filter(({ unavailable }) => unavailable === undefined);
  if (here.length === 0 && recordGap && actOf(prompt) === 'asks') {
    const environment = run.environment.name;
    const masker = new Masker(knownSecrets(definitions(), secrets(environment)));
    const request = masker.mask(prompt);
    const kind = suggestions.length > 0 ? 'not_here' : 'nothing_fits';
    const near = [...suggestions.map(({ id: ability }) => ability), ...nearest].slice(0, MAX);
    recordGap({ request, kind, door: 'suggest', environment, scope: where ?? null, nearest: near });
  }
  const hints = [...here.map(({ id: ability }) => ability), ...documents];
  const [best] = suggestions;
  if (hints.length === 0 && !best) return answer;
  if (!best) return { ...answer, hook_signals: { routing_hints: hints } };
  const { given, missing, ...rest } = best;
  const intent = {
    ability_id: rest.id,
    score: rest.score,
    reason: rest.reason,
    ...(rest.unavailable !== undefined && { unavailable: rest.unavailable }),
    ...(Object.keys(given).length > 0 && { given }),
    ...(missing.length > 0 && { missing: missing.map(({ name }) => name) }),
    ...(question !== null && { ask: question }),
  };
  return { ...answer, hook_signals: { routing_hints: hints, normalized_intent: intent as Json } };
}
