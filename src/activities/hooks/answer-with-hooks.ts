import type { Person } from '../../contracts/callers.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { loadRegistry } from '../../definitions/load-registry.js';
import { resolvePlan } from '../../planning/resolve/resolve-plan.js';
import type { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { callInput } from '../../rules/calls/call-defaults.js';
import { failedAnswer, firesFor } from '../../rules/hooks/handlers.js';
import { knownDigestOf } from '../../rules/plans/plan-digest.js';
import { refuseSessionGuard } from '../../rules/sessions/call-ledger.js';
import { handlerReadsSession } from '../../rules/sessions/session-reads.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import type { HookDependencies } from './hook-dependencies.js';
import { runHooks } from './run-hooks.js';

/** A call to check, outside of any task. */
export interface Question {
  root: string;
  ability: string;
  input: JsonObject;
  user: Person;
  session: string | null;
  /** Folder of the project that the call is about. */
  scope?: string | undefined;
  /** Milliseconds since 1970. */
  moment: number;
}

/** Asks an ability's PreAbilityCall guards as a real call would; refuses one that cannot be planned. */
export async function answerWithHooks(
  question: Question,
  variables: EnvironmentVariables,
  open: (project: string) => HookDependencies,
): Promise<HookAnswer[]> {
  const { root, ability, input: given, user, session, scope, moment } = question;
  try {
    refuseUnsafeKeys(given);
    const registry = loadRegistry(root);
    const { plan } = resolvePlan(registry, ability, variables.environment, variables);
    const operation = plan.operations[ability];
    const phase = 'PreAbilityCall';
    const hooks = (operation ?? plan.ability).hooks.pre_call;
    const input = operation ? callInput(operation, given) : given;
    const signal = new AbortController().signal;
    const planDigest = knownDigestOf(plan);
    const about = { plan, operation, input, task: '', user, session, path: '', moment, hooks, planDigest, signal };
    // An agent's tool call has the caller `agent`; in a session `session`, like a task there.
    const caller = session === null ? 'agent' : 'session';
    const context = { ...about, scope, caller, logs: undefined } as const;
    const looking = session === null ? [] : hooks.filter(({ handler }) => handlerReadsSession(handler));
    const others = { ...context, hooks: hooks.filter((hook) => !looking.includes(hook)) };
    const answers = await runHooks(phase, others, { blockingOnly: true }, open(registry.project.project));
    const refusals = looking.filter((hook) => hook.blocking !== false && firesFor(hook, caller));
    return [...answers, ...refusals.map(({ id }) => refuseSessionGuard(id, ability, session ?? ''))];
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const { message, suggestion } = error;
    return [failedAnswer(ability, { phase: 'PreAbilityCall', path: '' }, message, suggestion)];
  }
}
