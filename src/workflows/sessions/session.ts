import '../no-stack-traces.js';
import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import type { HookAnswer } from '../../contracts/hooks.js';
import { ACTIVITIES, ACTIVITY_LIMITS } from '../../contracts/names.js';
import type {
  AskStartRequest,
  EndSessionAnswer,
  EndSessionRequest,
  SessionStart,
  SessionView,
  StopReason,
} from '../../contracts/session.js';
import { denialOf, failedAnswer } from '../../rules/hooks/handlers.js';
import { readSessionStart } from '../../rules/sessions/read-session-start.js';
import { OF_ANY_BUILD } from '../of-any-build.js';
import { reportRun } from '../reports/report-run.js';
import { asApplicationFailure, messageOf } from '../steps/step-failure.js';
import { askEvent } from './ask-event.js';
import { hearSession } from './session-handlers.js';
import { SessionRun } from './session-run.js';

/** Short enough for callers that wait for the end; handlers left without an answer then get `session.stopped`. */
const LAST_WAIT = '5 minutes';

type EndSession = (request: EndSessionRequest) => Promise<EndSessionAnswer>;

/**
 * The work of an AI between a start and a stop: takes one prompt at a time, knows tasks started in it, and answers
 * guards over their calls. Ends when stopped, idle or cancelled; its tasks continue.
 */
export async function session(argument: unknown): Promise<SessionView> {
  reportRun();
  const run = new SessionRun(readStart(argument));
  if (run.start.carried === undefined) run.status = 'starting';
  hearSession(run);
  if (run.status === 'starting') await begin(run);
  const reason = await untilItEnds(run);
  if (reason === 'goes on') return continueAsNew<(start: SessionStart) => Promise<SessionView>>(run.carry());
  await CancellationScope.nonCancellable(() => wind(run, reason));
  // Temporal keeps no result of a cancelled workflow; the query has it.
  if (reason === 'cancelled') throw new CancelledFailure('The session was cancelled');
  return run.view();
}
setWorkflowOptions(OF_ANY_BUILD, session);

/** Runs the start hooks. Source: decision 16. @throws ApplicationFailure `guard.denied`, `hook.failed`. */
async function begin(run: SessionRun): Promise<void> {
  const request: AskStartRequest = { ...run.surroundings, moment: Date.now() };
  const at = { phase: 'SessionStart', path: '' } as const;
  try {
    run.hooks = await askEvent<HookAnswer[]>('start', request, 'start');
  } catch (error) {
    if (isCancellation(error)) throw error;
    run.hooks = [failedAnswer('*', at, messageOf(error))];
  }
  run.audit('start');
  const against = run.hooks.find(({ decision }) => decision !== 'allow');
  run.status = against ? 'refused' : 'open';
  if (!against) return;
  run.refusal = denialOf(against).toProblem();
  run.endedAt = new Date().toISOString();
  // Waiting callers get the reason, before Temporal can only report that the session has ended.
  await condition(allHandlersFinished, '1 minute');
  throw asApplicationFailure(run.refusal);
}

/** @throws ApplicationFailure `seal.invalid` if the start is not from our client. */
function readStart(argument: unknown): SessionStart {
  const { cronSchedule, retryPolicy, parent, continuedFromExecutionRunId, workflowId } = workflowInfo();
  const start = readSessionStart(argument);
  const isStrange = cronSchedule || retryPolicy || parent || !start || !workflowId.endsWith(`:${start.session_id}`);
  // The state of an earlier run is trusted only if there was one.
  if (isStrange || (start.carried && continuedFromExecutionRunId === undefined)) {
    const message = 'The session was not started by a client of Ability Runtime';
    throw ApplicationFailure.create({ type: 'seal.invalid', message, nonRetryable: true });
  }
  return start;
}

async function untilItEnds(run: SessionRun): Promise<StopReason | 'goes on'> {
  try {
    for (;;) {
      const left = run.activeAt + run.start.idle_ms - Date.now();
      if (left <= 0) return 'idle';
      const isWoken = await condition(() => run.stopRequested || isLong(), left);
      if (run.stopRequested) return 'stop';
      if (isWoken) return 'goes on';
    }
  } catch (error) {
    if (isCancellation(error)) return 'cancelled';
    throw error;
  }
}

/** A pending prompt or report finishes in the run that received it. */
function isLong(): boolean {
  return workflowInfo().continueAsNewSuggested && allHandlersFinished();
}

/** Ends the session: accepts nothing more, then runs its end hooks. They change nothing. Source: R-002-48. */
async function wind(run: SessionRun, reason: StopReason): Promise<void> {
  run.status = 'stopping';
  run.reason = reason;
  await condition(allHandlersFinished, '1 minute');
  const activities = proxyActivities<Record<string, EndSession>>({
    startToCloseTimeout: '6 minutes',
    scheduleToCloseTimeout: '15 minutes',
    heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
    retry: { maximumAttempts: 3 },
  });
  try {
    const tasks = [...run.tasks.values()];
    const end = activities[ACTIVITIES.endSession] as EndSession;
    const answer = await end({ ...run.surroundings, reason, turns: run.turnIndex, moment: Date.now(), tasks });
    run.noteTasks(answer.tasks);
    run.stopHooks = answer.hooks;
  } catch (error) {
    const hook = { hook_id: '*', phase: 'SessionStop', path: '', status: 'error', decision: 'allow' } as const;
    run.stopHooks = [{ ...hook, reason: `its hooks could not run: ${messageOf(error)}` }];
  }
  run.status = 'stopped';
  run.endedAt = new Date().toISOString();
  setCurrentDetails(`Ended after ${run.turnIndex} turns: ${reason}`);
  // A prompt may take longer than the wait above, and reports are accepted until the end.
  if (!allHandlersFinished()) await condition(allHandlersFinished, LAST_WAIT);
}
