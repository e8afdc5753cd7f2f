import * as client from '../../client/index.js';
import { type Reached, reached } from './connection.js';

/**
 * Runs a created task; a running one continues.
 * @throws AbilityError `task.not_found`, `task.closed`, `task.other_project`.
 */
export const runTask: Reached<typeof client.runTask> = reached(client.runTask);

/**
 * Waits for a task and returns its result, however it ends. {@link waitForTask} can stop waiting, and restarts a
 * stopped runtime.
 */
export const awaitResult: Reached<typeof client.awaitResult> = reached(client.awaitResult);

/**
 * Waits until a task ends, or there is a reason to stop waiting: time, an approval, a signal.
 * @throws AbilityError `engine.stuck`, `runtime.stopped`, `task.not_found`.
 */
export const waitForTask: Reached<typeof client.waitForTask> = reached(client.waitForTask);

/** The present or final state of a task. @throws AbilityError `task.not_found`. */
export const viewTask: Reached<typeof client.viewTask> = reached(client.viewTask);

/** Tasks of the project, the newest first. @throws AbilityError `usage.invalid`. */
export const listTasks: Reached<typeof client.listTasks> = reached(client.listTasks);

/** A page of {@link listTasks}, with the cursor of the next one. @throws AbilityError `usage.invalid`. */
export const listTaskPage: Reached<typeof client.listTaskPage> = reached(client.listTaskPage);

/** A task's events as they happen, as `GET /v1/tasks/{key}/events`. @throws AbilityError `task.not_found`. */
export const followEvents: Reached<typeof client.followEvents> = reached(client.followEvents);

/** A task, the task that it retries, and its own retries. @throws AbilityError `task.not_found`. */
export const readChain: Reached<typeof client.readChain> = reached(client.readChain);

/**
 * Requests the cancellation of a task; its clean-up runs first.
 * @throws AbilityError `task.not_found`, `task.closed`, `task.other_project`.
 */
export const cancelTask: Reached<typeof client.cancelTask> = reached(client.cancelTask);

/** Lets a task start nothing new until it is resumed. @throws AbilityError as {@link cancelTask}. */
export const pauseTask: Reached<typeof client.pauseTask> = reached(client.pauseTask);

/** Resumes a paused task. @throws AbilityError as {@link cancelTask}. */
export const resumeTask: Reached<typeof client.resumeTask> = reached(client.resumeTask);

/**
 * Retries a task as a new one, with the earlier results that still hold.
 * @throws AbilityError `task.not_found`, `task.open`, and as {@link createTask}.
 */
export const retryTask: Reached<typeof client.retryTask> = reached(client.retryTask);

/**
 * Sends a signal that a task waits for, or will wait for.
 * @throws AbilityError `usage.invalid` for signals of the runtime; as {@link cancelTask}.
 */
export const signalTask: Reached<typeof client.signalTask> = reached(client.signalTask);

/**
 * Changes the input of a task that has not run yet, or whose calls so far do not depend on it.
 * @throws AbilityError `task.not_found`, `task.closed`, and refusals of preflight.
 */
export const changeInput: Reached<typeof client.changeInput> = reached(client.changeInput);

/**
 * Deletes a task: cancels it, removes its record, and leaves a tombstone under its key.
 * @throws AbilityError `task.not_found`, `task.other_project`.
 */
export const deleteTask: Reached<typeof client.deleteTask> = reached(client.deleteTask);

/** Explains a task's state: definition, hooks, approvals, attempts. @throws AbilityError `task.not_found`. */
export const explainTask: Reached<typeof client.explainTask> = reached(client.explainTask);

/** Address of a task in the Temporal UI; null where no UI is known. */
export const linkOf: Reached<typeof client.linkOf> = reached(client.linkOf);

/** The approvals of a task that wait for people. @throws AbilityError `task.not_found`, `task.other_project`. */
export const openApprovals: Reached<typeof client.openApprovals> = reached(client.openApprovals);

/** A task's approvals with their subjects; known secrets are masked. @throws AbilityError `task.not_found`. */
export const readApprovals: Reached<typeof client.readApprovals> = reached(client.readApprovals);

/** The open approvals of the project. */
export const listApprovals: Reached<typeof client.listApprovals> = reached(client.listApprovals);

/**
 * Sends a decision, and reports whether it counted.
 * @throws AbilityError `approval.ignored` with the reason, `task.not_found`, `task.closed`, `worker.unavailable`.
 */
export const decide: Reached<typeof client.decide> = reached(client.decide);

/** A decision with the proof that a person's token gives, for environments with `proof: required`. */
export const withProof: Reached<typeof client.withProof> = reached(client.withProof);

/**
 * Starts a session once the hooks of its start allow it, or finds the open one of that id.
 * @throws AbilityError `guard.denied`, `hook.failed`, `session.key_conflict`, `session.stopped`, `usage.invalid`.
 */
export const startSession: Reached<typeof client.startSession> = reached(client.startSession);

/**
 * Sends a prompt to a session. Returns its turn context: the hints of hooks, guards and risks.
 * @throws AbilityError `session.not_found`, `session.stopped`, `usage.invalid`.
 */
export const promptSession: Reached<typeof client.promptSession> = reached(client.promptSession);

/** The present state of a session. @throws AbilityError `session.not_found`. */
export const showSession: Reached<typeof client.showSession> = reached(client.showSession);

/** Stops a session; its tasks continue. @throws AbilityError `session.not_found`. */
export const stopSession: Reached<typeof client.stopSession> = reached(client.stopSession);

/**
 * Lets an AI plan calls of abilities: checks and runs them, and returns their results to it.
 * @throws AbilityError `usage.invalid`, `planner.*`, `session.*`.
 */
export const runSession: Reached<typeof client.runSession> = reached(client.runSession);

/**
 * Creates a schedule; the same one again changes nothing.
 * @throws AbilityError `schedule.exists`, `usage.invalid`, `placement.no_worker`.
 */
export const createSchedule: Reached<typeof client.createSchedule> = reached(client.createSchedule);

/** The schedules of the project, by name. */
export const listSchedules: Reached<typeof client.listSchedules> = reached(client.listSchedules);

/** A schedule with its past and next firings. @throws AbilityError `schedule.not_found`. */
export const showSchedule: Reached<typeof client.showSchedule> = reached(client.showSchedule);

/** Pauses a schedule; the note says why. @throws AbilityError `schedule.not_found`. */
export const pauseSchedule: Reached<typeof client.pauseSchedule> = reached(client.pauseSchedule);

/** Lets a paused schedule fire again. @throws AbilityError `schedule.not_found`. */
export const resumeSchedule: Reached<typeof client.resumeSchedule> = reached(client.resumeSchedule);

/** Fires a schedule now. @throws AbilityError `schedule.not_found`. */
export const fireSchedule: Reached<typeof client.fireSchedule> = reached(client.fireSchedule);

/** Fires a schedule as often as it would have fired between two moments. @throws AbilityError `schedule.not_found`. */
export const backfillSchedule: Reached<typeof client.backfillSchedule> = reached(client.backfillSchedule);

/** Deletes a schedule; tasks that it started continue. @throws AbilityError `schedule.not_found`. */
export const deleteSchedule: Reached<typeof client.deleteSchedule> = reached(client.deleteSchedule);
