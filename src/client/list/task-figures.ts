import { type Placement, taskQueueOf } from '../../contracts/names.js';
import type { EndState, ListedState } from '../../contracts/states.js';
import { unattendedOf } from '../../rules/tasks/task-ids.js';
import { queueFigures } from '../../server/temporal/is-served.js';
import type { Connection } from '../connection/connect.js';
import { placementsHere } from '../connection/find-workers.js';
import { asking } from '../connection/temporal-errors.js';
import { stateOf, taskQuery } from './task-query.js';

export interface TaskEnd {
  /** Run id of its last run; unique. */
  run: string;
  ability: string;
  environment: string;
  status: EndState;
  seconds: number;
  /** The schedule that fired it; absent for other tasks. */
  schedule?: string;
}

export interface OpenFigures {
  environment: string;
  open: number;
  /** Includes called tasks. */
  waitingForApproval: number;
  /** Tasks, including called ones, that wait for another task with the same concurrency key. */
  waitingForTurn: number;
}

export interface QueueFigures {
  environment: string;
  placement: Placement;
  /** Workers that polled during the last 90 seconds. */
  workers: number;
  /** Undefined if the server does not count it. */
  backlog: number | undefined;
  backlogSeconds: number | undefined;
}

const PAGE = 500;
const MAX_IDS = 50;

/** Ended since a time, also refused ones, without called tasks. @param isKnown skips known runs; each other costs a request. */
export async function readEnds(
  connection: Connection,
  since: Date,
  isKnown: (run: string) => boolean = () => false,
): Promise<TaskEnd[]> {
  const query = `${taskQuery(connection.project, { refused: true })} AND CloseTime >= '${since.toISOString()}'`;
  return asking(connection, async () => {
    const ended: (TaskEnd & { key: string; start: number; end: number })[] = [];
    for await (const found of connection.temporal.workflow.list({ query, pageSize: PAGE })) {
      const { workflowId, runId, type, searchAttributes, startTime, closeTime } = found;
      if (!closeTime || isKnown(runId)) continue;
      ended.push({
        run: runId,
        ability: type,
        environment: String(searchAttributes.AbilityEnvironment?.[0] ?? ''),
        status: stateOf(found) as EndState,
        seconds: 0,
        ...pickSchedule(workflowId),
        key: workflowId,
        start: startTime.getTime(),
        end: closeTime.getTime(),
      });
    }
    const starts = await earlierStarts(
      connection,
      ended.map(({ key }) => key),
    );
    return ended.map(({ key, start, end, ...task }) => ({
      ...task,
      seconds: (end - Math.min(start, starts.get(key) ?? start)) / 1000,
    }));
  });
}

function pickSchedule(key: string): Pick<TaskEnd, 'schedule'> {
  const { schedule } = unattendedOf(key);
  return schedule === undefined ? {} : { schedule };
}

/** Task key to the start (ms) of its first run; only for tasks that continued as new. */
async function earlierStarts({ temporal }: Connection, keys: readonly string[]): Promise<Map<string, number>> {
  const starts = new Map<string, number>();
  for (let at = 0; at < keys.length; at += MAX_IDS) {
    const ids = keys.slice(at, at + MAX_IDS).map((key) => `'${key}'`);
    const query = `ExecutionStatus = 'ContinuedAsNew' AND WorkflowId IN (${ids.join(', ')})`;
    for await (const { workflowId, startTime } of temporal.workflow.list({ query, pageSize: PAGE })) {
      starts.set(workflowId, Math.min(startTime.getTime(), starts.get(workflowId) ?? Number.POSITIVE_INFINITY));
    }
  }
  return starts;
}

export async function countOpen(connection: Connection, environment: string): Promise<OpenFigures> {
  const { project, temporal } = connection;
  const count = async (filter: { called?: boolean; status?: ListedState[]; query?: string }): Promise<number> =>
    (await temporal.workflow.count(taskQuery(project, { environment, ...filter }))).count;
  return asking(connection, async () => {
    const [open, waitingForApproval, waitingForTurn] = await Promise.all([
      count({ query: "ExecutionStatus = 'Running'" }),
      count({ called: true, status: ['waiting_approval'] }),
      count({ called: true, status: ['waiting'] }),
    ]);
    return {
      environment,
      open: open ?? 0,
      waitingForApproval: waitingForApproval ?? 0,
      waitingForTurn: waitingForTurn ?? 0,
    };
  });
}

export async function readQueues(connection: Connection, environment: string): Promise<QueueFigures[]> {
  const { project, temporal, namespace } = connection;
  return asking(connection, () =>
    Promise.all(
      placementsHere(connection).map(async (placement) => {
        const figures = await queueFigures(temporal, namespace, taskQueueOf(project, environment, placement));
        return { environment, placement, ...figures };
      }),
    ),
  );
}
