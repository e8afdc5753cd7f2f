import { CancellationScope, isCancellation, uuid4 } from '@temporalio/workflow';
import type { EndCallRequest } from '../../contracts/activities.js';
import { ACTIVITIES } from '../../contracts/names.js';
import type { CallStatus } from '../../contracts/session.js';
import { isStepFailure, messageOf } from '../steps/step-failure.js';
import type { TaskIdentity } from '../task/identity.js';
import type { TaskRun } from '../task/task-run.js';
import { localActivity, untilKeyed } from './local-activities.js';

/** Whether calls must be entered in the session first, since guards of the project read them. */
export function entersCalls({ plan, start }: TaskIdentity): boolean {
  return plan.session_calls === true && start.session !== null;
}

export interface EnteredCall {
  id: string;
  /** Set when guards and approvers have allowed it. */
  isMade: boolean;
}

/** Runs a call that its guards enter in the session, and reports its end there before returning. */
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

/** If the report fails, the session counts the call as running, so no limit is exceeded. */
export async function endCall(run: TaskRun, { id }: EnteredCall, status: EndCallRequest['status']): Promise<void> {
  const end = localActivity<EndCallRequest, void>(ACTIVITIES.endCall, {
    scheduleToCloseTimeout: '30s',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 5, initialInterval: '200ms' },
  });
  run.life.pendingWork += 1;
  try {
    const request = { ...run.task.context, call_id: id, status };
    await CancellationScope.nonCancellable(() => untilKeyed(() => end(request), true));
  } catch (error) {
    run.warnings.add(`The session did not learn how a call ended (${status}): ${messageOf(error)}`);
  } finally {
    run.life.pendingWork -= 1;
  }
}

/** Codes of built-in guards, which run within the attempt and before any effect. */
const BY_BUILTIN: ReadonlySet<string> = new Set(['guard.denied', 'hook.failed']);

/**
 * State of a failed call in its session's list. A call denied by a guard was not made, and leaves the list; other
 * denials, such as of a redirect's host, came after the call.
 * @param isMade whether its guards allowed it. @param code undefined: not one of ours.
 */
export function endOfCall(
  isMade: boolean,
  code: string | undefined,
): Extract<CallStatus, 'unknown' | 'failed'> | 'denied' {
  if (!isMade || (code !== undefined && BY_BUILTIN.has(code))) return 'denied';
  return code === 'outcome.unknown' ? 'unknown' : 'failed';
}
