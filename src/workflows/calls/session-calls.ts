import { CancellationScope, isCancellation, uuid4 } from '@temporalio/workflow';
import type { EndCallRequest } from '../../contracts/activities.js';
import { ACTIVITIES } from '../../contracts/names.js';
import type { CallStatus } from '../../contracts/session.js';
import { endOfCall } from '../../rules/calls/end-of-call.js';
import { isStepFailure, messageOf } from '../steps/step-failure.js';
import type { TaskIdentity } from '../task/identity.js';
import type { TaskRun } from '../task/task-run.js';
import { localActivity, untilKeyed } from './local-activities.js';

/** Whether the calls of a task are entered in its session before they are made: a guard of the project reads them. */
export function entersCalls({ plan, start }: TaskIdentity): boolean {
  return plan.session_calls === true && start.session !== null;
}

/** A call as its session knows it. */
export interface EnteredCall {
  id: string;
  /** Set when its guards and approvers have let it pass. */
  isMade: boolean;
}

/** Makes a call that its guards enter in the session, and reports its end to the session before anything follows. */
export async function inSession<T>(run: TaskRun, action: (call: EnteredCall) => Promise<T>): Promise<T> {
  const call = { id: uuid4(), isMade: false };
  try {
    const output = await action(call);
    await endCall(run, call, 'succeeded');
    return output;
  } catch (error) {
    await endCall(run, call, statusOf(call, error));
    throw error;
  }
}

function statusOf({ isMade }: EnteredCall, error: unknown): CallStatus | 'denied' {
  if (isMade && isCancellation(error)) return 'cancelled';
  return endOfCall(isMade, isStepFailure(error) ? error.problem.code : undefined);
}

/** A session that misses this report counts the call as under way, so no limit is undercounted. */
async function endCall(run: TaskRun, { id }: EnteredCall, status: EndCallRequest['status']): Promise<void> {
  const end = localActivity<EndCallRequest, void>(ACTIVITIES.endCall, {
    scheduleToCloseTimeout: '30s',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 5, initialInterval: '200ms' },
  });
  run.life.atWork += 1;
  try {
    await CancellationScope.nonCancellable(() => untilKeyed(() => end({ ...run.task.context, call_id: id, status })));
  } catch (error) {
    run.warnings.add(`The session was not told how a call ended (${status}): ${messageOf(error)}`);
  } finally {
    run.life.atWork -= 1;
  }
}
