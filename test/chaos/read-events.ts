import type { Connection } from '../../src/client/index.js';

/** One event of a history, as far as it matters here. */
export interface SeenEvent {
  id: number;
  /** Such as `WorkflowTaskScheduled`. */
  type: string;
  /** For `WorkflowTaskScheduled`: whether it is meant for the worker that has the workflow in its memory. */
  sticky: boolean;
}

const ATTRIBUTES = 'EventAttributes';
const STICKY = 2;

/** The history of a task. */
export async function readEvents(connection: Connection, workflowId: string): Promise<SeenEvent[]> {
  return (await readPages(connection, workflowId, 1000)).flat();
}

/** The history of a task, in the batches in which it was written: a kill can come only between two of them. */
export function readBatches(connection: Connection, workflowId: string): Promise<SeenEvent[][]> {
  // A page holds at least one whole batch, and with this size only one.
  return readPages(connection, workflowId, 1);
}

async function readPages(
  { temporal, namespace }: Connection,
  workflowId: string,
  maximumPageSize: number,
): Promise<SeenEvent[][]> {
  const pages: SeenEvent[][] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await temporal.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId },
      maximumPageSize,
      ...(nextPageToken && { nextPageToken }),
    });
    const events = (page.history?.events ?? []).map((event) => ({
      id: Number(event.eventId),
      type: typeOf(event),
      sticky: event.workflowTaskScheduledEventAttributes?.taskQueue?.kind === STICKY,
    }));
    if (events.length > 0) pages.push(events);
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken);
  return pages;
}

/** Each type has its own attributes, which are named after it. */
function typeOf(event: object): string {
  const set = Object.entries(event).find(([name, value]) => name.endsWith(ATTRIBUTES) && value != null);
  const name = (set?.[0] ?? 'unknown').replace(ATTRIBUTES, '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}
