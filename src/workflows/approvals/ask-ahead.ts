import { isCancellation, sleep, workflowInfo } from '@temporalio/workflow';
import type { CheckFiringRequest } from '../../contracts/activities.js';
import { ACTIVITIES } from '../../contracts/names.js';
import type { PlanOperation } from '../../contracts/plan.js';
import type { ScheduleMemo } from '../../contracts/schedules.js';
import { callInput } from '../../rules/calls/call-defaults.js';
import { firesAt } from '../../rules/schedules/approve-before.js';
import { readCron } from '../../rules/schedules/cron.js';
import { oneLine } from '../../rules/shown-text.js';
import { type KnownAhead, knownAhead } from '../../rules/steps/steps-read.js';
import { unattendedOf } from '../../rules/tasks/task-ids.js';
import { confirmationOf, reasonsFor } from '../calls/allow-call.js';
import { localActivity, untilKeyed } from '../calls/local-activities.js';
import type { OperationCall } from '../calls/schedule-call.js';
import { evaluateCondition, evaluateParameters } from '../steps/evaluate.js';
import type { Frame } from '../steps/frame.js';
import { operationCallOf } from '../steps/run-call.js';
import { requestOf } from '../steps/run-verb.js';
import { isStepFailure, messageOf, StepFailure } from '../steps/step-failure.js';
import { guardReasons, guardRequest } from '../task/begin-task.js';
import { loneCall } from '../task/run-steps-and-cleanup.js';
import { BranchStop } from '../task/stop-branches.js';
import type { TaskRun } from '../task/task-run.js';
import { type ApprovalRequest, awaitApproval } from './await-approval.js';
import { notifyOfLateness } from './notices.js';

/**
 * Of a firing whose approvals are asked before: asks for those that are known, and waits until it is due. One that begins
 * only then and would have to ask is denied. Source: docs/schedules.md#approved-before.
 * @throws StepFailure as {@link awaitApproval}, `approval.withdrawn` if it does not take place any more; cancellation.
 */
export async function askAhead(frame: Frame): Promise<void> {
  const { run } = frame;
  const firing = firingOf(run);
  if (!firing) return;
  const { schedule, due, lastMs } = firing;
  const due_at = new Date(due).toISOString();
  const requests = knownRequests(frame).map((request) => ({ ...request, due_at }));
  if (Date.now() >= due) return refuseUnasked(requests, schedule);
  await askAll(run, requests, frame.branchStop);
  run.life.dueAt = due_at;
  run.life.publish('waiting');
  await sleep(Math.max(1, due - Date.now()), { summary: `due at ${due_at}` });
  run.life.dueAt = undefined;
  notifyOfLateness(run);
  const why = Date.now() > due + lastMs ? 'nothing ran it within its catch-up' : await whyNoFiring(run, schedule);
  if (why !== null) {
    const message = `The firing was asked for ahead, and does not take place: ${why}`;
    throw new StepFailure({ code: 'approval.withdrawn', message });
  }
  run.life.publish('running');
}

/** Undefined for tasks without `approve_before`, and for firings by hand and those made up for, which ask as they come. */
function firingOf({
  task: { id, start, createdAt },
}: TaskRun): { schedule: string; due: number; lastMs: number } | undefined {
  const { schedule, scheduled_for } = unattendedOf(id, start.options.retry !== undefined);
  const memo = workflowInfo().memo?.schedule as ScheduleMemo | undefined;
  if (memo?.approve_before_ms === undefined || schedule === undefined || scheduled_for === undefined) return undefined;
  const due = Date.parse(scheduled_for);
  const cron = readCron(memo.cron);
  const isByHand = typeof cron === 'string' || !firesAt(cron, memo.timezone, due / 1000);
  if (isByHand || Date.parse(createdAt) - due > memo.catch_up_ms) return undefined;
  return { schedule, due, lastMs: memo.catch_up_ms };
}

/** What the task will ask in any case, as it will ask it, but for what may be corrected: that is asked about the input as it is. */
function knownRequests(frame: Frame): ApprovalRequest[] {
  const { run } = frame;
  const { plan } = run.task;
  if (plan.ability.kind === 'operation') return requestsOfCall(run, loneCall(frame));
  const reasons = guardReasons(run, []);
  const steps = plan.agent ? [] : knownAhead(plan);
  return [
    ...(reasons.length > 0 ? [guardRequest(run, reasons)] : []),
    ...steps.flatMap((one) => requestsOf(one, frame)),
  ];
}

function requestsOf({ step, path, conditions }: KnownAhead, frame: Frame): ApprovalRequest[] {
  const { run } = frame;
  try {
    if (!conditions.every((source) => evaluateCondition(source, frame))) return [];
    if (step.verb === 'approval') return [requestOf(step, path, frame)];
    const operation = run.task.plan.operations[step.call] as PlanOperation;
    const input = evaluateParameters(step.with, step.call, frame);
    return requestsOfCall(run, operationCallOf(step, path, frame, operation, input));
  } catch (error) {
    // The step fails with it when the task comes there.
    if (isStepFailure(error)) return [];
    throw error;
  }
}

function requestsOfCall(run: TaskRun, given: OperationCall): ApprovalRequest[] {
  const call = { ...given, input: callInput(given.operation, given.input) };
  const reasons = reasonsFor(run, call, []);
  return reasons.length > 0 ? [confirmationOf(run, call, reasons)] : [];
}

/** One that is denied, or on which no one decides, ends the others. */
async function askAll(run: TaskRun, requests: readonly ApprovalRequest[], outer: BranchStop): Promise<void> {
  const stop = new BranchStop(outer);
  const asked = requests.map((request) =>
    awaitApproval(run, request, stop).catch((error: unknown) => {
      stop.trip();
      throw error;
    }),
  );
  try {
    await Promise.all(asked);
  } finally {
    await Promise.allSettled(asked);
    stop.done();
  }
}

function refuseUnasked([first]: readonly ApprovalRequest[], schedule: string): void {
  if (!first) return;
  throw new StepFailure({
    code: 'approval.expired',
    message: `No one could be asked ahead for "${oneLine(first.title)}": no worker began the firing before it was due`,
    suggestion: `To run it nevertheless, \`ability schedule run ${schedule}\` asks for it now.`,
  });
}

/** Temporal knows whether the firing still takes place; without its answer it does not. @returns null: it does. */
async function whyNoFiring({ task }: TaskRun, schedule: string): Promise<string | null> {
  const check = localActivity<CheckFiringRequest, string | null>(ACTIVITIES.checkFiring);
  try {
    return await untilKeyed(() => check({ ...task.context, schedule, since: task.createdAt }));
  } catch (error) {
    if (isCancellation(error)) throw error;
    return `its schedule could not be read: ${messageOf(error)}`;
  }
}
