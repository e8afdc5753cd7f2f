/** What a lock knows of: `newest` comes as one that waits, see {@link SlotRequest}. */
export const SLOT_ON_BUSY = ['wait', 'refuse', 'cancel_older'] as const;

/**
 * What a task does that finds its key taken: wait its turn, end at once, have those before it cancelled, or wait in the
 * place of the one that waited before it.
 */
export const ON_BUSY = [...SLOT_ON_BUSY, 'newest'] as const;

/** One of {@link ON_BUSY}. */
export type OnBusy = (typeof ON_BUSY)[number];

/** How many tasks with the same key run at once, and what becomes of the others. Source: docs/definitions.md. */
export interface PlanConcurrency {
  /** A template over `input` and `environment`. */
  key: string;
  /** From 1. */
  limit: number;
  on_busy: OnBusy;
}

/** What a task asks the lock of its key for. */
export interface SlotRequest {
  /** Workflow id of the task. */
  task: string;
  /** The first run of its execution, which stays the same when it continues as new. */
  run: string;
  limit: number;
  on_busy: (typeof SLOT_ON_BUSY)[number];
  /** Of one that waits: it takes the place of those that wait and say so, too. A lock of an earlier build lets it wait. */
  newest?: true;
  /** It has asked before, so it is not newer than those in the line, even if the lock no longer knows it. */
  again?: true;
  /** The lock's answers must contain it, so that no other sender can give them; earlier builds send none. */
  token?: string;
}

/** A task in a slot or in the line for one. */
export interface SlotEntry extends SlotRequest {
  /** Of one in the line: whether it was looked at after it came, with holders known to be there. */
  settled?: boolean;
  /** Of a holder: whether it knows that it is one. */
  told?: boolean;
  /** Of a holder: whether a later task has had it cancelled. */
  superseded?: boolean;
}

/** Argument of the lock of one key: who is in and who waits, in the order in which they came. */
export interface LockState {
  key: string;
  holders: SlotEntry[];
  line: SlotEntry[];
}

/** An answer of a lock to a task, with the token of its request. */
export type SlotAnswer = SlotWord & { token?: string };

/** What an answer of a lock says. */
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

/** What a task keeps to itself of its request for a turn. */
export interface SlotAsk {
  token: string;
  /** Whether lists show that it waits, since the lock did not answer for a while. */
  shown?: true;
}
