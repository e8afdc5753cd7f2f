import {
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  setDefaultSignalHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import { SIGNALS } from '../../contracts/names.js';
import type { ReceivedSignal, TaskArguments, TaskStart } from '../../contracts/task.js';
import { nextArguments } from '../../rules/tasks/task-arguments.js';

/**
 * Continues on the queue where the plan is placed, which a client without definitions cannot know. Signals that came
 * during the preflight go along. Throws ContinueAsNew.
 */
export async function moveTask(start: TaskStart, taskQueue: string): Promise<never> {
  const { run, paused, signals } = await takeSignals();
  const next: TaskStart = {
    ...start,
    run: start.run || run,
    created_at: workflowInfo().startTime.toISOString(),
    ...((paused || signals.length > 0) && { changed: { changes: [], applied: [], signals, paused } }),
  };
  const goOn = makeContinueAsNewFunc<(...args: TaskArguments) => Promise<never>>({ taskQueue });
  return goOn(...nextArguments(next));
}

const OWN: ReadonlySet<string> = new Set(Object.values(SIGNALS));

/** The SDK keeps those without a handler, but only as long as this run. Decisions have no approval yet. */
async function takeSignals(): Promise<{ run: boolean; paused: boolean; signals: ReceivedSignal[] }> {
  const taken = { run: false, paused: false, signals: [] as ReceivedSignal[] };
  setDefaultSignalHandler((name, payload) => {
    if (name === SIGNALS.run) taken.run = true;
    if (name === SIGNALS.pause || name === SIGNALS.resume) taken.paused = name === SIGNALS.pause;
    if (!OWN.has(name)) taken.signals.push({ name, payload: (payload ?? null) as Json });
  });
  if (!allHandlersFinished()) await condition(allHandlersFinished);
  return taken;
}
