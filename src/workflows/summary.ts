import type { Plan, PlanStep } from '../contracts/plan.js';
import { isStepEnd, type StepStatus } from '../contracts/states.js';
import type { Progress, StepProgress, StepSummary, TurnCount } from '../contracts/task.js';

/** A result lists every step, so what each one says of its error is short; the error of the task is whole. */
const MOST_OF_A_MESSAGE = 300;

/** Of several turns, the status that tells most stands for all. */
const TELLING: readonly StepStatus[] = [
  'running',
  'waiting',
  'unknown',
  'denied',
  'timed_out',
  'failed',
  'cancelled',
  'succeeded',
  'pending',
  'skipped',
];

/**
 * The steps as a result lists them: one row a step of the plan, whatever number of turns it ran.
 *
 * Those that did not run are `skipped` once the task has ended. What took calls back has rows of its own.
 */
export function summarize(
  plan: Plan,
  listed: readonly { step: PlanStep; path: string }[],
  progress: Progress,
  isEnded: boolean,
): StepSummary[] {
  if (plan.ability.kind === 'operation') return [summaryOf('run', 'run', plan.ability.id, progress.run, isEnded)];
  const turns = countTurns(progress);
  const undone = Object.entries(progress).filter(([path, { status }]) => isUndo(path) && status !== 'pending');
  return [
    ...listed.map(({ step, path }) => {
      const call = step.verb === 'call' ? step.call : null;
      if (!path.includes('*')) return summaryOf(step.id, path, call, progress[path], isEnded);
      return summaryOfTurns(step.id, path, call, turns.get(path), isEnded);
    }),
    ...undone.map(([path, entry]) => {
      return summaryOf(path.slice(path.lastIndexOf('/') + 1), path, entry.call ?? null, entry, isEnded);
    }),
  ];
}

function summaryOf(
  id: string,
  path: string,
  call: string | null,
  entry: StepProgress | undefined,
  isEnded: boolean,
): StepSummary {
  const { status = isEnded ? 'skipped' : 'pending', attempts = 0 } = entry ?? {};
  return { id, path, call, status, attempts, duration_ms: (entry && durationOf(entry)) ?? null, ...errorOf(entry) };
}

function summaryOfTurns(
  id: string,
  path: string,
  call: string | null,
  count: TurnCount | undefined,
  isEnded: boolean,
): StepSummary {
  if (!count) return { ...summaryOf(id, path, call, undefined, isEnded), turns: 0 };
  const { duration_ms, ...rest } = count;
  return { id, path, call, duration_ms: isStepEnd(count.status) ? duration_ms : null, ...rest };
}

/** What a step that did not succeed says of its error; one that a handler dealt with says nothing. */
function errorOf(entry: StepProgress | undefined): Pick<StepSummary, 'error'> {
  if (!entry?.error || entry.status === 'succeeded') return {};
  const { code, message } = entry.error;
  return { error: { code, message: message.slice(0, MOST_OF_A_MESSAGE) } };
}

/** How long a step took, in milliseconds; null while that is not known. */
export function durationOf({ started_at, finished_at, duration_ms }: StepProgress): number | null {
  if (duration_ms !== undefined) return duration_ms;
  return started_at && finished_at ? Date.parse(finished_at) - Date.parse(started_at) : null;
}

/** Adds up the turns of every step in a loop, by its path with `*` for the numbers. */
function countTurns(progress: Progress): Map<string, TurnCount> {
  const counts = new Map<string, TurnCount>();
  for (const [path, entry] of Object.entries(progress)) {
    for (const [inner, count] of Object.entries(entry.turns ?? {})) addTurns(counts, inner, count);
    if (/\/\d+\//.test(path) && !isUndo(path)) addTurns(counts, generalPath(path), turnOf(entry));
  }
  return counts;
}

/** Whether an entry is about taking a call back. */
export function isUndo(path: string): boolean {
  return path.endsWith('.undo');
}

/** Drops the entries of a turn that is done, and adds them to what the entry of its loop counts. */
export function foldTurn(progress: Progress, loop: StepProgress, paths: Iterable<string>): void {
  const counts = new Map(Object.entries(loop.turns ?? {}));
  for (const path of paths) {
    const entry = progress[path];
    if (!entry) continue;
    addTurns(counts, generalPath(path), turnOf(entry));
    for (const [inner, count] of Object.entries(entry.turns ?? {})) addTurns(counts, inner, count);
    delete progress[path];
  }
  loop.turns = Object.fromEntries(counts);
}

/** One entry as a count of one. */
function turnOf(entry: StepProgress): TurnCount {
  return {
    turns: entry.status === 'skipped' ? 0 : 1,
    attempts: entry.attempts ?? 0,
    duration_ms: durationOf(entry) ?? 0,
    status: entry.status,
    ...errorOf(entry),
  };
}

/** A path with `*` in place of the numbers of turns. */
function generalPath(path: string): string {
  return path.replaceAll(/\/\d+(?=\/)/g, '/*');
}

/** Adds one count to those of its path. */
function addTurns(counts: Map<string, TurnCount>, path: string, added: TurnCount): void {
  const before = counts.get(path);
  if (!before) counts.set(path, { ...added });
  else {
    before.turns += added.turns;
    before.attempts += added.attempts;
    before.duration_ms += added.duration_ms;
    if (TELLING.indexOf(added.status) >= TELLING.indexOf(before.status)) return;
    before.status = added.status;
    if (added.error) before.error = added.error;
  }
}
