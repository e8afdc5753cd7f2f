import { CancellationScope, isCancellation, proxyLocalActivities, uuid4 } from '@temporalio/workflow';
import type { EndCallRequest } from '../../contracts/activities.js';
import { ACTIVITIES } from '../../contracts/names.js';
import type { CallStatus } from '../../contracts/session.js';
import { endOfCall } from '../../rules/end-of-call.js';
import { isStepFailure } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';
import { untilKeyed } from './ask-worker.js';

type EndCall = (request: EndCallRequest) => Promise<void>;

/** Whether the calls of a task are entered in its session before they are made: some guard of the project looks at them. */
export function entersCalls({ plan, start }: TaskRun): boolean {
  return plan.session_calls === true && start.session !== null;
}

/** A call as its session knows it. */
export interface EnteredCall {
  id: string;
  /** Set when its guards and approvers have let it pass. */
  isMade: boolean;
}

/** Makes a call that its guards enter in the session, and tells the session how it ended before anything follows. */
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

/** A session that cannot be told counts the call as under way, which no limit takes for less. */
async function endCall(run: TaskRun, { id }: EnteredCall, status: EndCallRequest['status']): Promise<void> {
  const activities = proxyLocalActivities<Record<string, EndCall>>({
    scheduleToCloseTimeout: '30s',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 5, initialInterval: '200ms' },
  });
  run.atWork += 1;
  try {
    const end = activities[ACTIVITIES.endCall] as EndCall;
    await CancellationScope.nonCancellable(() => untilKeyed(() => end({ ...run.context, call_id: id, status })));
  } catch (error) {
    const reason =
      error instanceof Error ? (error.cause instanceof Error ? error.cause : error).message : String(error);
    run.warnings.push(`The session was not told how a call ended (${status}): ${reason}`);
  } finally {
    run.atWork -= 1;
  }
}
