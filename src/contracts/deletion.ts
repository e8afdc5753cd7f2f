import type { Person } from './callers.js';
import type { Problem } from './problem.js';

/**
 * Replaces a deleted task's record: proves that the task existed, without its input or output.
 * Source: R-000-85; docs/architecture.md#what-lives-where-in-temporal.
 */
export interface Tombstone {
  format: 1;
  task_key: string;
  ability_id: string;
  environment: string;
  /** SHA-256 of the canonical input; null if unknown. */
  input: string | null;
  /** ISO 8601. */
  deleted_at: string;
  deleted_by: Person;
  /** Whether its history in Temporal was deleted as well. */
  purged: boolean;
}

/** Argument of the workflow that deletes a task. */
export interface DeleteRequest {
  key: string;
  by: Person;
  /** Delete its history in Temporal as well. */
  purge: boolean;
  /** Preflight had refused it: only the requests are there, and are purged; the key stays free. */
  refused?: true;
}

/** Outcome of a deletion. */
export interface Deletion extends Tombstone {
  host: string;
  /** Whether a record was found; it is kept where the task's worker ran. */
  record: 'removed' | 'absent';
  /** Why its history could not be deleted, if that was requested. */
  problem?: Problem;
}

/** Facts about a task to be deleted, once it has ended. */
export type TaskToDelete = Pick<Tombstone, 'ability_id' | 'environment' | 'input'> & {
  /** From an earlier deletion. */
  deleted?: Tombstone;
};
