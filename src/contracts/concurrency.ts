/** Modes that a lock knows: `newest` is sent as one that waits, see {@link SlotRequest}. */
export const SLOT_ON_BUSY = ['wait', 'refuse', 'cancel_older'] as const;

/**
 * Behaviour of a task whose concurrency key is taken: wait, end at once, cancel the earlier tasks, or replace the task
 * that waited before it.
 */
export const ON_BUSY = [...SLOT_ON_BUSY, 'newest'] as const;

/** One of {@link ON_BUSY}. */
export type OnBusy = (typeof ON_BUSY)[number];

/** Number of tasks with the same key that run at once, and the treatment of others. Source: docs/definitions.md. */
export interface PlanConcurrency {
  /** A template over `input` and `environment`. */
  key: string;
  /** From 1. */
  limit: number;
  on_busy: OnBusy;
}

/** Request of a task to the lock of its key. */
export interface SlotRequest {
  /** Workflow id of the task. */
  task: string;
  /** The first run of its execution, which stays the same when it continues as new. */
  run: string;
  limit: number;
  on_busy: (typeof SLOT_ON_BUSY)[number];
  /** Set by a waiting task that replaces other waiting tasks with this flag. Locks of earlier builds let it wait. */
  newest?: true;
  /** A repeated request, so not newer than those in the queue even if the lock has forgotten it. */
  again?: true;
  /** The lock's answers must contain it, so that no other sender can give them; earlier builds send none. */
  token?: string;
}

/** A task in a slot or in the line for one. */
export interface SlotEntry extends SlotRequest {
  /** For a waiting task: whether it was checked after it arrived, while the holders were known to exist. */
  settled?: boolean;
  /** For a holder: whether it knows that it is one. */
  told?: boolean;
  /** For a holder: whether a later task has had it cancelled. */
  superseded?: boolean;
}

/** Argument of the lock of one key: holders and waiting tasks, in order of arrival. */
export interface LockState {
  key: string;
  holders: SlotEntry[];
  line: SlotEntry[];
}

/** An answer of a lock to a task, with the token of its request. */
export type SlotAnswer = SlotWord & { token?: string };

/** Answer of a lock. */
export type SlotWord =
  | { answer: 'granted' }
  /** `held_by`: workflow ids of tasks that hold the key. */
  | { answer: 'waiting'; held_by: string[] }
  /** `replaced_by`: the task that now waits in its place. Workers of earlier builds heed only that it may not go in. */
  | { answer: 'busy'; held_by: string[]; replaced_by?: string }
  /** It is about to be cancelled for the task `by`. */
  | { answer: 'superseded'; by: string };

/** How a task that shares a key with others came by its turn. Times are ISO 8601. */
export interface Turn {
  key: string;
  /** Workflow id of the lock that gives out the slots. */
  lock: string;
  /** Who held the key when this task had to wait or was refused; empty when it went in at once. */
  held_by: string[];
  asked_at: string;
  /** Null while it waits, and for one that never went in. */
  granted_at: string | null;
  refused?: true;
  /** The task that waits in its place. */
  replaced_by?: string;
}

/** State that a task keeps of its request for a slot. */
export interface SlotAsk {
  token: string;
  /** Whether lists show that it waits, since the lock did not answer for a while. */
  shown?: true;
}
