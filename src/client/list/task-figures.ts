import { taskQueueOf } from '../../contracts/names.js';
import { PLACEMENTS, type Placement } from '../../contracts/placement.js';
import type { EndState } from '../../contracts/states.js';
import { queueFigures } from '../../server/temporal/is-served.js';
import type { Connection } from '../connection/connect.js';
import { asking } from '../connection/temporal-errors.js';
import { type ListedState, stateOf, taskQuery } from './task-query.js';

/** A task that has ended, as far as Temporal's list knows it. */
export interface TaskEnd {
  /** Of its last run, which no other task has. */
  run: string;
  ability: string;
  environment: string;
  status: EndState;
  /** From its start to its end. */
  seconds: number;
}

/** The tasks of one environment that have not ended. */
export interface OpenFigures {
  environment: string;
  open: number;
  /** Of them, and of those that they have called, that wait for people. */
  waitingForApproval: number;
  /** Of those that wait for their turn among tasks with the same key. */
  waitingForTurn: number;
}

/** Temporal's figures for the queue of one placement. */
export interface QueueFigures {
  environment: string;
  placement: Placement;
  /** That polled in the last minute and a half. */
  workers: number;
  /** Calls and turns that no worker has taken yet; undefined where the server does not count them. */
  backlog: number | undefined;
  /** How long the oldest of them waits. */
  backlogSeconds: number | undefined;
}

const PAGE = 500;
/** Ids in one condition. */
const MAX_IDS = 50;

/**
 * The tasks that have ended since a moment, those that others have called left out.
 *
 * @param isKnown whether a run is left out because the caller has it already; each of the others costs a further look.
 */
export async function readEnds(
  connection: Connection,
  since: Date,
  isKnown: (run: string) => boolean = () => false,
): Promise<TaskEnd[]> {
  const query = `${taskQuery(connection.project, {})} AND CloseTime >= '${since.toISOString()}'`;
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

/** Start times of the first runs of tasks that continued as new, by their keys. */
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

/** Counts the open tasks of an environment. */
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

/** Workers and backlog of the queues of an environment. */
export async function readQueues(connection: Connection, environment: string): Promise<QueueFigures[]> {
  const { project, temporal, namespace } = connection;
  return asking(connection, () =>
    Promise.all(
      PLACEMENTS.map(async (placement) => {
        const figures = await queueFigures(temporal, namespace, taskQueueOf(project, environment, placement));
        return { environment, placement, ...figures };
      }),
    ),
  );
}
