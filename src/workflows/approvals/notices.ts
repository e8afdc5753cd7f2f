import {
  CancellationScope,
  ChildWorkflowCancellationType,
  defineQuery,
  ParentClosePolicy,
  proxyActivities,
  setHandler,
  setWorkflowOptions,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { Approval } from '../../contracts/approvals.js';
import { ACTIVITIES, QUERIES, WORKFLOWS } from '../../contracts/names.js';
import type {
  Notice,
  NoticeEvent,
  NoticeRequest,
  SendNotice,
  SentNotices,
  SlackMessage,
} from '../../contracts/notices.js';
import type { Problem } from '../../contracts/problem.js';
import type { ScheduleMemo } from '../../contracts/schedules.js';
import type { EndState } from '../../contracts/states.js';
import type { TaskOptions, TaskResult } from '../../contracts/task.js';
import { refusedEventOf, targetsOf, unattendedOf } from '../../rules/tasks/task-ids.js';
import { OF_ANY_BUILD } from '../of-any-build.js';
import { reportRun } from '../reports/report-run.js';
import { rollbackOf } from '../steps/rollback.js';
import { messageOf, type RefusedIn } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';

/** Eight attempts within an hour: 28 s, then twice as long each time. Source: docs/approvals.md#notices. */
const RETRY = { maximumAttempts: 8, initialInterval: '28s', backoffCoefficient: 2, maximumInterval: '1h' } as const;

/** Sends a notice, in a workflow that no task waits for. @returns failed deliveries, as `target: reason`. */
export async function sendNotices({ notice, targets, ...of }: NoticeRequest): Promise<string[]> {
  reportRun();
  const outcomes: SentNotices = {};
  setHandler(defineQuery<SentNotices>(QUERIES.sent), () => outcomes);
  const { [ACTIVITIES.notify]: send } = proxyActivities<{
    [ACTIVITIES.notify](request: SendNotice): Promise<SlackMessage | undefined>;
  }>({
    startToCloseTimeout: '15s',
    retry: RETRY,
    summary: `${notice.event} of ${notice.task_key ?? notice.schedule}`,
  });
  const sent = await Promise.allSettled(
    targets.map(async (target) => {
      let message: SlackMessage | undefined;
      try {
        message = await send({ notice, target, ...of });
      } finally {
        outcomes[target] = message ?? null;
      }
    }),
  );
  return sent.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [`${targets[index]}: ${messageOf(outcome.reason)}`] : [],
  );
}
setWorkflowOptions(OF_ANY_BUILD, sendNotices);

/** @param which tells several of an event apart. */
export function notifyOfApproval(run: TaskRun, event: NoticeEvent, approval: Approval, which = ''): void {
  const raised = run.approvals.list.filter(({ id }) => id === approval.id).length;
  // A repeated approval, as in a retried group, keeps its id.
  const turn = raised > 1 ? `:${raised}` : '';
  notify(run, `${run.task.id}:${approval.id}:${event}${which}${turn}`, event, { approval: { ...approval } });
}

/** Only for a root task: a called task's failure is part of its caller's notice. */
export function notifyOfEnd(run: TaskRun, { status, error }: Pick<TaskResult, 'status' | 'error'>): void {
  const { start, id } = run.task;
  if (start.child) return;
  const by = unattendedOf(id, start.options.retry !== undefined);
  const event = status === 'denied' ? refusedEventOf(by) : 'task.failed';
  if (event === undefined || !NOTIFIED.has(status)) return;
  const undone = rollbackOf(run.steps.progress, run.rollbacks);
  notify(run, `${id}:${event}`, event, { ...by, status: status as EndState, ...(error && { error }), ...undone });
}

const NOTIFIED: ReadonlySet<string> = new Set(['failed', 'timed_out', 'unknown', 'denied']);

/** A firing later than this is reported as late. */
const LATE_MS = 60_000;

/** If it begins late, because the server was down or no worker was up. */
export function notifyOfLateness(run: TaskRun): void {
  const { id } = run.task;
  const by = unattendedOf(id);
  if (by.scheduled_for === undefined) return;
  const lateMs = latenessOf(Date.parse(by.scheduled_for));
  if (lateMs < LATE_MS) return;
  const late_seconds = Math.round(lateMs / 1000);
  run.warnings.add(`It began ${late_seconds} s later than its schedule says`);
  notify(run, `${id}:schedule.missed`, 'schedule.missed', { ...by, status: 'late', late_seconds });
}

/** Without what its schedule allows: jitter, the end of an earlier task, and times that somebody makes up for. */
function latenessOf(scheduledFor: number): number {
  const { startTime, memo } = workflowInfo();
  const { jitter_ms = 0, catch_up_ms = 0, overlap } = (memo?.schedule ?? {}) as Partial<ScheduleMemo>;
  const startedAfter = startTime.getTime() - scheduledFor - jitter_ms;
  const isMeant = startedAfter > catch_up_ms || overlap?.startsWith('buffer_') === true;
  // A firing that was begun ahead is late only from its time on.
  return Math.min(
    Date.now() - startTime.getTime() + (isMeant ? 0 : Math.max(0, startedAfter)),
    Date.now() - scheduledFor,
  );
}

/** Of a task that could not be formed, and that nobody waits for. The task ends once the server has it. */
export async function notifyOfRefusal(error: Problem, at: RefusedIn | undefined, options: TaskOptions): Promise<void> {
  const { workflowId: id, workflowType: ability } = workflowInfo();
  const by = unattendedOf(id, options.retry !== undefined);
  const event = refusedEventOf(by);
  if (!event || !at?.environment || !at.notify?.length) return;
  const { project, environment, notify: targets } = at;
  const about = { at: new Date().toISOString(), project, task_key: id, ability, environment, ...by };
  const notice: Notice = { id: `${id}:${event}`, event, ...about, status: 'unavailable', error };
  // A receiver learns of the refusal if it can; the refusal itself comes first.
  await handOver({ notice, targets, unplanned: true }).catch(() => undefined);
}

/** Does not wait and never fails the task; the end of the run waits for the handover to the server. */
function notify(run: TaskRun, id: string, event: NoticeEvent, about: Partial<Notice>): void {
  const { plan, id: task } = run.task;
  const targets = targetsOf(event, plan.notify);
  if (targets.length === 0) return;
  const at = new Date().toISOString();
  const { project, ability, environment } = plan;
  const notice: Notice = {
    ...{ id, event, at, project, task_key: task, ability: ability.id, environment: environment.name },
    ...about,
  };
  const starting = handOver({ notice, targets }).catch(() => {
    run.warnings.add(`The notice ${id} could not be sent`);
  });
  run.approvals.notices.push(starting);
}

/** Starts the workflow that sends it. */
async function handOver(request: NoticeRequest): Promise<void> {
  const { id, event, task_key } = request.notice;
  await CancellationScope.nonCancellable(() =>
    startChild(WORKFLOWS.notify, {
      args: [request],
      workflowId: `notify:${id}`,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      staticSummary: `${event} of ${task_key}`,
    }),
  );
}

/** Waits until the server has taken over the notices, before the task ends or continues as a new run. */
export async function joinNotices(run: TaskRun): Promise<void> {
  await CancellationScope.nonCancellable(() => Promise.all(run.approvals.notices));
}
