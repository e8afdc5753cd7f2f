import * as client from '../../client/index.js';
import { type Reached, reached } from './connection.js';

/**
 * Runs a created task; one that runs already goes on as it is.
 *
 * @throws AbilityError `task.not_found`, `task.closed`, `task.other_project`.
 */
export const runTask: Reached<typeof client.runTask> = reached(client.runTask);

/** Waits for a task and gives its result, however it ends. {@link waitForTask} can stop waiting, and starts a runtime that is gone. */
export const awaitResult: Reached<typeof client.awaitResult> = reached(client.awaitResult);

/**
 * Waits until a task ends, or until there is a reason to stop waiting: time, an approval, a signal.
 *
 * @throws AbilityError `engine.stuck`, `runtime.stopped`, `task.not_found`.
 */
export const waitForTask: Reached<typeof client.waitForTask> = reached(client.waitForTask);

/** A task as it is now, or as it ended. @throws AbilityError `task.not_found`. */
export const viewTask: Reached<typeof client.viewTask> = reached(client.viewTask);

/** Tasks of the project, the newest first. @throws AbilityError `usage.invalid`. */
export const listTasks: Reached<typeof client.listTasks> = reached(client.listTasks);

/** A page of {@link listTasks}, with the cursor of the next one. @throws AbilityError `usage.invalid`. */
export const listTaskPage: Reached<typeof client.listTaskPage> = reached(client.listTaskPage);

/**
 * The events of a task as they happen, as those of `GET /v1/tasks/{key}/events`.
 *
 * @throws AbilityError `task.not_found`.
 */
export const followEvents: Reached<typeof client.followEvents> = reached(client.followEvents);

/** A task with those that were retried from it. @throws AbilityError `task.not_found`. */
export const readChain: Reached<typeof client.readChain> = reached(client.readChain);

/**
 * Asks a task to stop; its clean-up runs first.
 *
 * @throws AbilityError `task.not_found`, `task.closed`, `task.other_project`.
 */
export const cancelTask: Reached<typeof client.cancelTask> = reached(client.cancelTask);

/** Lets a task start nothing new until it is resumed. @throws AbilityError as {@link cancelTask}. */
export const pauseTask: Reached<typeof client.pauseTask> = reached(client.pauseTask);

/** Lets a paused task go on. @throws AbilityError as {@link cancelTask}. */
export const resumeTask: Reached<typeof client.resumeTask> = reached(client.resumeTask);

/**
 * Starts a task again as a new one, with what the earlier one has done as far as that still holds.
 *
 * @throws AbilityError `task.not_found`, `task.open`, and as {@link createTask}.
 */
export const retryTask: Reached<typeof client.retryTask> = reached(client.retryTask);

/**
 * Sends a signal that a task waits for, or will wait for.
 *
 * @throws AbilityError `usage.invalid` for signals of the runtime; as {@link cancelTask}.
 */
export const signalTask: Reached<typeof client.signalTask> = reached(client.signalTask);

/**
 * Changes the input of a task that has not run yet, or in which nothing that was called depends on it.
 *
 * @throws AbilityError `task.not_found`, `task.closed`, and what preflight refuses.
 */
export const changeInput: Reached<typeof client.changeInput> = reached(client.changeInput);

/**
 * Deletes a task: cancels it, removes its record, and leaves a tombstone under its key.
 *
 * @throws AbilityError `task.not_found`, `task.other_project`.
 */
export const deleteTask: Reached<typeof client.deleteTask> = reached(client.deleteTask);

/**
 * How a task came to be as it is: definition, hooks, approvals, attempts, end.
 *
 * @throws AbilityError `task.not_found`.
 */
export const explainTask: Reached<typeof client.explainTask> = reached(client.explainTask);

/** Address of a task in the Temporal UI; null where no UI is known. */
export const linkOf: Reached<typeof client.linkOf> = reached(client.linkOf);
