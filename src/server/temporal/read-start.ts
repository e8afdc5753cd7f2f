import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import type { JsonObject } from '../../contracts/json.js';
import { ACTIVITIES } from '../../contracts/names.js';
import type { PreflightAnswer, TaskOptions, TaskStart } from '../../contracts/task.js';
import { continuedStart, readGiven, startOf } from '../../rules/tasks/task-arguments.js';
import { attempt } from '../../text/attempt.js';

type HistoryPage = Awaited<ReturnType<Client['workflowService']['getWorkflowExecutionHistory']>>;

/** One event of a history. */
export type HistoryEvent = NonNullable<NonNullable<HistoryPage['history']>['events']>[number];

type Decode = Pick<PayloadCodec, 'decode'>;

/** Signals and repeated workflow tasks may come before the end of a preflight. */
const PAGE = 50;
const MAX_PAGES = 20;

/** What a run of a task was started with, and what passed preflight; `begun` is absent while none has. */
export interface SeenStart {
  first: HistoryEvent;
  /** Absent if the arguments have another form than ours. */
  given?: { input: JsonObject; options: TaskOptions };
  begun?: TaskStart;
}

/** Reads the first events of a run, up to the end of its preflight. @returns undefined if there are none. */
export async function readStart(client: Client, codec: Decode, run: Execution): Promise<SeenStart | undefined> {
  const events: HistoryEvent[] = [];
  let seen: SeenStart | undefined;
  let pages = 0;
  for await (const page of pagesOf(client, run, PAGE)) {
    events.push(...page);
    seen = await startIn(codec, events, run.workflowId);
    pages += 1;
    if (!seen || seen.begun || pages === MAX_PAGES) break;
  }
  return seen;
}

/** A run; without its id, the newest one. */
interface Execution {
  workflowId: string;
  runId?: string | undefined;
}

/** The events of a run, page by page. @param isReverse the newest first. */
export async function* pagesOf(
  { workflowService, options: { namespace } }: Client,
  { workflowId, runId }: Execution,
  maximumPageSize: number,
  isReverse = false,
): AsyncGenerator<HistoryEvent[], void> {
  const execution = { workflowId, ...(runId !== undefined && { runId }) };
  const read = isReverse ? 'getWorkflowExecutionHistoryReverse' : 'getWorkflowExecutionHistory';
  let nextPageToken: Uint8Array | undefined;
  do {
    const more = nextPageToken && { nextPageToken };
    const page = await workflowService[read]({ namespace, execution, maximumPageSize, ...more });
    yield page.history?.events ?? [];
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken);
}

/** {@link readStart} from events at hand, the first ones of a run. @param task its workflow id. */
export async function startIn(
  codec: Decode,
  events: readonly HistoryEvent[],
  task: string,
): Promise<SeenStart | undefined> {
  const [first] = events;
  const started = first?.workflowExecutionStartedEventAttributes;
  if (!first || !started) return undefined;
  const args = await valuesOf(codec, started.input?.payloads ?? []);
  if (!args) return { first };
  const isContinued = Boolean(started.continuedExecutionRunId) || Boolean(started.parentWorkflowExecution?.workflowId);
  if (args[2] !== undefined && args[2] !== null) {
    const begun = isContinued ? continuedStart(args, task) : undefined;
    return { first, ...(begun && { begun, given: begun }) };
  }
  const given = attempt(() => readGiven(args));
  if (!given) return { first };
  const answer = await findAnswer(codec, events);
  const begun = answer && 'seal' in answer ? startOf(given, answer, task) : undefined;
  return { first, given, ...(begun && { begun }) };
}

/** The answer of the last preflight among a run's first events; undefined while there is none. */
export async function findAnswer(codec: Decode, events: readonly HistoryEvent[]): Promise<PreflightAnswer | undefined> {
  const phases = new Set<string>();
  for (const event of events) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name === 'PreAbilityCreate') phases.add(String(event.eventId));
    const done = event.activityTaskCompletedEventAttributes;
    const payloads =
      payloadsOfMarker(event, ACTIVITIES.preflight) ??
      (done && phases.has(String(done.scheduledEventId)) ? done.result?.payloads : undefined);
    const [answer] = (payloads && (await valuesOf(codec, payloads))) ?? [];
    if (answer !== undefined && !('dedicated' in (answer as object))) return answer as PreflightAnswer;
  }
  return undefined;
}

/** The result of a local activity of this type; undefined for any other event. */
export function payloadsOfMarker(
  { markerRecordedEventAttributes: marker }: HistoryEvent,
  type: string,
): Payload[] | undefined {
  const { data, result } = marker?.details ?? {};
  const [about] = data?.payloads ?? [];
  if (!about || !result?.payloads) return undefined;
  const { activity_type } = defaultPayloadConverter.fromPayload<{ activity_type?: string }>(about);
  return activity_type === type ? result.payloads : undefined;
}

/** When a local activity began, by the clock of its worker, in milliseconds since 1970; undefined for other events. */
export function workerTimeOf({ markerRecordedEventAttributes: marker }: HistoryEvent): number | undefined {
  const [about] = marker?.details?.data?.payloads ?? [];
  const noted =
    about && defaultPayloadConverter.fromPayload<{ original_schedule_time?: HistoryEvent['eventTime'] }>(about);
  return msOf(noted?.original_schedule_time);
}

/** Undefined for values of another form, as of a foreign workflow. */
async function valuesOf(codec: Decode, payloads: Payload[]): Promise<unknown[] | undefined> {
  const decoded = await codec.decode(payloads);
  return attempt(() => decoded.map((payload) => defaultPayloadConverter.fromPayload(payload)));
}

/** A time of the server in milliseconds since 1970; undefined if it is not set. */
export function msOf(time: HistoryEvent['eventTime']): number | undefined {
  return Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6 || undefined;
}

/** A time of the server in ISO 8601; null if it is not set. */
export function isoOf(time: HistoryEvent['eventTime']): string | null {
  const ms = msOf(time);
  return ms === undefined ? null : new Date(ms).toISOString();
}
