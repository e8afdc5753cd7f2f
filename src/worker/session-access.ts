import { ApplicationFailure, type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import type { SeenTask, SessionAccess } from '../activities/session/session-access.js';
import { QUERIES, SESSION_UPDATES, taskQueueOf, WORKFLOWS } from '../contracts/names.js';
import { PLACEMENTS } from '../contracts/placement.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import type { SignedWord, WordAnswer } from '../contracts/session.js';
import { isEndState } from '../contracts/states.js';
import type { TaskView } from '../contracts/task.js';
import { projectOf } from '../rules/other-project.js';
import { sessionNotFound, sessionStopped } from '../rules/session-refusals.js';

const TELL_MS = 20_000;
const READ_MS = 2000;

/** Reaches the sessions of a project over a client. @param environments those that the project has at the moment. */
export function accessSessions(client: Client, project: string, environments: () => string[]): SessionAccess {
  return {
    async tell(session, word) {
      await refuseEnded(client, session, word, queuesOf(project, environments()), project);
      try {
        return await client.withDeadline(Date.now() + TELL_MS, () =>
          client.workflow
            .getHandle(word.session)
            .executeUpdate<WordAnswer, [SignedWord]>(SESSION_UPDATES.word, { args: [word], updateId: word.mac }),
        );
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) throw sessionStopped(session);
        throw refusalOf(error);
      }
    },
    readTask: (key) => readTask(client, key),
  };
}

function queuesOf(project: string, environments: string[]): string[] {
  return environments.flatMap((name) => PLACEMENTS.map((placement) => taskQueueOf(project, name, placement)));
}

/** Whose code runs a session its type and queue tell; another workflow would answer what it likes. */
async function refuseEnded(
  client: Client,
  session: string,
  word: SignedWord,
  queues: string[],
  project: string,
): Promise<void> {
  const description = await client.workflow
    .getHandle(word.session)
    .describe()
    .catch((error: unknown) => {
      throw error instanceof WorkflowNotFoundError ? sessionNotFound(session, project) : error;
    });
  const { type, taskQueue, status } = description;
  if (type !== WORKFLOWS.session || !queues.includes(taskQueue) || projectOf(description) !== project)
    throw sessionNotFound(session, project);
  if (status.name !== 'RUNNING') throw sessionStopped(session);
}

/** How a task stands, as its worker tells; Temporal alone tells less. */
async function readTask(client: Client, key: string): Promise<SeenTask | undefined | null> {
  const handle = client.workflow.getHandle(key);
  try {
    const { status, hooks, progress } = await client.withDeadline(Date.now() + READ_MS, () =>
      handle.query<TaskView>(QUERIES.task),
    );
    const calls = Object.entries(progress).flatMap(([path, { call }]) => (call === undefined ? [] : [[path, call]]));
    return { status, isOpen: !isEndState(status), hooks, calls: Object.fromEntries(calls) };
  } catch (error) {
    return error instanceof WorkflowNotFoundError ? undefined : null;
  }
}

/** What an update was refused with, as our error; other failures are tried again. */
function refusalOf(error: unknown): unknown {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure) || !cause.type) return error;
  const [problem] = (cause.details ?? []) as [Problem?];
  return new AbilityError(problem ?? { code: cause.type, message: cause.message }, { cause: error });
}
