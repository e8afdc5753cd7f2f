/**
 * Functions that also work over HTTP, with the same results and errors. All others need Temporal and fail over
 * HTTP with `feature.unsupported`; docs/http.md names them.
 */

import * as deciding from '../approvals/decide.js';
import * as proving from '../approvals/decide.js';
import * as approvals from '../approvals/read-approvals.js';
import * as control from '../change/control-task.js';
import type { Connection } from '../connection/connect.js';
import * as runtime from '../connection/keep-runtime.js';
import * as listing from '../list/list-tasks.js';
import * as sessions from '../sessions/sessions.js';
import * as creating from '../start/create-task.js';
import * as chains from '../view/read-chain.js';
import * as results from '../view/read-result.js';
import * as viewing from '../view/view-task.js';
import * as events from '../watch/follow-events.js';
import * as waiting from '../watch/wait-for-task.js';
import * as people from './approvals-and-sessions.js';
import * as eventsOverHttp from './events.js';
import { isOverHttp, reaching } from './http-connection.js';
import * as tasks from './tasks.js';
import * as waitOverHttp from './wait.js';

export const createTask = reaching(creating.createTask, tasks.createTask);
export const runTask = reaching(control.runTask, tasks.runTask);
export const cancelTask = reaching(control.cancelTask, tasks.cancelTask);
export const signalTask = reaching(control.signalTask, tasks.signalTask);
export const viewTask: typeof viewing.viewTask = reaching(viewing.viewTask, tasks.viewTask);
export const viewOwnTask: typeof viewing.viewOwnTask = reaching(viewing.viewOwnTask, tasks.viewTask);
export const readChain = reaching(chains.readChain, tasks.readChain);
export const listTaskPage = reaching(listing.listTaskPage, tasks.listTaskPage);
export const listTasks = reaching(listing.listTasks, tasks.listTasks);
export const awaitResult = reaching(results.awaitResult, waitOverHttp.awaitResult);
export const waitForTask = reaching(waiting.waitForTask, waitOverHttp.waitForTask);
export const followEvents = reaching(events.followEvents, eventsOverHttp.followEvents);
export const openApprovals = reaching(deciding.openApprovals, people.openApprovals);
export const readApprovals = reaching(approvals.readApprovals, people.readApprovals);
export const listApprovals = reaching(approvals.listApprovals, people.listApprovals);
export const decide = reaching(deciding.decide, people.decide);
export const startSession = reaching(sessions.startSession, people.startSession);
export const promptSession = reaching(sessions.promptSession, people.promptSession);
export const showSession = reaching(sessions.showSession, people.showSession);
export const stopSession = reaching(sessions.stopSession, people.stopSession);

/** As `keepingRuntime`; over HTTP only the action, since the door keeps its own runtime. */
export function keepingRuntime<T>(connection: Connection, action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return isOverHttp(connection) ? action() : runtime.keepingRuntime(connection, action, signal);
}

/** As `withProof`: over HTTP the token of the request proves a decision, so it stays unchanged. */
export const withProof: typeof proving.withProof = (connection, approval, verdict, decision, token) =>
  isOverHttp(connection) ? decision : proving.withProof(connection, approval, verdict, decision, token);
