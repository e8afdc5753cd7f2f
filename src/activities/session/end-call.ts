import { ApplicationFailure, Context } from '@temporalio/activity';
import type { EndCallRequest } from '../../contracts/activities.js';
import { AbilityError } from '../../contracts/problem.js';
import { toFailure } from '../failures.js';
import type { PlanSource } from '../plan-source.js';
import { taskOf } from '../task-of.js';
import { type TellDependencies, tellSession } from './tell-session.js';

/** Tells the session of a task how a call ended. A session that has ended need not know. */
export function createEndCall(
  dependencies: TellDependencies & { plans: PlanSource },
): (request: EndCallRequest) => Promise<void> {
  return async ({ seal, call_id, status }) => {
    const context = Context.current();
    try {
      const { session } = await dependencies.plans.admit(seal, context.info);
      if (session === null) return;
      await tellSession(session, { kind: 'ended', id: callIdOf(taskOf(context), call_id), status }, dependencies);
    } catch (error) {
      if (error instanceof AbilityError && (error.code === 'session.stopped' || error.code === 'session.not_found'))
        return;
      if (error instanceof AbilityError) throw toFailure(error);
      throw ApplicationFailure.create({ type: 'temporal.unavailable', message: String(error) });
    }
  };
}

/** The name of a call in its session: no other task can have one of the same name. */
export function callIdOf(task: string, call: string): string {
  return `${task} ${call}`;
}
