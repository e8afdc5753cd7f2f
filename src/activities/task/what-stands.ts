import { AbilityError } from '../../contracts/problem.js';
import type { NotUndone, Progress, TaskOptions } from '../../contracts/task.js';
import { askPath, isGroup, isInTurn, isPlain, mainSteps, type StepTree } from '../../rules/steps/step-tree.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';

export type Asked = Omit<NonNullable<TaskOptions['retry']>, 'task'>;

/** A task that is to be retried, as far as it came. */
export interface EarlierTask {
  plan: StepTree;
  progress: Progress;
  /** What it has not undone, in called tasks too. */
  not_undone?: readonly NotUndone[];
}

/** A call that stands or may stand, what is known of it (`asked`: its retry finds out), and why it is asked for. */
interface Doubtful {
  path: string;
  is: 'undone' | 'stands' | 'asked' | undefined;
  why: string;
}

/**
 * The calls of an earlier task by what became of them: undone, as its undo or a person says, or standing, since its
 * undo was denied or a person says so. @throws AbilityError `task.undecided` for calls of which neither is known;
 * `usage.invalid` for a name that is none of them.
 */
export function readStanding(task: EarlierTask, asked: Asked) {
  const { undone = [], stands = [] } = asked;
  const found = [...undoneCalls(task), ...lostCalls(task, asked)];
  const known = [...found, ...inCalled(task)].map(({ path }) => path);
  const strange = [...undone, ...stands].find((path) => !known.includes(path));
  if (strange !== undefined) throw notInDoubt(strange, known);
  const calls = found.map((call): Doubtful => {
    const said = undone.includes(call.path) ? 'undone' : stands.includes(call.path) ? 'stands' : undefined;
    return { ...call, is: said ?? call.is };
  });
  const those = (wanted: Doubtful['is']) => calls.filter(({ is }) => is === wanted);
  if (those(undefined).length > 0) throw notDecided(those(undefined), '--stands');
  return { undone: those('undone').map(({ path }) => path), standing: those('stands').map(({ path }) => path) };
}

/** Refuses a retry that would repeat what stands. @throws AbilityError `task.undecided`. */
export function refuseRepeated(
  task: EarlierTask,
  { undone = [] }: Asked,
  standing: readonly string[],
  isKept: (call: string) => boolean,
): void {
  const own = standing.map((path) => ({ path, why: 'it stands, and its result cannot be kept by itself' }));
  const called = inCalled(task).filter(({ path }) => !undone.includes(path));
  const repeated = [...own, ...called].filter(({ path }) => !isKept(path));
  if (repeated.length > 0) throw notDecided(repeated, undefined);
}

function undoneCalls({ progress }: EarlierTask): Doubtful[] {
  return Object.entries(progress).flatMap(([path, { call = '', status, error }]) => {
    if (!path.endsWith('.undo') || status === 'pending') return [];
    const is = status === 'succeeded' ? 'undone' : status === 'denied' ? 'stands' : undefined;
    const why = `its undo, ${call}, ended ${status.replace('_', ' ')}${error ? ` with ${error.code}` : ''}`;
    return [{ path: path.slice(0, -'.undo'.length), is, why }];
  });
}

/** Calls whose own outcome is not known; a person who names a step to begin with has looked. */
function lostCalls({ plan, progress }: EarlierTask, asked: Asked): Doubtful[] {
  const { from } = asked;
  const said = from === null ? undefined : 'undone';
  const doubts = doubtsOf(progress, asked);
  return mainSteps(plan.steps).flatMap(({ step, path }) => {
    const isLost = step.verb === 'call' && progress[path]?.status === 'unknown';
    const is = doubts[askPath(path)] ? 'asked' : said;
    return isLost ? [{ path, is, why: 'whether it took effect is not known' }] : [];
  });
}

/**
 * The questions that a retry asks about lost calls, by their paths; about those in loops, whose items begin anew, always,
 * unless a person has looked.
 */
export function doubtsOf(progress: Progress, { from, reconcile, undone = [] }: Asked): Progress {
  const doubts = Object.entries(progress).flatMap(([path, { doubt, call }]) => {
    const isAsked = reconcile || (from === null && isInTurn(path) && !undone.some((said) => path === askPath(said)));
    return doubt && isAsked ? [[path, { status: 'pending' as const, doubt, ...defined({ call }) }] as const] : [];
  });
  return Object.fromEntries(doubts);
}

/** @throws AbilityError `task.not_in_doubt` if none of its lost calls can be asked about. */
export function refuseWithoutDoubts(doubts: Progress): void {
  if (Object.keys(doubts).length > 0) return;
  throw new AbilityError({
    code: 'task.not_in_doubt',
    message: 'The task has lost no call that can be asked about',
    suggestion:
      'Such a call is one of the task itself, and its ability has `unknown`. Look whether it took place, then use `ability task retry`.',
  });
}

/** Calls of called tasks that stand or may stand: a retry calls such a task anew, as a whole. */
function inCalled({ not_undone: left = [] }: EarlierTask) {
  return left.flatMap(({ task, path, call, status }) => {
    const [, ...at] = task?.split('/') ?? [];
    const why = `a call of ${task} that ${call} was to undo: ${status}`;
    return task === undefined ? [] : [{ path: [...at, path].join('/'), why }];
  });
}

function notDecided(calls: readonly Omit<Doubtful, 'is'>[], keep: '--stands' | undefined): AbilityError {
  const all = calls.map(({ path }) => path);
  const [first = ''] = all;
  const or = keep === undefined ? '' : `, or ${keep} ${first} if it stands, so that it is not repeated`;
  return new AbilityError({
    code: 'task.undecided',
    message: `A retry might repeat what still stands: ${calls.map(({ path, why }) => `${path} (${why})`).join('; ')}`,
    suggestion: `Look what is there, then say it for each: --undone ${first} if it is not there or was undone by hand, so that it may be repeated${or}.`,
    details: { calls: all },
  });
}

function notInDoubt(path: string, known: readonly string[]): AbilityError {
  const message = `${path} is no call that was to be undone or whose outcome is not known`;
  return new AbilityError({ code: 'usage.invalid', message, suggestion: didYouMean(path, known) });
}

/** Whether a call is the step at a path, or inside of it. */
export function isWithin(path: string): (call: string) => boolean {
  return (call) => call === path || call.startsWith(`${path}/`);
}

interface Beginning {
  kept: Progress;
  earlier: ReadonlyMap<string, string>;
  /** Paths of steps whose definition has not changed. */
  same: ReadonlySet<string>;
  progress: Progress;
  undone: readonly string[];
  /** Calls that are kept although steps before them are repeated. */
  alone: readonly string[];
  from: string | null;
}

/** Where a retry begins and why, in one sentence for people. */
export function describeBeginning(now: StepTree, about: Beginning): string {
  const { kept, alone, from } = about;
  const first = mainSteps(now.steps).find(({ step, path }) => {
    return !kept[path] && !isGroup(step) && !(isPlain(step) && step.verb !== 'approval') && !path.includes('*');
  });
  const keeps = alone.length === 0 ? '' : `; it keeps what stands and was not undone: ${alone.join(', ')}`;
  if (!first) return `Nothing is left to repeat${keeps}`;
  const early = from !== null && first.step.id !== from ? `, before --from ${from}` : '';
  return `It begins at ${first.path}${early}: ${whyThere(first, about)}${keeps}`;
}

function whyThere({ step, path }: { step: { id: string }; path: string }, about: Beginning): string {
  const { earlier, same, progress, undone, from } = about;
  if (step.id === from) return 'as --from says';
  if (undone.some(isWithin(path))) return 'it was undone';
  if (!earlier.has(path)) return 'it is new';
  if (!same.has(path)) return 'its definition has changed';
  const status = progress[path]?.status;
  if (status === undefined || status === 'pending') return 'it had not begun';
  return status === 'succeeded'
    ? 'approvals are asked again, and --from may name it'
    : `it ended ${status.replace('_', ' ')}`;
}
