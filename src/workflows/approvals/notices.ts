import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  proxyActivities,
  startChild,
} from '@temporalio/workflow';
import type { Approval } from '../../contracts/approvals.js';
import { ACTIVITIES, WORKFLOWS } from '../../contracts/names.js';
import type { Notice, NoticeEvent, NoticeRequest, SendNotice } from '../../contracts/notices.js';
import type { TaskResult } from '../../contracts/task.js';
import { reportRun } from '../reports/report-run.js';
import { rollbackOf } from '../steps/rollback.js';
import { messageOf } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';

/** Eight attempts within an hour: 28 s, then twice as long each time. Source: docs/approvals.md#notices. */
const RETRY = { maximumAttempts: 8, initialInterval: '28s', backoffCoefficient: 2, maximumInterval: '1h' } as const;

/** Sends a notice, in a workflow that no task waits for. @returns failed deliveries, as `target: reason`. */
export async function sendNotices({ notice, targets }: NoticeRequest): Promise<string[]> {
  reportRun();
  const { [ACTIVITIES.notify]: send } = proxyActivities<{ [ACTIVITIES.notify](request: SendNotice): Promise<void> }>({
    startToCloseTimeout: '15s',
    retry: RETRY,
    summary: `${notice.event} of ${notice.task_key}`,
  });
  const sent = await Promise.allSettled(targets.map((target) => send({ notice, target })));
  return sent.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [`${targets[index]}: ${messageOf(outcome.reason)}`] : [],
  );
}

export function notifyOfApproval(run: TaskRun, event: NoticeEvent, approval: Approval): void {
  const raised = run.approvals.list.filter(({ id }) => id === approval.id).length;
  // A repeated approval, as in a retried group, keeps its id.
  const turn = raised > 1 ? `:${raised}` : '';
  notify(run, `${run.task.id}:${approval.id}:${event}${turn}`, event, { approval: { ...approval } });
}

/** Only for a root task: a called task's failure is part of its caller's notice. */
export function notifyOfEnd(run: TaskRun, { status, error }: Pick<TaskResult, 'status' | 'error'>): void {
  if (run.task.start.child) return;
  if (status !== 'failed' && status !== 'timed_out' && status !== 'unknown') return;
  const undone = rollbackOf(run.steps.progress, run.rollbacks);
  notify(run, `${run.task.id}:task.failed`, 'task.failed', { status, ...(error && { error }), ...undone });
}

/** Does not wait and never fails the task; the end of the run waits for the handover to the server. */
function notify(run: TaskRun, id: string, event: NoticeEvent, about: Partial<Notice>): void {
  const { plan, id: task } = run.task;
  const targets = (plan.notify ?? []).flatMap(({ on }, index) => (on.includes(event) ? [index] : []));
  if (targets.length === 0) return;
  const at = new Date().toISOString();
  const { project, ability, environment } = plan;
  const notice: Notice = {
    ...{ id, event, at, project, task_key: task, ability: ability.id, environment: environment.name },
    ...about,
  };
  const request: NoticeRequest = { notice, targets };
  const starting: Promise<void> = CancellationScope.nonCancellable(() =>
    startChild(WORKFLOWS.notify, {
      args: [request],
      workflowId: `notify:${id}`,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      staticSummary: `${event} of ${task}`,
    }),
  ).then(
    () => undefined,
    () => {
      run.warnings.add(`The notice ${id} could not be sent`);
    },
  );
  run.approvals.notices.push(starting);
}

/** Waits until the server has taken over the notices, before the task ends or continues as a new run. */
export async function joinNotices(run: TaskRun): Promise<void> {
  await CancellationScope.nonCancellable(() => Promise.all(run.approvals.notices));
}
