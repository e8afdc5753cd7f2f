import type { Connection } from '../connection/connect.js';
import { type HistoryEvent, lastEvents } from '../connection/history-events.js';
import type { PendingActivity } from '../explain/read-calls.js';

/** Codes after which a task waits for another worker, see `untilKeyed` in workflows. */
const FOR_ANOTHER = ['seal.unknown_key', 'engine.unsupported'] as const;
export type NotServed = (typeof FOR_ANOTHER)[number];

type Failure = PendingActivity['lastFailure'];

/** This many last events contain the last call. */
const LAST_EVENTS = 20;

/** Why the worker refused the call, if another one may accept it; else undefined. */
export function notServed(failure: Failure): NotServed | undefined {
  return FOR_ANOTHER.find((code) => code === failure?.applicationFailureInfo?.type);
}

/**
 * Finds tasks that wait for a worker with their key, with only a timer pending. Reads the end of the history,
 * which alone shows it, once for each length.
 */
export class KeyWaits {
  private readonly known = new Map<string, { length: string; code: NotServed | undefined }>();

  constructor(private readonly connection: Connection) {}

  /** @param length of the history. */
  async find(id: string, length: unknown): Promise<NotServed | undefined> {
    const known = this.known.get(id);
    if (known?.length === String(length)) return known.code;
    // Only for display; the wait for the end reports errors of the server.
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
