import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Connection, followEvents as follow, keepingRuntime } from '../client/index.js';
import { TASK_EVENTS, type TaskEvent } from '../contracts/task-events.js';
import { isModelKey } from '../rules/agents.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { answer, operation } from './operation.js';
import { OutputReader } from './read-output.js';
import { SharedOutput, storedLogs } from './shared-output.js';

export const followEvents = operation({
  summary: 'The events of a task from its creation until its end, as they happen (server-sent events).',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}/events',
  input: z.strictObject({ key: fields.key, after: z.string().optional() }),
  headers: {
    after: { name: 'Last-Event-ID', means: 'The last event that was received: only later ones are sent.' },
  },
  streams: 'shared',
  answers: answer(
    'Each `data` is one of these.',
    z.strictObject({
      id: z.string(),
      type: z.enum(TASK_EVENTS),
      time: z.string(),
      data: z.looseObject({}),
    }),
  ),
  run: (project, _, { key, after }, signal) =>
    project.ask(async (connection) => {
      const events = await keepingRuntime(connection, () => follow(connection, key, after, signal), signal);
      return withModelOutput(connection, key, events, signal);
    }),
});

/** Milliseconds between polls of the output while models answer. */
const LOOK_MS = 250;

/**
 * Adds the latest line of model output at each poll, from call logs here or in the shared store: no history has
 * it. Such events repeat the previous id, as a stream cannot resume at them; late listeners miss earlier lines.
 */
export async function* withModelOutput(
  { paths, project, store }: Connection,
  key: string,
  events: AsyncIterable<TaskEvent>,
  signal: AbortSignal,
): AsyncGenerator<TaskEvent, void> {
  const reader = new OutputReader(
    paths.records,
    store.isShared ? new SharedOutput(storedLogs(store, project)) : undefined,
  );
  const open = new Map<string, string | undefined>();
  let last: TaskEvent | undefined;
  const source = events[Symbol.asyncIterator]();
  const take = (): ReturnType<typeof source.next> => {
    const taken = source.next();
    // Prevents an unhandled rejection after the listener has left; `await` still reports the failure.
    taken.catch(() => {});
    return taken;
  };
  try {
    let next = take();
    for (;;) {
      const come = open.size === 0 ? await next : await Promise.race([next, pause()]);
      if (signal.aborted) return;
      yield* last ? newLines(reader, key, open, last) : [];
      if (!come) continue;
      if (come.done) return;
      last = come.value;
      note(open, last);
      yield last;
      next = take();
    }
  } finally {
    await source.return?.();
  }
}

/** Ignores the signal: an aborted one would end each pause at once, and starve everything else. */
async function pause(): Promise<undefined> {
  await sleep(LOOK_MS);
}

/** Tracks which models are answering. */
function note(open: Map<string, string | undefined>, { type, data: { step, call } }: TaskEvent): void {
  if (typeof step !== 'string' || typeof call !== 'string' || !isModelKey(call)) return;
  if (type === 'call.started') open.set(step, undefined);
  if (type === 'call.ended') open.delete(step);
}

function* newLines(
  reader: OutputReader,
  key: string,
  open: Map<string, string | undefined>,
  { id }: TaskEvent,
): Generator<TaskEvent, void> {
  for (const [step, before] of open) {
    const line = reader.lastLine(key, step);
    if (!line || line.text === before) continue;
    open.set(step, line.text);
    yield { id, type: 'model.output', time: line.time, data: { step, text: line.text } };
  }
}
