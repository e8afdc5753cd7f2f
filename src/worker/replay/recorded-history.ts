import type { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

/** The events of one run, as Temporal has them. */
export type History = Parameters<typeof historyToJSON>[0];

/** One event of a history. */
export type HistoryEvent = NonNullable<History['events']>[number];

/** One run of a workflow, as it was recorded. */
export interface RecordedHistory {
  /** What it is called in a report: a file, or a task key. */
  name: string;
  workflowId: string;
  history: History;
  /** Values that its payloads refer to by digest, where they came along with it. */
  stored?: ReadonlyMap<string, Uint8Array>;
}

/** What Temporal calls an event, such as `ActivityTaskScheduled`. */
export function typeOf(event: HistoryEvent): string {
  const [key] = Object.entries(event).find(([name, value]) => value && name.endsWith(ATTRIBUTES)) ?? ['unknown'];
  const name = key.replace(ATTRIBUTES, '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const ATTRIBUTES = 'EventAttributes';

/** Number of an event in its history, counted from 1. */
export function idOf(event: HistoryEvent): number {
  return Number(event.eventId);
}
