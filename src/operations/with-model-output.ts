import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../client/index.js';
import type { TaskEvent } from '../contracts/task-events.js';
import { isModelKey } from '../rules/agents/model-key.js';
import { OutputReader } from './read-output.js';
import { SharedOutput, storedLogs } from './shared-output.js';

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
