import type { Connection } from '../connection/connect.js';
import { type HistoryEvent, lastEvents } from '../connection/history-events.js';
import type { PendingActivity } from '../explain/read-calls.js';

/** Codes after which a task waits for another worker, see `await-key.ts`. */
const FOR_ANOTHER = ['seal.unknown_key', 'engine.unsupported'] as const;
/** Why a worker could not serve a task. */
export type NotServed = (typeof FOR_ANOTHER)[number];

type Failure = PendingActivity['lastFailure'];

/** Newest events among which the last call is. */
const LAST_EVENTS = 20;

/** Why a call was given back by the worker that took it, where another one may serve it. */
export function notServed(failure: Failure): NotServed | undefined {
  return FOR_ANOTHER.find((code) => code === failure?.applicationFailureInfo?.type);
}

/**
 * Finds tasks that wait for a worker which has their key: nothing of them is pending but a timer.
 *
 * Only the end of a history shows it, which is read once for each length.
 */
export class KeyWaits {
  private readonly known = new Map<string, { length: string; code: NotServed | undefined }>();

  constructor(private readonly connection: Connection) {}

  /** @param length of the history. */
  async find(id: string, length: unknown): Promise<NotServed | undefined> {
    const known = this.known.get(id);
    if (known?.length === String(length)) return known.code;
    // It is only shown; what waits for the end finds what is wrong with the server.
    const code = await lastEvents(this.connection, id, LAST_EVENTS).then(lastRefusal, () => undefined);
    this.known.set(id, { length: String(length), code });
    return code;
  }
}

/** @param events the newest first. */
export function lastRefusal(events: readonly HistoryEvent[]): NotServed | undefined {
  for (const event of events) {
    const failure = event.activityTaskFailedEventAttributes?.failure ?? event.markerRecordedEventAttributes?.failure;
    if (failure) return notServed(failure);
    const isLater =
      event.activityTaskScheduledEventAttributes ??
      event.activityTaskCompletedEventAttributes ??
      event.markerRecordedEventAttributes ??
      event.timerFiredEventAttributes;
    if (isLater) return undefined;
  }
  return undefined;
}
