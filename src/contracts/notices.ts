import type { Approval } from './approvals.js';
import type { Problem } from './problem.js';
import type { EndState } from './states.js';
import type { Rollback } from './task-parts.js';

/**
 * Events that a project may be notified of. `approval.cancelled`: its task ended undecided; `task.failed`: a task ended
 * `failed`, `timed_out` or `unknown`; `*.refused`: preflight or a guard refused a task that nobody waits for;
 * `schedule.missed`: a firing was lost, or began late.
 */
export const NOTICE_EVENTS = [
  'approval.requested',
  'approval.decided',
  'approval.cancelled',
  'approval.reminded',
  'approval.escalated',
  'task.failed',
  'schedule.refused',
  'schedule.missed',
  'delivery.refused',
] as const;

export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

export const NOTICE_FORMATS = ['json', 'cloudevents', 'slack'] as const;

export type NoticeFormat = (typeof NOTICE_FORMATS)[number];

/** Where the notices of a plan are sent. Secrets are references. */
export type PlanNotify = PlanWebhook | PlanSlack;

/** A channel in which a Slack app asks for decisions. */
export interface PlanSlack extends Pick<PlanWebhook, 'on'> {
  format: 'slack_app';
  /** Reference to the token of its bot. */
  bot_token: string;
  channel: string;
  /** Address of the Web API, without a slash at its end. */
  api: string;
  /** The hosts that may be called; absent: only that of `api`. */
  allowed_hosts?: string[];
}

/** A message of a Slack app, as `chat.postMessage` answers. */
export interface SlackMessage {
  channel: string;
  ts: string;
}

/** What a button of such a message decides on: `raised` is when, since the id of an approval may recur. */
export interface SlackTarget {
  project: string;
  task: string;
  approval: string;
  raised: string;
}

/** What became of a notice by the indexes of its targets: a message, or none; absent while it is being sent. */
export type SentNotices = Record<number, SlackMessage | null>;

/** A program that receives notices. */
export interface PlanWebhook {
  on: NoticeEvent[];
  /** Reference to the address. */
  webhook: string;
  /** Reference to the signing secret; absent only for Slack, whose address is itself a secret. */
  secret?: string;
  format: NoticeFormat;
  /** The hosts that may be called; absent: only the host of the address. */
  allowed_hosts?: string[];
}

/** One event to report. Times are ISO 8601. */
export interface Notice extends Rollback {
  /** `<task key>:<approval id>:<event>` and the like, to detect duplicates. Source: docs/approvals.md#notices. */
  id: string;
  event: NoticeEvent;
  at: string;
  project: string;
  /** Null: a firing was missed, so that there is no task. */
  task_key: string | null;
  ability: string;
  environment: string;
  /** Name of the schedule or the webhook that started the task. */
  schedule?: string;
  webhook?: string;
  /** Time of the firing; of the last one, if several were missed. */
  scheduled_for?: string;
  approval?: Approval;
  status?: EndState | 'late' | 'missed';
  /** How late a firing began; only with the status `late`. */
  late_seconds?: number;
  /** How many firings the schedule has missed since it was created; only with the status `missed`. */
  missed?: number;
  error?: Problem;
}

/** Argument of the workflow that sends a notice. */
export interface NoticeRequest {
  notice: Notice;
  /** Indexes in the `notify` of the task's plan or, without a plan, in that of the project for its environment. */
  targets: number[];
  /** Whether there is no plan: preflight refused the task, or no task was started. */
  unplanned?: true;
}

/** Argument of the activity that sends it to one target. */
export interface SendNotice extends Omit<NoticeRequest, 'targets'> {
  target: number;
}
