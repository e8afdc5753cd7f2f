import { type Connection, showSession, viewTask } from '../../client/index.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Expectation, Pending } from '../../contracts/routing.js';
import type { SessionThread } from '../../contracts/session.js';
import { isEndState } from '../../contracts/states.js';
import type { StepWait } from '../../contracts/task.js';
import type { WantedSignal } from './ask-shapes.js';
import { pendingOf } from './ask-words.js';

/** The maximum number of open tasks of a session to search, newest first. */
const MAX_TASKS = 20;
/** Matches a text that tells a waiting task to continue without naming its signal. */
const GOES_ON =
  /^\W*(?:(?:please|ok|okay|and|now)\b\W*)*(?:continue|proceed|go on|move on|resume|carry on)(?:\W+(?:it|that|please|now))*\W*$/i;

/**
 * What waits for the person: the question of the last answer, else signals of tasks. Signals were not listed, so
 * they count only if the text is the beginning of a label, or says to continue. Source: R-003-01, R-003-04.
 */
export async function pendingIn(
  connection: Connection,
  session: string,
  text: string,
  { pending }: Pick<SessionThread, 'pending'>,
): Promise<Pending | null> {
  if (pending && (pending.until === undefined || Date.parse(pending.until) > Date.now())) return pending;
  const { tasks } = await showSession(connection, session);
  const open = tasks.filter(({ status }) => !isEndState(status) && status !== 'unavailable').slice(-MAX_TASKS);
  const wanted = (await Promise.all(open.map(({ task_key }) => signalsOf(connection, task_key)))).flat();
  if (wanted.length === 0) return null;
  const options = optionsOf(wanted);
  const plain = text.trim().toLowerCase();
  const isNamed = plain.length > 1 && options.some(({ label }) => label.toLowerCase().startsWith(plain));
  return isNamed || GOES_ON.test(text) ? pendingFor(session, options) : null;
}

/** The signals that a task waits for, as a pending question; null if it waits for none. */
export async function signalsPending(connection: Connection, session: string, task: string): Promise<Pending | null> {
  const wanted = await signalsOf(connection, task);
  return wanted.length === 0 ? null : pendingFor(session, optionsOf(wanted));
}

async function signalsOf(connection: Connection, task_key: string): Promise<WantedSignal[]> {
  const { view } = await viewTask(connection, task_key);
  const names = new Map<string, StepWait>();
  for (const wait of view?.waits ?? [])
    if (wait.for === 'signal' && wait.what !== undefined) names.set(wait.what, wait);
  return [...names].map(([signal, { condition }]) => ({
    task_key,
    signal,
    ...(condition !== undefined && { condition }),
  }));
}

type Options = Extract<Expectation, { options: unknown }>['options'];

/** Labels each option with its signal, and with the task where two tasks wait for the same one. */
function optionsOf(wanted: readonly WantedSignal[]): Options {
  return wanted.map((one) => {
    const isAlone = wanted.filter(({ signal }) => signal === one.signal).length === 1;
    const value: JsonObject = { ...one };
    return { value, label: isAlone ? one.signal : `${one.signal} (${one.task_key})` };
  });
}

function pendingFor(key: string, options: Options): Pending {
  const tasks = new Set(options.map(({ value }) => signalIn(value)?.task_key));
  const [task_key] = tasks;
  const of = tasks.size === 1 && task_key !== undefined ? { task_key } : {};
  return pendingOf({ key }, { kind: 'workflow_waiting', expects: { options }, ...of });
}

/** Undefined for any other kind of option. */
export function signalIn(value: unknown): WantedSignal | undefined {
  const isSignal = typeof value === 'object' && value !== null && 'signal' in value && 'task_key' in value;
  return isSignal ? (value as WantedSignal) : undefined;
}
