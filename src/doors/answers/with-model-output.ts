import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../../client/index.js';
import type { TaskEvent } from '../../contracts/task-events.js';
import { isModelKey } from '../../rules/agents/model-key.js';
import { OutputReader } from '../cli/output/live/read-output.js';
import { SharedOutput } from '../cli/output/live/shared-output.js';

/** What models say is looked at so often while they answer. Milliseconds. */
const LOOK_MS = 250;

/**
 * The events of a task with what the models of its agents say, line by line, while they say it. That is in no history: it is
 * read from the logs of the calls, on this machine or in the store that workers share. Such an event has the id of the one
 * before it, since it is no place to go on from; who comes late is sent what is said from then on.
 *
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
    // Who has left hears of no failure; who listens gets it where it is awaited.
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

/** Keeps which models are being asked. */
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
