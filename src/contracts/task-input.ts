import type { Caller, Person } from './callers.js';
import type { JsonObject } from './json.js';

/** A change of the input of a task that was created and not run yet. */
export interface InputChange {
  by: Person;
  /** ISO 8601. */
  at: string;
  /** Names of the changed fields, sorted; empty if only the definitions had changed. */
  fields: string[];
}

/** The changes between the first and the latest, which are not listed. */
export interface ChangesLeft {
  count: number;
  by: string[];
}

/** A change that was applied, by the id of its update. */
export interface AppliedEdit {
  id: string;
  fields: string[];
}

/** Argument of the `modify` update: fields to set and to take out. Source: R-000-84. */
export interface InputEdit {
  set: JsonObject;
  unset: string[];
  by: Person;
  /** If it differs from that of the task, the caller of the task becomes unknown, and every hook fires. */
  caller?: Caller;
}

/** Result of the `modify` update once the new input has passed preflight. */
export interface EditAnswer {
  /** Names of the changed fields; empty if the inputs are equal. */
  fields: string[];
  /** Whether the task differs from before: in its input, or in the definitions it was resolved from. */
  changed: boolean;
  input: JsonObject;
  warnings: string[];
}
