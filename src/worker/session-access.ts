import {
  ApplicationFailure,
  type Client,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { GrantAccess } from '../activities/grants/grant-access.js';
import { findOwnSession, type SessionRuns } from '../activities/session/own-session.js';
import type { SeenTask, SessionAccess } from '../activities/session/session-access.js';
import { ENDED_BEFORE_ANSWER, QUERIES, SESSION_UPDATES, sessionIdOf, WORKFLOWS } from '../contracts/names.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import type { SignedWord, WordAnswer } from '../contracts/session.js';
import { isEndState } from '../contracts/states.js';
import type { TaskView } from '../contracts/task.js';
import { sessionBusy, sessionNotFound, sessionStopped } from '../rules/sessions/session-refusals.js';
import { projectOf } from '../rules/tasks/task-refusals.js';
import { sleep } from '../server/start-timer.js';
import { isBusy } from '../server/temporal/grpc-error.js';

const NOTIFY_MS = 20_000;
/** Between two attempts to reach a session that has too much to do. */
const PAUSE_MS = 200;
const READ_MS = 2000;
const MAX_TRIES = 5;
/** Type of the server's failure of an update that no worker has processed. */
const UNPROCESSED = 'UnprocessedUpdate';

/** @param queues the project's current ones. @param known how the runs of its sessions were started. */
export function accessSessions(
  client: Client,
  project: string,
  queues: () => string[],
  known: SessionRuns,
): SessionAccess & Pick<GrantAccess, 'firstRunOf'> {
  const open = (): OpenSessions => ({ client, project, queues: queues(), known });
  return {
    firstRunOf: (session) => firstOfOpen(session, sessionIdOf(project, session), open()),
    async notify(session, word) {
      const firstExecutionRunId = await firstOfOpen(session, word.session, open());
      try {
        return await client.withDeadline(Date.now() + NOTIFY_MS, () =>
          untilProcessed(session, () =>
            client.workflow
              .getHandle(word.session, undefined, { firstExecutionRunId })
              .executeUpdate<WordAnswer, [SignedWord]>(SESSION_UPDATES.word, { args: [word], updateId: word.mac }),
          ),
        );
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) throw sessionStopped(session);
        throw refusalOf(session, error);
      }
    },
    countStarts: (user, since, except) =>
      countStarts(client, project, { user, since, except: sessionIdOf(project, except) }),
    readTask: (key) => readTask(client, key),
  };
}

/**
 * The server rejects an update whose workflow task ended without it, such as one before the session goes on anew, and
 * more than a few at once. An update is applied once, however often it is sent. @throws AbilityError `session.busy`.
 */
export async function untilProcessed<T>(session: string, send: () => Promise<T>): Promise<T> {
  const end = performance.now() + NOTIFY_MS;
  for (let left = MAX_TRIES - 1; ; left -= 1) {
    try {
      return await send();
    } catch (error) {
      if (isBusy(error) || error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
        const pause = PAUSE_MS * (1 + Math.random());
        if (performance.now() + pause > end) throw sessionBusy(session, error);
        await sleep(pause);
        left += 1;
        continue;
      }
      const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
      if (left === 0 || !(cause instanceof ApplicationFailure) || cause.type !== UNPROCESSED) throw error;
    }
  }
}

interface OpenSessions {
  client: Client;
  project: string;
  queues: string[];
  known: SessionRuns;
}

/**
 * The first run of an open session. Its first events and those of the current run show whose code runs it: another
 * workflow could answer anything, and a run continued from foreign code could report any calls. @throws
 * AbilityError `session.not_found`, `session.stopped`.
 */
async function firstOfOpen(
  session: string,
  id: string,
  { client, project, queues, known }: OpenSessions,
): Promise<string> {
  const description = await client.workflow
    .getHandle(id)
    .describe()
    .catch((error: unknown) => {
      throw error instanceof WorkflowNotFoundError ? sessionNotFound(session, project) : error;
    });
  const { runId, workflowId, status } = description;
  if (projectOf(description) !== project) throw sessionNotFound(session, project);
  const found = await findOwnSession({ workflowId, runId }, queues, known);
  if (!found) throw sessionNotFound(session, project);
  if (status.name !== 'RUNNING') throw sessionStopped(session);
  return found.first ?? runId;
}

/** The client records user and time in each session it starts. Later runs of a session do not count. */
async function countStarts(
  client: Client,
  project: string,
  { user, since, except }: { user: string; since: number; except: string },
): Promise<number> {
  const query = [
    `WorkflowType = '${WORKFLOWS.session}'`,
    `AbilityProject = '${project}'`,
    `StartTime >= '${new Date(since).toISOString()}'`,
  ].join(' AND ');
  const started = new Set<string>();
  for await (const { workflowId, status, memo } of client.workflow.list({ query })) {
    if (workflowId === except || status.name === 'FAILED' || memo?.user !== user) continue;
    if (typeof memo.started === 'string' && Date.parse(memo.started) < since) continue;
    started.add(workflowId);
  }
  return started.size;
}

/** A task's state as reported by its worker, which knows more than Temporal. */
async function readTask(client: Client, key: string): Promise<SeenTask | undefined | null> {
  const handle = client.workflow.getHandle(key);
  try {
    const { status, hooks, progress, ability_id } = await client.withDeadline(Date.now() + READ_MS, () =>
      handle.query<TaskView>(QUERIES.task),
    );
    const calls = Object.entries(progress).flatMap(([path, { call }]) => (call === undefined ? [] : [[path, call]]));
    const children = Object.values(progress).flatMap(({ child }) => (child === undefined ? [] : [child]));
    return {
      status,
      isOpen: !isEndState(status),
      hooks,
      ability: ability_id,
      calls: Object.fromEntries(calls),
      children,
    };
  } catch (error) {
    return error instanceof WorkflowNotFoundError ? undefined : null;
  }
}

/** Converts an update's refusal to an AbilityError; other failures are retried. */
function refusalOf(session: string, error: unknown): unknown {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure) || !cause.type) return error;
  if (cause.type === ENDED_BEFORE_ANSWER) return sessionStopped(session);
  const [problem] = (cause.details ?? []) as [Problem?];
  return new AbilityError(problem ?? { code: cause.type, message: cause.message }, { cause: error });
}
