import { CancellationScope } from '@temporalio/workflow';
import type { RaiseLimitRequest } from '../../contracts/activities.js';
import { ACTIVITIES } from '../../contracts/names.js';
import { GUARD_APPROVAL_MS } from '../../rules/calls/call-defaults.js';
import { handlerKindOf } from '../../rules/hooks/handlers.js';
import { askToRaise, subjectOf } from '../approvals/await-approval.js';
import { localActivity, untilKeyed } from '../calls/local-activities.js';
import { readActivityFailure, StepFailure } from '../steps/step-failure.js';
import type { Budget } from '../task/budget.js';
import type { BranchStop } from '../task/stop-branches.js';
import type { TaskRun } from '../task/task-run.js';
import { AtLimit, askGuards, type Hooked, type Reason } from './ask-hooks.js';

/** Where a call asks, and how long it may wait for people. */
interface Asking {
  branchStop: BranchStop;
  /** Id of its step; absent: the task itself. */
  id?: string;
  budget: Budget;
}

/**
 * As `askGuards`; where a guard over the session is at a limit with `on_limit: ask`, people are asked by how much to raise
 * it, in this session and for this guard, and then all guards are asked again. @throws StepFailure as the guard denies, also
 * if it is denied, no one decides, or it is raised by nothing; cancellation; BranchStopped.
 */
export function askWithinLimits(run: TaskRun, hooked: Hooked, asking: Asking): Reason[] | Promise<Reason[]> {
  const { pre_call: guards } = (hooked.operation ?? run.task.plan.ability).hooks;
  const mayBeRaised = guards.some(({ handler }) => handlerKindOf(handler).hasRaisableLimit(handler));
  return mayBeRaised ? askUntilWithin(run, hooked, asking) : askGuards(run, hooked);
}

async function askUntilWithin(run: TaskRun, hooked: Hooked, asking: Asking): Promise<Reason[]> {
  for (;;) {
    try {
      return await askGuards(run, hooked);
    } catch (error) {
      if (!(error instanceof AtLimit)) throw error;
      await raise(run, hooked, error, asking);
    }
  }
}

async function raise(
  run: TaskRun,
  { operation, input, path: at }: Hooked,
  atLimit: AtLimit,
  { branchStop, id: step, budget }: Asking,
): Promise<void> {
  const { answer, limit } = atLimit;
  const path = at || 'run';
  const what = subjectOf(run, { limit: answer.hook_id, raised: limit.raised, input }, operation);
  if (step !== undefined) run.steps.note(path, step, { status: 'waiting', call: what.ability });
  const done = Object.entries(limit.done).map(([id, count]) => `${count} of ${id}`);
  const reasons = [
    `${answer.reason} (hook ${answer.hook_id})`,
    `The session has made ${done.join(', ') || 'no calls'}; the limit was raised by ${limit.raised} so far.`,
  ].map((text) => ({ text }));
  const title = `Raise the limit ${answer.hook_id} of the session for ${what.ability}?`;
  const expiresMs = budget.capWait(GUARD_APPROVAL_MS);
  const request = { path, step, title, what, reasons, expiresMs };
  const raised = await askToRaise(run, request, 'number', branchStop);
  if (!raised || raised.by === 0) throw atLimit;
  const tell = localActivity<RaiseLimitRequest, void>(ACTIVITIES.raiseLimit);
  const told = { ...run.task.context, hook: answer.hook_id, id: raised.decision, by: raised.by };
  await CancellationScope.nonCancellable(() => untilKeyed(() => tell(told))).catch((error: unknown) => {
    const end = readActivityFailure(error);
    throw end.kind === 'problem' ? new StepFailure(end.problem) : atLimit;
  });
}
