import { z } from 'zod';
import {
  type CallAttempt,
  type OpenTask,
  type Stall,
  type WaitEnd,
  type WaitOptions,
  waitForTask,
} from '../client/index.js';
import type { TaskResult, TaskView } from '../contracts/task.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { answer, operation } from './operation.js';
import { shownResult } from './task-result.js';
import { viewReadable } from './wait-for-result.js';

/** An open task as JSON, with those that it has called and that run, by the path of the step. */
export interface SeenNow {
  view: TaskView;
  called: Record<string, SeenNow>;
  /** Calls that are being retried. */
  attempts: readonly CallAttempt[];
}

/** What happens while a task is watched. The last one is the end. */
export type WatchEvent =
  | { type: 'state'; result: TaskResult; now: SeenNow | null }
  | { type: 'stall'; stall: Stall }
  | ({ type: 'end' } & WaitEnd);

export const watchTask = operation({
  summary: 'The state of a task whenever it may have changed, until it ends or the wait does (server-sent events).',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}/watch',
  input: z.strictObject({
    key: fields.key,
    timeout_ms: z.int().min(0).optional().describe('The longest that it waits (default: unlimited).'),
    approval_ms: z.int().min(0).optional().describe('The longest that it waits for people (default: unlimited).'),
    begins: z.boolean().default(false).describe('Give up if no worker takes it up: it was just started.'),
  }),
  streams: 'own',
  answers: answer(
    'Each `data` is one of these; `end` is the last.',
    z.looseObject({ type: z.enum(['state', 'stall', 'end']) }),
  ),
  run: (project, _, { key, timeout_ms, approval_ms, begins }, signal) =>
    project.ask(async (connection) => {
      await viewReadable(project, connection, key, 'temporal');
      const options = { timeoutMs: timeout_ms, approvalMs: approval_ms, begins, signal };
      return watch((more) => waitForTask(connection, key, { ...options, ...more }));
    }),
});

/** The events of a wait. Of states that nobody has read yet, only the last one is kept. */
async function* watch(
  wait: (more: Pick<WaitOptions, 'onProgress' | 'onStall'>) => Promise<WaitEnd>,
): AsyncGenerator<WatchEvent, void> {
  const events: WatchEvent[] = [];
  let wake = (): void => {};
  let failure: { error: unknown } | undefined;
  const push = (event: WatchEvent): void => {
    if (event.type === 'state' && events.at(-1)?.type === 'state') events.pop();
    events.push(event);
    wake();
  };
  wait({
    onProgress: (result, now) => push({ type: 'state', result, now: now ? seenNow(now, now.attempts) : null }),
    onStall: (stall) => push({ type: 'stall', stall }),
  }).then(
    (end) => push({ type: 'end', ...end, ...(end.result && { result: shownResult(end.result) }) } as WatchEvent),
    (error: unknown) => {
      failure = { error };
      wake();
    },
  );
  for (;;) {
    for (let event = events.shift(); event; event = events.shift()) {
      yield event;
      if (event.type === 'end') return;
    }
    if (failure) throw failure.error;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

function seenNow({ view, called }: OpenTask, attempts: readonly CallAttempt[]): SeenNow {
  const inner = [...called].map(([path, task]) => [path, seenNow(task, [])] as const);
  return { view, called: Object.fromEntries(inner), attempts };
}
