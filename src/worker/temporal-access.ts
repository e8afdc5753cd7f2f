import { setTimeout as wait } from 'node:timers/promises';
import { Client, type ConnectionLike } from '@temporalio/client';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import type { ActivityDependencies, EndedTask, Executions } from '../activities/dependencies.js';
import type { ReadRun, RunRef, RunStart } from '../activities/task/runs.js';
import { QUERIES } from '../contracts/names.js';
import { AbilityError } from '../contracts/problem.js';
import type { PreflightRequest, TaskStart, TaskView } from '../contracts/task.js';
import { isTask, otherProject, projectOf } from '../rules/tasks/task-refusals.js';
import { readTraceparent } from '../rules/traces/trace-context.js';
import { type FoundDeletion, findDeletion, findEarlier } from '../server/temporal/find-deletion.js';
import { grpcErrorOf, isNotFound } from '../server/temporal/grpc-error.js';
import { isServed } from '../server/temporal/is-served.js';
import { type HistoryEvent, isoOf, readStart, type SeenStart } from '../server/temporal/read-start.js';
import { unlessNotFound } from './not-found.js';
import { taskExecutions } from './task-executions.js';

/** For the answer to one query, in turn: a lost one is soon repeated, a long history is replayed in the end. */
const QUERY_MS = [5000, 5000, 10_000, 25_000];
const PAUSE_MS = 500;
const NOT_FOUND = 5;

export interface TemporalAccess {
  client: Client;
  readRun: ReadRun;
  readGiven: ActivityDependencies['readGiven'];
  readEnded: ActivityDependencies['readEnded'];
  findEarlier: ActivityDependencies['findEarlier'];
  findDeletion: (key: string) => Promise<FoundDeletion | undefined>;
  isServed: (queue: string) => Promise<boolean>;
  executions: Executions;
  /** Resolves when a task and those that it called have ended, in whatever way, or at the signal. */
  untilEnded: (task: string, signal: AbortSignal) => Promise<void>;
}

export function accessTemporal(connection: NativeConnection, namespace: string, codec: PayloadCodec): TemporalAccess {
  const client = new Client({
    connection: connection as unknown as ConnectionLike,
    namespace,
    dataConverter: { payloadCodecs: [codec] },
  });
  const executions = taskExecutions(client, namespace);
  return {
    client,
    readRun: (run) => readRun(client, codec, run),
    readGiven: (run) => readGivenOf(client, codec, run),
    readEnded: (key, project) => readEnded(client, codec, key, project),
    findEarlier: (key, run) => findEarlier(client, key, run),
    findDeletion: (key) => findDeletion(client, key),
    isServed: (queue) => isServed(client, namespace, queue),
    executions,
    untilEnded: (task, signal) => untilEnded(client, executions, task, signal),
  };
}

const LOOK_AGAIN_MS = 1000;

async function untilEnded(client: Client, executions: Executions, task: string, signal: AbortSignal): Promise<void> {
  const look = async (): Promise<boolean> => {
    await client.workflow
      .getHandle(task)
      .result()
      .catch(() => {});
    return (await executions.find(task))?.isOpen ?? false;
  };
  while (await client.withAbortSignal(signal, look).catch(() => !signal.aborted)) {
    await wait(LOOK_AGAIN_MS, undefined, { ref: false });
  }
}

/** Origin of a run and what it began with, from its first events. */
export async function readRun(client: Client, codec: PayloadCodec, run: RunRef): Promise<RunStart | undefined> {
  const seen = await seeStart(client, codec, run);
  const event = seen?.first.workflowExecutionStartedEventAttributes;
  if (!event) return undefined;
  const { begun } = seen;
  const trace = begun && (await readTrace(codec, event.memo?.fields?.trace));
  return { ...originOf(run, event), ...(begun && { task: taskOf(begun, trace) }) };
}

type Started = NonNullable<HistoryEvent['workflowExecutionStartedEventAttributes']>;

/** Where a run comes from, as its first event says. */
export function originOf(run: RunRef, event: Started): Omit<RunStart, 'task'> {
  const { parentWorkflowExecution: parent, continuedExecutionRunId, firstExecutionRunId } = event;
  return {
    ...run,
    type: event.workflowType?.name ?? '',
    taskQueue: event.taskQueue?.name ?? '',
    ...(parent?.workflowId && parent.runId && { parent: { workflowId: parent.workflowId, runId: parent.runId } }),
    ...(continuedExecutionRunId && { first: firstExecutionRunId || continuedExecutionRunId }),
    ...(event.eagerExecutionAccepted && { eager: true as const }),
  };
}

function seeStart(client: Client, codec: PayloadCodec, run: RunRef): Promise<SeenStart | undefined> {
  return readStart(client, codec, run).catch((error: unknown) => {
    if (grpcErrorOf(error)?.code === NOT_FOUND) return undefined;
    throw error;
  });
}

/** For a preflight in an activity of its own, which any workflow could request. */
async function readGivenOf(client: Client, codec: PayloadCodec, run: RunRef): Promise<PreflightRequest | undefined> {
  const seen = await seeStart(client, codec, run);
  if (!seen?.given) return undefined;
  const { eventTime, workflowExecutionStartedEventAttributes: started } = seen.first;
  const isOutside = started?.memo?.fields?.ability === undefined;
  return {
    ...seen.given,
    first: started?.firstExecutionRunId || run.runId,
    created_at: isoOf(eventTime) ?? new Date().toISOString(),
    ...(isOutside && { outside: true as const }),
  };
}

function taskOf({ seal, user, session, plan, child, options }: TaskStart, noted: string | undefined): RunStart['task'] {
  const trace = noted ?? readTraceparent(options.trace);
  return { seal, user, session, plan, ...(child && { child: child.ability }), ...(trace !== undefined && { trace }) };
}

/** Ignores an invalid or unreadable trace: it must not fail a task's calls. */
async function readTrace(codec: PayloadCodec, payload: Payload | null | undefined): Promise<string | undefined> {
  if (!payload) return undefined;
  try {
    const [decoded] = await codec.decode([payload]);
    return decoded && readTraceparent(defaultPayloadConverter.fromPayload(decoded));
  } catch {
    return undefined;
  }
}

/** Progress of an ended task, from its history: the server has a worker replay it. */
async function readEnded(client: Client, codec: PayloadCodec, key: string, project: string): Promise<EndedTask> {
  const description = await unlessNotFound(() => client.workflow.getHandle(key).describe());
  if (!description || !isTask(description)) throw notFound(key);
  const holder = projectOf(description);
  if (holder !== project) throw otherProject(key, holder, project);
  const { status, runId } = description;
  if (status.name === 'RUNNING') {
    throw new AbilityError({
      code: 'task.open',
      message: `${key} has not ended, so there is nothing to retry`,
      suggestion: `Wait for it: ability task watch ${key}, or end it: ability task cancel ${key}.`,
    });
  }
  const run = { workflowId: key, runId };
  // Another run may have the key by now.
  const ended = client.workflow.getHandle(key, runId);
  const [start, { progress, files, not_undone }] = await Promise.all([
    readRun(client, codec, run),
    askAgain(client, key, () => ended.query<TaskView>(QUERIES.task)),
  ]);
  if (!start?.task) throw neverFormed(key);
  return { run, plan: start.task.plan, progress, ...(files && { files }), ...(not_undone && { not_undone }) };
}

/**
 * A query to a task that has just ended can get lost between server and worker; a second one is answered. @throws
 * AbilityError `worker.unavailable`.
 */
async function askAgain<T>(client: Client, key: string, ask: () => Promise<T>): Promise<T> {
  let cause: unknown;
  for (const limit of QUERY_MS) {
    try {
      return await client.withDeadline(Date.now() + limit, ask);
    } catch (error) {
      if (!grpcErrorOf(error) || isNotFound(error)) throw error;
      cause = error;
      await wait(PAUSE_MS);
    }
  }
  const why = grpcErrorOf(cause)?.details;
  const message = `No worker has answered what became of ${key}${why ? ` (${why})` : ''}; nothing was started`;
  throw new AbilityError({ code: 'worker.unavailable', message, suggestion: 'Run it again.' }, { cause });
}

function notFound(key: string): AbilityError {
  return new AbilityError({
    code: 'task.not_found',
    message: `Temporal does not know the task ${key}`,
    suggestion: 'Run the ability again; `ability task list` shows what there is.',
  });
}

function neverFormed(key: string): AbilityError {
  return new AbilityError({
    code: 'task.not_found',
    message: `${key} was never formed, so there is nothing to retry`,
    suggestion: `Run the ability again; \`ability why ${key}\` says why it was refused.`,
  });
}
