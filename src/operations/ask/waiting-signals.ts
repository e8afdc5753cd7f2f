import { isAlive } from '../../choosing/decide/focus.js';
import { type Connection, showSession, viewTask } from '../../client/index.js';
import type { Pending } from '../../contracts/routing.js';
import type { SessionThread } from '../../contracts/session.js';
import { isEndState } from '../../contracts/states.js';
import { defined } from '../../text/defined.js';
import type { WantedSignal } from './ask-shapes.js';
import { optionsOf, pendingOf } from './ask-words.js';

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
  text: string,
  { key, pending }: Pick<SessionThread, 'pending'> & { key: string },
): Promise<Pending | null> {
  if (pending && isAlive(pending, key, Date.now())) return pending;
  const { tasks } = await showSession(connection, key);
  const open = tasks.filter(({ status }) => !isEndState(status) && status !== 'unavailable').slice(-MAX_TASKS);
  const waits = await signalsPending(connection, key, ...open.map(({ task_key }) => task_key));
  const plain = text.trim().toLowerCase();
  const isNamed = plain.length > 1 && optionsOf(waits).some((label) => label.toLowerCase().startsWith(plain));
  return isNamed || GOES_ON.test(text) ? waits : null;
}

/**
 * The signals that tasks wait for, as a pending question; null if they wait for none. Each option is labelled with its
 * signal, and with the task where two tasks wait for the same one.
 */
export async function signalsPending(connection: Connection, key: string, ...tasks: string[]): Promise<Pending | null> {
  const wanted = (await Promise.all(tasks.map((task) => signalsOf(connection, task)))).flat();
  const [first] = wanted;
  if (!first) return null;
  const options = wanted.map((one) => {
    const isAlone = wanted.filter(({ signal }) => signal === one.signal).length === 1;
    return { value: { ...one }, label: isAlone ? one.signal : `${one.signal} (${one.task_key})` };
  });
  const task = wanted.every(({ task_key }) => task_key === first.task_key) && { task_key: first.task_key };
  return pendingOf({ key }, { kind: 'workflow_waiting', expects: { options }, ...task });
}

async function signalsOf(connection: Connection, task_key: string): Promise<WantedSignal[]> {
  const { view } = await viewTask(connection, task_key);
  const names = new Map<string, WantedSignal>();
  for (const { for: kind, what, condition } of view?.waits ?? [])
    if (kind === 'signal' && what !== undefined) names.set(what, { task_key, signal: what, ...defined({ condition }) });
  return [...names.values()];
}

/** Undefined for any other kind of option. */
export function signalIn(value: unknown): WantedSignal | undefined {
  const isSignal = typeof value === 'object' && value !== null && 'signal' in value && 'task_key' in value;
  return isSignal ? (value as WantedSignal) : undefined;
}
