import { defaultPayloadConverter } from '@temporalio/common';
import type { TaskStart } from '../../contracts/task.js';
import { aheadOf } from '../../server/temporal/clock-ahead.js';
import { isNotFound } from '../../server/temporal/grpc-error.js';
import { openFailures } from '../../server/temporal/open-failures.js';
import { isoOf, msOf, pagesOf, type SeenStart, startIn, workerTimeOf } from '../../server/temporal/read-start.js';
import type { Connection } from '../connection/connect.js';
import type { HistoryEvent } from '../connection/history-events.js';
import { opened, runBefore } from '../connection/history-events.js';
import { type ReadText, readCalls, type SeenCall } from './read-calls.js';

export interface TaskHistory {
  created_at: string | null;
  /** Of the newest run; null if it was refused, or the store that has it cannot be read from here. */
  start: TaskStart | null;
  /** What it was started with. */
  given: SeenStart['given'] | null;
  calls: SeenCall[];
  /** How far the clock of its worker was ahead of the server's, in milliseconds; absent: not known. */
  clock_ahead?: number;
  /** Whether events are missing, because there are too many. */
  isCut: boolean;
}

const PAGE = 1000;
/** Longer histories are better read in the Temporal UI. */
const MAX_EVENTS = 50_000;

/** Reads all runs of a task. */
export async function readHistory(connection: Connection, id: string): Promise<TaskHistory> {
  const events = await eventsOf(connection, id, undefined);
  const start = await startIn(connection.codec, events, id).catch(() => undefined);
  let isCut = events.length >= MAX_EVENTS;
  for (let runId = runBefore(events[0]); runId !== undefined && !isCut; runId = runBefore(events[0])) {
    const earlier = await eventsOf(connection, id, runId).catch(unlessForgotten);
    events.unshift(...earlier);
    isCut = earlier.length === 0 || events.length >= MAX_EVENTS;
  }
  const [first] = events;
  const { raw } = await connection.temporal.workflow.getHandle(id).describe();
  return {
    created_at: isoOf(first?.eventTime),
    start: start?.begun ?? null,
    given: start?.given ?? null,
    calls: await readCalls(events, openFailures(connection.codec, raw.pendingActivities ?? []), textReader(connection)),
    ...clockIn(events),
    isCut,
  };
}

/** The first local activity began between the begin and the end of a workflow task, by the clock of the server. */
function clockIn(events: readonly HistoryEvent[]): { clock_ahead?: number } {
  const index = events.findIndex((event) => workerTimeOf(event) !== undefined);
  const [begun, ended] = events
    .slice(0, index)
    .slice(-2)
    .map(({ eventTime }) => msOf(eventTime));
  const there = index < 2 ? undefined : workerTimeOf(events[index] as HistoryEvent);
  if (there === undefined || begun === undefined || ended === undefined) return {};
  return { clock_ahead: -aheadOf(there, begun, ended) };
}

/** Temporal may have deleted an earlier run already. */
function unlessForgotten(error: unknown): HistoryEvent[] {
  if (isNotFound(error)) return [];
  throw error;
}

async function eventsOf(connection: Connection, id: string, runId: string | undefined): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  for await (const page of pagesOf(connection.temporal, { workflowId: id, runId }, PAGE)) {
    events.push(...opened(connection.codec, page));
    if (events.length >= MAX_EVENTS) break;
  }
  return events;
}

export function textReader({ codec }: Pick<Connection, 'codec'>): ReadText {
  return async (payload) => {
    const [decoded] = payload ? await codec.decode([payload]) : [];
    const text: unknown = decoded && defaultPayloadConverter.fromPayload(decoded);
    return typeof text === 'string' ? text : undefined;
  };
}
