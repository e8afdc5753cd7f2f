import { ApplicationFailure } from '@temporalio/activity';
import type { EndCallRequest, RaiseLimitRequest } from '../../contracts/activities.js';
import type { Caller } from '../../contracts/callers.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import type { PlanHook } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { SessionCall } from '../../contracts/session.js';
import { Masker } from '../../planning/secrets/masking/masker.js';
import { canonicalJson } from '../../rules/canonical.js';
import { type FactSources, failedAnswer, firesFor, hookFacts } from '../../rules/hooks/handlers.js';
import { handlerReadsSession } from '../../rules/sessions/session-reads.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf, taskOf, toFailure } from '../failures.js';
import { secretsOf } from '../record/mask-record.js';
import { type NotifyDependencies, notifySession } from './session-word.js';

/** Maximum characters of an input, as JSON, that a session keeps. */
const MAX_INPUT = 16_384;

export interface CallToEnter extends FactSources {
  session: string;
  /** Unique among all calls of all tasks. */
  id: string;
  path: string;
  moment: number;
  /** Absent: not known, so that every hook fires. */
  caller?: Caller;
  hooks: readonly PlanHook[];
}

export type EnterCallDependencies = NotifyDependencies & Pick<ActivityDependencies, 'secrets'>;

/**
 * Has a session evaluate the guards over its history and enter the call, atomically. After its end nothing is
 * entered: those guards fail, a task without them continues. Source: docs/sessions.md#guards-over-a-session.
 */
export async function enterCall(call: CallToEnter, dependencies: EnterCallDependencies): Promise<HookAnswer[]> {
  const { plan, operation, path, moment, session, id } = call;
  const guards = call.hooks.flatMap((hook) =>
    handlerReadsSession(hook.handler) && firesFor(hook, call.caller) ? [{ id: hook.id, handler: hook.handler }] : [],
  );
  const masker = new Masker(secretsOf(plan, dependencies.secrets(plan.environment.name)));
  const input = masker.maskDeep(call.input) as JsonObject;
  const { session: _, ...facts } = hookFacts({ ...call, input });
  const entered: Omit<SessionCall, 'status'> | undefined = operation && {
    id,
    ability: operation.key,
    effects: operation.effects,
    environment: plan.environment.name,
    input: canonicalJson(input).length > MAX_INPUT ? null : input,
  };
  try {
    const word = { kind: 'call', ...(entered && { call: entered }), guards, facts, path, moment } as const;
    const { hooks = [] } = await notifySession(session, word, dependencies);
    return hooks;
  } catch (error) {
    if (!isEnded(error)) throw error;
    const advice = 'Start another session: `ability session start`.';
    return guards.slice(0, 1).map((guard) => {
      return failedAnswer(guard.id, { phase: 'PreAbilityCall', path }, error.message, advice);
    });
  }
}

/** Raises the limit of a hook for the task's session. @throws AbilityError `session.stopped`, `session.not_found`. */
export function createRaiseLimit(dependencies: NotifyDependencies & Pick<ActivityDependencies, 'plans'>) {
  return activityOf(async ({ seal, hook, id, by }: RaiseLimitRequest, context): Promise<void> => {
    const { session } = await dependencies.plans.admit(seal, context.info);
    if (session === null) return;
    const word = { kind: 'raised', hook, id: callIdOf(taskOf(context), id), by } as const;
    await notifySession(session, word, dependencies);
  });
}

/** Reports the end of a call to the task's session; a session that has ended is skipped. */
export function createEndCall(dependencies: NotifyDependencies & Pick<ActivityDependencies, 'plans'>) {
  return activityOf(
    async ({ seal, call_id, status }: EndCallRequest, context): Promise<void> => {
      const { session } = await dependencies.plans.admit(seal, context.info);
      if (session === null) return;
      const word = { kind: 'ended', id: callIdOf(taskOf(context), call_id), status } as const;
      await notifySession(session, word, dependencies).catch((error: unknown) => {
        if (!isEnded(error)) throw error;
      });
    },
    {
      toError: (error) =>
        error instanceof AbilityError
          ? toFailure(error)
          : ApplicationFailure.create({ type: 'temporal.unavailable', message: String(error) }),
    },
  );
}

function isEnded(error: unknown): error is AbilityError {
  return error instanceof AbilityError && (error.code === 'session.stopped' || error.code === 'session.not_found');
}

/** The name of a call within its session, unique across tasks. */
export function callIdOf(task: string, call: string): string {
  return `${task} ${call}`;
}
