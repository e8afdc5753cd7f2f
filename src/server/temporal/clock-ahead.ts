import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { formatDuration } from '../../rules/duration.js';
import { isUnimplemented } from './grpc-error.js';
import { msOf } from './read-start.js';

/** A smaller difference between two clocks matters to nothing. Milliseconds. */
const APART_MS = 2000;
/** The server refuses to wait for work for less than two seconds. */
const LIMIT_MS = 5000;
const LOOK_MS = 50;
const WORKFLOW_QUEUE = 1;

/**
 * How far the clock here is ahead of the server's, in milliseconds; negative: behind; 0: by less than can be told.
 * The server notes when it was asked for the work of a queue, here one that has none. @returns undefined if it does
 * not say.
 */
export async function clockAhead(client: Client, namespace: string): Promise<number | undefined> {
  const { workflowService } = client;
  const taskQueue = { name: `clock:${randomUUID()}`, kind: WORKFLOW_QUEUE };
  const asked = { namespace, taskQueue, identity: 'ability clock' };
  const done = new AbortController();
  const within = <T>(action: () => Promise<T>): Promise<T> => client.withDeadline(Date.now() + LIMIT_MS, action);
  const before = Date.now();
  const begun = performance.now();
  const poll = client.withAbortSignal(done.signal, () => within(() => workflowService.pollWorkflowTaskQueue(asked)));
  const ended = poll.catch(() => undefined);
  try {
    while (performance.now() - begun < LIMIT_MS) {
      const queue = { namespace, taskQueue, taskQueueType: WORKFLOW_QUEUE };
      const { pollers } = await within(() => workflowService.describeTaskQueue(queue));
      const seen = msOf(pollers?.[0]?.lastAccessTime);
      if (seen !== undefined) return aheadOf(seen, before, before + performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return undefined;
  } catch (error) {
    if (isUnimplemented(error)) return undefined;
    throw error;
  } finally {
    done.abort();
    await ended;
  }
}

/** @param there a moment by one clock that lies between two moments of another. All in milliseconds since 1970. */
export function aheadOf(there: number, before: number, after: number): number {
  return Math.round(there < before ? before - there : Math.min(0, after - there));
}

/** What to say of two clocks; undefined if they agree. @param whose such as "The clock here". */
export function clockWords(whose: string, ahead: number | undefined): string | undefined {
  if (ahead === undefined || Math.abs(ahead) < APART_MS) return undefined;
  const apart = formatDuration(Math.round(Math.abs(ahead) / 1000) * 1000);
  return `${whose} is ${apart} ${ahead > 0 ? 'ahead of' : 'behind'} that of the Temporal server`;
}
