import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../../client/index.js';
import type { TaskEvent } from '../../contracts/task-events.js';
import { isModelKey } from '../../rules/agents/model-key.js';
import { OutputReader } from '../cli/output/live/read-output.js';
import { SharedOutput } from '../cli/output/live/shared-output.js';

/** How often the output of models is polled while they answer. Milliseconds. */
const LOOK_MS = 250;

/**
 * The events of a task with the output of its agents' models, line by line, as it is written. No history holds it: it is read from the logs
 * of the calls, on this machine or in the store that workers share. Such an event has the id of the one before it, since a stream cannot
 * resume at it; a late listener gets only the output from then on.
 */
export async function* withModelOutput(
  { paths, project, store }: Connection,
  key: string,
  events: AsyncIterable<TaskEvent>,
  signal: AbortSignal,
): AsyncGenerator<TaskEvent, void> {
  const reader = new OutputReader(paths.records, store.isShared ? new SharedOutput(store, project) : undefined);
  const open = new Map<string, string | undefined>();
  let last: TaskEvent | undefined;
  const source = events[Symbol.asyncIterator]();
  const take = (): ReturnType<typeof source.next> => {
    const taken = source.next();
    // A listener that has left gets no failure; others get it where they await it.
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

/** Not ended by the signal: one that has fired would end each pause at once, and nothing else would get its turn. */
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
