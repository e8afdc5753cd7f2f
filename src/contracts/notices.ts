import type { Approval } from './approvals.js';
import type { Problem } from './problem.js';
import type { EndState } from './states.js';
import type { Rollback } from './task-result.js';

/** Events that a project may be notified of. `task.failed`: a task ended `failed`, `timed_out` or `unknown`. */
export const NOTICE_EVENTS = ['approval.requested', 'approval.decided', 'task.failed'] as const;

/** One of {@link NOTICE_EVENTS}. */
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

export const NOTICE_FORMATS = ['json', 'cloudevents', 'slack'] as const;

/** One of {@link NOTICE_FORMATS}. */
export type NoticeFormat = (typeof NOTICE_FORMATS)[number];

/** Where the notices of a plan are sent. Secrets are references. */
export interface PlanNotify {
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
  /** `<task key>:<approval id>:<event>`, to detect duplicates. Source: docs/approvals.md#notices. */
  id: string;
  event: NoticeEvent;
  at: string;
  project: string;
  task_key: string;
  ability: string;
  environment: string;
  approval?: Approval;
  status?: EndState;
  error?: Problem;
}

/** Argument of the workflow that sends a notice. */
export interface NoticeRequest {
  notice: Notice;
  /** Indexes in the `notify` of the plan. */
  targets: number[];
}

/** Argument of the activity that sends it to one target. */
export interface SendNotice {
  notice: Notice;
  target: number;
}
