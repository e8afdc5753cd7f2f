import { CancellationScope } from '@temporalio/workflow';
import type { RaiseLimitRequest } from '../../contracts/activities.js';
import { ACTIVITIES } from '../../contracts/names.js';
import { handlerKindOf } from '../../rules/hooks/handlers.js';
import { askToRaise } from '../approvals/ask-to-raise.js';
import { localActivity, untilKeyed } from '../calls/local-activities.js';
import { readActivityFailure, StepFailure } from '../steps/step-failure.js';
import type { BranchStop } from '../task/stop-branches.js';
import type { TaskRun } from '../task/task-run.js';
import { AtLimit, askGuards, type Hooked, type Reason } from './ask-hooks.js';

/** Where a call asks, and how long it may wait for people. */
interface Asking {
  branchStop: BranchStop;
  /** Id of its step; absent: the task itself. */
  step?: string;
  capWait(ms: number): number;
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

async function raise(run: TaskRun, hooked: Hooked, atLimit: AtLimit, asking: Asking): Promise<void> {
  const { answer, limit } = atLimit;
  const { ability: whole } = run.task.plan;
  const { operation, input } = hooked;
  const path = hooked.path || 'run';
  const ability = operation?.key ?? whole.id;
  if (asking.step !== undefined) run.steps.note(path, asking.step, { status: 'waiting', call: ability });
  const done = Object.entries(limit.done).map(([id, count]) => `${count} of ${id}`);
  const raised = await askToRaise(run, {
    ...asking,
    path,
    title: `Raise the limit ${answer.hook_id} of the session for ${ability}?`,
    what: {
      ability,
      implementation: operation?.implementation.id ?? null,
      effects: operation ? operation.effects : whole.effects,
      input: { limit: answer.hook_id, raised: limit.raised, input },
    },
    reasons: [
      `${answer.reason} (hook ${answer.hook_id})`,
      `The session has made ${done.join(', ') || 'no calls'}; the limit was raised by ${limit.raised} so far.`,
    ],
    type: 'number',
  });
  if (!raised || raised.by === 0) throw atLimit;
  const tell = localActivity<RaiseLimitRequest, void>(ACTIVITIES.raiseLimit);
  const request = { ...run.task.context, hook: answer.hook_id, id: raised.decision, by: raised.by };
  await CancellationScope.nonCancellable(() => untilKeyed(() => tell(request))).catch((error: unknown) => {
    const end = readActivityFailure(error);
    throw end.kind === 'problem' ? new StepFailure(end.problem) : atLimit;
  });
}
