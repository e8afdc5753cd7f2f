/** If the concurrency key is taken: wait, end at once, cancel earlier tasks, or replace the waiting task. */
export const ON_BUSY = ['wait', 'refuse', 'cancel_older', 'newest'] as const;

export type OnBusy = (typeof ON_BUSY)[number];

/** Number of tasks with the same key that run at once, and the treatment of others. */
export interface PlanConcurrency {
  /** A template over `input` and `environment`. */
  key: string;
  /** At least 1. */
  limit: number;
  on_busy: OnBusy;
}

/** Request of a task to the lock of its key. */
export interface SlotRequest extends Pick<PlanConcurrency, 'limit' | 'on_busy'> {
  /** Workflow id of the task. */
  task: string;
  /** The first run of its execution, which stays the same when it continues as new. */
  run: string;
  /** A repeated request: not newer than those in the queue, even if the lock has forgotten it. */
  again?: true;
  /** The lock's answers must contain it, so that no other sender can forge them. */
  token: string;
}

/** A task that holds a slot or waits for one. */
export interface SlotEntry extends SlotRequest {
  /** For a waiting task: whether the lock has handled its arrival. */
  settled?: boolean;
  /** For a holder: whether the lock has notified it. */
  told?: boolean;
  /** For a holder: whether it is being cancelled for a later task. */
  superseded?: boolean;
}

/** Argument of the lock of one key: holders and waiting tasks, in order of arrival. */
export interface LockState<Entry = SlotEntry> {
  key: string;
  holders: Entry[];
  line: Entry[];
}

/** An answer of a lock to a task, with the token of its request. */
export type SlotAnswer = SlotWord & { token: string };

/** Answer of a lock. */
export type SlotWord =
  | { answer: 'granted' }
  /** `held_by`: workflow ids of tasks that hold the key. */
  | { answer: 'waiting'; held_by: string[] }
  /** `replaced_by`: the task that waits in its place. */
  | { answer: 'busy'; held_by: string[]; replaced_by?: string }
  /** The task will be cancelled for the task `by`. */
  | { answer: 'superseded'; by: string };

/** How a task that shares a key with others got its turn. Times are ISO 8601. */
export interface Turn {
  key: string;
  /** Workflow id of the lock that gives out the slots. */
  lock: string;
  /** Tasks that held the key when this one had to wait or was refused; empty if it entered at once. */
  held_by: string[];
  asked_at: string;
  /** Null while it waits, and if it never got a slot. */
  granted_at: string | null;
  refused?: true;
  replaced_by?: string;
}

/** State that a task keeps of its request for a slot. */
export interface SlotAsk {
  token: string;
  /** Whether lists show that it waits, because the lock has not answered for a while. */
  shown?: true;
}
