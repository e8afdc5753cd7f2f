import type { Caller, Person } from './callers.js';

/**
 * Proves that this plan, with this key and input, passed preflight; `mac`: HMAC-SHA-256 over the other fields'
 * canonical JSON. Source: docs/architecture.md#promises; docs/architecture.md#the-way-of-a-task.
 */
export interface Seal {
  key_id: string;
  /** SHA-256 of the canonical plan. */
  plan: string;
  /** Workflow id of the task: its key, or `direct:<uuid>`. */
  task: string;
  /** SHA-256 of the canonical input, with defaults applied. */
  input: string;
  /** SHA-256 of the canonical progress that the task takes over from an earlier one; absent: none. */
  progress?: string;
  user: Person;
  /** Absent: the request belongs to no session. */
  session?: string;
  /** The folder of the project that the task is about; absent: not specified. */
  scope?: string;
  /** Absent: unknown, so that every hook fires. A called task has the caller of the root. */
  caller?: Caller;
  /** Purpose of the task, in the requester's words; absent: they gave none. */
  intent?: string;
  /** The run (of a request in plain words) that it belongs to; absent: none. Source: C-35. */
  run?: string;
  /** Confirmations that `need_user_confirm` requested at creation; the task raises them as approvals when it runs. */
  confirmations: Confirmation[];
  mac: string;
}

/** A confirmation that a hook requested. */
export interface Confirmation {
  hook_id: string;
  reason: string;
}
