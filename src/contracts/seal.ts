import type { Caller } from './callers.js';
import type { Person } from './people.js';

/**
 * The worker's word that this plan, under this key and with this input, passed preflight.
 *
 * `mac` is an HMAC-SHA-256 over canonical JSON of all the other fields.
 * Source: docs/architecture.md#promises; docs/architecture.md#the-way-of-a-task.
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
  /** The requester of the task. */
  user: Person;
  /** The session of the request; absent: none. */
  session?: string;
  /** The folder of the project that it is about; absent: they did not say. */
  scope?: string;
  /** The caller; absent: unknown, so that every hook fires. For a called task it is the root's. */
  caller?: Caller;
  /** Purpose of the task, in the requester's words; absent: they gave none. */
  intent?: string;
  /** The run that it is part of, which is a request in plain words; absent: none. Source: C-35. */
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
