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
import type { TaskRun } from '../task/task-run.js';

/** Eight attempts within an hour: 28 s, then twice as long each time. Source: docs/approvals.md#notices. */
const RETRY = { maximumAttempts: 8, initialInterval: '28s', backoffCoefficient: 2, maximumInterval: '1h' } as const;

/**
 * Sends one notice to all who want it. A workflow of its own, that its task does not wait for: it goes on after the task, and
 * how it ends matters to nothing.
 *
 * @returns why a notice was not delivered, by target.
 */
export async function sendNotices({ notice, targets }: NoticeRequest): Promise<string[]> {
  reportRun();
  const { [ACTIVITIES.notify]: send } = proxyActivities<{ [ACTIVITIES.notify](request: SendNotice): Promise<void> }>({
    startToCloseTimeout: '15s',
    retry: RETRY,
    summary: `${notice.event} of ${notice.task_key}`,
  });
  const sent = await Promise.allSettled(targets.map((target) => send({ notice, target })));
  return sent.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [`${targets[index]}: ${reasonOf(outcome.reason)}`] : [],
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** Has it told that an approval was raised or decided. */
export function notifyOfApproval(run: TaskRun, event: NoticeEvent, approval: Approval): void {
  if (!run.plan.notify) return;
  const raised = run.approvals.filter(({ id }) => id === approval.id).length;
  // An approval that is asked for again, as in a group that is tried again, keeps its id.
  const turn = raised > 1 ? `:${raised}` : '';
  notify(run, `${run.task}:${approval.id}:${event}${turn}`, event, { approval: { ...approval } });
}

/** Has it told that the task failed; those that another task called are told of as part of that. */
export function notifyOfEnd(run: TaskRun, { status, error }: Pick<TaskResult, 'status' | 'error'>): void {
  if (!run.plan.notify || run.start.child) return;
  if (status !== 'failed' && status !== 'timed_out' && status !== 'unknown') return;
  notify(run, `${run.task}:task.failed`, 'task.failed', { status, ...(error && { error }) });
}

/** Nothing waits for it but the end of the run, until the server has taken it over; it never fails the task. */
function notify(
  run: TaskRun,
  id: string,
  event: NoticeEvent,
  about: Pick<Notice, 'approval' | 'status' | 'error'>,
): void {
  const { plan, task } = run;
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
      run.warnings.push(`The notice ${id} could not be sent`);
    },
  );
  run.notices.push(starting);
}

/** Waits until the server has taken over the notices, before the task ends or goes on as a new run. */
export async function joinNotices(run: TaskRun): Promise<void> {
  await CancellationScope.nonCancellable(() => Promise.all(run.notices));
}
