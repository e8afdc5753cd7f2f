import { randomUUID } from 'node:crypto';
import {
  QueryNotRegisteredError,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { Person } from '../../contracts/callers.js';
import {
  ENDED_BEFORE_ANSWER,
  QUERIES,
  SESSION_UPDATES,
  sessionIdOf,
  taskQueueOf,
  WORKFLOWS,
} from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type {
  PromptRequest,
  SessionStart,
  SessionTask,
  SessionThread,
  SessionView,
  ThreadNote,
  TurnContext,
} from '../../contracts/session.js';
import { isEndState } from '../../contracts/states.js';
import { checkScope, sessionNotFound, sessionStopped } from '../../rules/sessions/session-refusals.js';
import { markdownLine } from '../../rules/shown-text.js';
import { generateId } from '../../server/generate-id.js';
import type { Connection } from '../connection/connect.js';
import { placementWithWorker } from '../connection/find-workers.js';
import { keepingRuntime, withServer } from '../connection/keep-runtime.js';
import { asking, describeIfKnown, keywordAttributes, problemIn } from '../connection/temporal-errors.js';
import { describedState } from '../list/task-query.js';
import { checkSessionId } from '../start/keys.js';
import { askWorker } from '../view/view-task.js';

const DAY_MS = 24 * 60 * 60_000;
/** Long enough for all hooks; each has its own time limit. */
const UPDATE_MS = 7 * 60_000;

/** The settings of a new session. */
export interface NewSession {
  /** The caller's own id; absent: a new one. */
  id?: string;
  environment: string;
  /** A folder of the project. */
  scope: string;
  /** The session ends after so long without activity. Milliseconds; absent: a day. */
  idleMs?: number;
  user: Person;
}

/** The present state of a session. */
export interface SeenSession extends Omit<SessionView, 'status'> {
  /** The last four: its workflow ended abnormally, so that no hooks of its end ran. */
  status: SessionView['status'] | 'terminated' | 'failed' | 'timed_out' | 'cancelled';
}

/**
 * Starts a session and waits for its start hooks, or joins an open one with the same id, environment and scope.
 * @throws AbilityError `guard.denied`, `hook.failed`, `session.key_conflict`, `session.stopped`, `usage.invalid`,
 * `placement.no_worker`.
 */
export async function startSession(
  connection: Connection,
  wanted: NewSession,
): Promise<{ session_id: string; attached: boolean }> {
  const session_id = wanted.id === undefined ? generateId('s') : checkSessionId(wanted.id);
  const { environment, scope, idleMs: idle_ms = DAY_MS, user } = wanted;
  checkScope(scope);
  const start: SessionStart = { format: 1, session_id, environment, scope, idle_ms, user };
  let attached = true;
  await withServer(connection, async () => {
    const placement = await placementWithWorker(connection, environment);
    try {
      await connection.temporal.workflow.start(WORKFLOWS.session, {
        workflowId: sessionIdOf(connection.project, session_id),
        taskQueue: taskQueueOf(connection.project, environment, placement),
        args: [start],
        workflowIdConflictPolicy: 'FAIL',
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        memo: { session: session_id, environment, scope, user: user.name, started: new Date().toISOString() },
        typedSearchAttributes: keywordAttributes({
          AbilityProject: connection.project,
          AbilityEnvironment: environment,
          AbilitySession: session_id,
        }),
        staticSummary: `session ${session_id} in ${environment}, for ${markdownLine(user.name)}`,
      });
      attached = false;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await refuseOther(connection, start);
    }
  });
  await update<void>(connection, session_id, SESSION_UPDATES.open);
  return { session_id, attached };
}

/**
 * Returns the context that an AI reads before it decides. Source: R-002-42.
 * @throws AbilityError `session.not_found`, `session.stopped`, `worker.unavailable`.
 */
export function promptSession(
  connection: Connection,
  session: string,
  prompt: string,
  user: Person,
): Promise<TurnContext> {
  const request: PromptRequest = { prompt, user };
  return update<TurnContext>(connection, session, SESSION_UPDATES.prompt, request);
}

/** The last messages, and the question that waits for the user. @throws AbilityError as {@link showSession}. */
export function readThread(connection: Connection, session: string): Promise<SessionThread> {
  return withServer(connection, async () => {
    const { workflowId, runId } = await describe(connection, session);
    return askWorker<SessionThread>(connection, workflowId, QUERIES.thread, runId);
  });
}

/** Records the answer, and the pending question in place of the last one. @throws as {@link promptSession}. */
export function noteInSession(connection: Connection, session: string, note: ThreadNote): Promise<void> {
  return update<void>(connection, session, SESSION_UPDATES.note, note);
}

/** Temporal's statuses of a workflow that ended abnormally. */
const CUT: Record<string, SeenSession['status']> = {
  TERMINATED: 'terminated',
  FAILED: 'failed',
  TIMED_OUT: 'timed_out',
  CANCELLED: 'cancelled',
};

/** The present state, or the final one. @throws AbilityError `session.not_found`, `worker.unavailable`. */
export function showSession(connection: Connection, session: string): Promise<SeenSession> {
  return withServer(connection, async () => {
    const { workflowId, runId, status, closeTime } = await describe(connection, session);
    const cut = CUT[status.name];
    const asked = askWorker<SessionView>(connection, workflowId, QUERIES.session, runId);
    const view = await asked.catch((error: unknown) => {
      // A session that failed before its first message never began.
      throw cut && error instanceof QueryNotRegisteredError ? neverBegun(session, cut) : error;
    });
    // A session that ended by itself reports its end, even if Temporal counts it as failed.
    const tasks = await tasksNow(connection, view.tasks);
    if (!cut || view.ended_at !== null) return { ...view, tasks };
    return { ...view, tasks, status: cut, ended_at: closeTime?.toISOString() ?? null };
  });
}

/** The environment of a session; undefined if it cannot be determined. @throws AbilityError `session.not_found`. */
export function placeOfSession(connection: Connection, session: string): Promise<string | undefined> {
  return withServer(connection, async () => {
    const { memo } = await describe(connection, session);
    return typeof memo?.environment === 'string' ? memo.environment : undefined;
  });
}

/** Ends a session, and waits for the hooks of its end; its open tasks continue. @throws as {@link promptSession}. */
export async function stopSession(connection: Connection, session: string): Promise<SeenSession> {
  await update<void>(connection, session, SESSION_UPDATES.stop);
  return withServer(connection, () => {
    const handle = connection.temporal.workflow.getHandle<() => Promise<SessionView>>(
      sessionIdOf(connection.project, session),
    );
    return connection.temporal.withDeadline(Date.now() + UPDATE_MS, () => handle.result());
  });
}

/** The fixed update id makes a repetition after a restart of the runtime the same update. */
async function update<T>(connection: Connection, session: string, name: string, ...args: [object?]): Promise<T> {
  const id = sessionIdOf(connection.project, checkSessionId(session));
  const options = { args: args as [object], updateId: randomUUID() };
  return asking(connection, async () => {
    try {
      return await keepingRuntime(connection, () =>
        connection.temporal.withDeadline(Date.now() + UPDATE_MS, () =>
          connection.temporal.workflow.getHandle(id).executeUpdate<T, [object]>(name, options),
        ),
      );
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw await whyEnded(connection, session);
      if (error instanceof WorkflowUpdateFailedError) {
        const refused = refusalIn(error);
        throw refused?.code === ENDED_BEFORE_ANSWER ? await whyEnded(connection, session) : (refused ?? error);
      }
      if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) throw unanswered(session, error);
      throw error;
    }
  });
}

async function describe(connection: Connection, session: string): Promise<WorkflowExecutionDescription> {
  const id = sessionIdOf(connection.project, checkSessionId(session));
  const description = await describeIfKnown(connection, id);
  if (description?.type === WORKFLOWS.session) return description;
  throw sessionNotFound(session, connection.project);
}

/** Tells an unknown session from an ended one; the update fails the same way for both. */
async function whyEnded(connection: Connection, session: string): Promise<AbilityError> {
  const { status, runId } = await describe(connection, session);
  if (status.name !== 'FAILED') return sessionStopped(session);
  // If its hooks refused the session, it failed with the reason.
  const end: unknown = await connection.temporal.workflow
    .getHandle(sessionIdOf(connection.project, session), runId)
    .result()
    .catch((error: unknown) => error);
  return (end instanceof WorkflowFailedError && refusalIn(end)) || sessionStopped(session);
}

/** The problem behind a failed session or update; undefined for any other failure. */
function refusalIn(error: Error): AbilityError | undefined {
  const problem = problemIn(error.cause);
  return problem && new AbilityError(problem, { cause: error });
}

function neverBegun(session: string, end: SeenSession['status']): AbilityError {
  return new AbilityError({
    code: 'session.not_found',
    message: `The workflow with the id of the session ${session} was not started by Ability Runtime; it is ${end}`,
    suggestion: 'Start one: ability session start.',
  });
}

function unanswered(session: string, cause: Error): AbilityError {
  const message = `No worker answered for the session ${session} in time`;
  const suggestion = 'Run `ability doctor` to check the worker.';
  return new AbilityError({ code: 'worker.unavailable', message, suggestion }, { cause });
}

async function refuseOther(connection: Connection, { session_id, environment, scope }: SessionStart): Promise<void> {
  const { memo, status } = await describe(connection, session_id);
  if (status.name !== 'RUNNING') throw sessionStopped(session_id);
  if (memo?.environment === environment && memo.scope === scope) return;
  throw new AbilityError({
    code: 'session.key_conflict',
    message: `The session ${session_id} is open in ${String(memo?.environment)}, with the scope ${String(memo?.scope)}`,
    suggestion: 'Choose another id, or leave out --id.',
  });
}

/** The maximum number of open tasks to update; the session updates all with its next turn. */
const MAX_LOOKED_AT = 50;

/** Updates the states of tasks for display; the session itself updates them when prompted or stopped. */
async function tasksNow(connection: Connection, tasks: readonly SessionTask[]): Promise<SessionTask[]> {
  const open = tasks.filter(({ status }) => !isEndState(status)).slice(-MAX_LOOKED_AT);
  const states = new Map(
    await Promise.all(
      open.map(async ({ task_key }) => [task_key, await describedState(connection, task_key)] as const),
    ),
  );
  return tasks.map((task) => ({ ...task, status: states.get(task.task_key) ?? task.status }));
}
