import { AbilityError } from '../../contracts/problem.js';
import type { NotUndone, Progress, StepProgress, TaskOptions } from '../../contracts/task.js';
import type { StepTree } from '../../rules/steps/find-step.js';
import { mainSteps } from '../../rules/steps/inner-steps.js';
import { isGroup, isPlain } from '../../rules/steps/step-kinds.js';
import { didYouMean } from '../../text/nearest.js';

type Retry = NonNullable<TaskOptions['retry']>;
type Asked = Omit<Retry, 'task'>;

interface Earlier {
  plan: StepTree;
  progress: Progress;
  not_undone?: readonly NotUndone[];
}

/** A call that stands, or may stand, and why. */
interface Doubtful {
  path: string;
  why: string;
}

/**
 * The calls of an earlier task by what became of them: undone, as its undo or a person says, or standing, since its
 * undo was denied or a person says so. @throws AbilityError `retry.undecided` for calls of which neither is known;
 * `usage.invalid` for a name that is none of them.
 */
export function readStanding(task: Earlier, asked: Asked): { undone: string[]; standing: string[] } {
  const { undone: saidUndone = [], stands: saidStands = [] } = asked;
  const undos = Object.entries(task.progress).filter(([path, { status }]) => isUndo(path) && status !== 'pending');
  const calls = undos.map(([path, entry]) => ({ path: path.slice(0, -'.undo'.length), entry }));
  const lost = asked.from === null ? lostCalls(task) : [];
  const called = inCalled(task);
  const known = [...calls, ...lost, ...called].map(({ path }) => path);
  const strange = [...saidUndone, ...saidStands].find((path) => !known.includes(path));
  if (strange !== undefined) throw notInDoubt(strange, known);
  const isSaid = ({ path }: { path: string }): boolean => saidUndone.includes(path) || saidStands.includes(path);
  const open = calls.filter(
    (call) => call.entry.status !== 'succeeded' && call.entry.status !== 'denied' && !isSaid(call),
  );
  const undecided = [
    ...open.map(({ path, entry }) => ({ path, why: whyOpen(entry) })),
    ...lost.filter((one) => !isSaid(one)),
  ];
  if (undecided.length > 0) throw notDecided(undecided, '--stands');
  const isUndone = ({ path, entry }: (typeof calls)[number]): boolean =>
    saidUndone.includes(path) || (entry.status === 'succeeded' && !saidStands.includes(path));
  const standing = [
    ...calls.filter((call) => !isUndone(call)),
    ...lost.filter(({ path }) => saidStands.includes(path)),
  ];
  return { undone: calls.filter(isUndone).map(({ path }) => path), standing: standing.map(({ path }) => path) };
}

/** Refuses a retry that would repeat what stands. @param standing calls that cannot be kept. @throws AbilityError. */
export function refuseRepeated(task: Earlier, { undone = [] }: Asked, standing: readonly string[]): void {
  const own = standing.map((path) => ({ path, why: 'it stands, and its result cannot be kept by itself' }));
  const repeated = [...own, ...inCalled(task).filter(({ path }) => !undone.includes(path))];
  if (repeated.length > 0) throw notDecided(repeated, undefined);
}

/** Calls of called tasks that stand or may stand: a retry calls such a task anew, as a whole. */
function inCalled({ not_undone: left = [] }: Earlier): Doubtful[] {
  return left.flatMap(({ task, path, call, status }) => {
    if (task === undefined) return [];
    const [, ...at] = task.split('/');
    return [{ path: [...at, path].join('/'), why: `a call of ${task} that ${call} was to undo: ${status}` }];
  });
}

/** Calls whose own outcome is not known. */
function lostCalls({ plan, progress }: Earlier): Doubtful[] {
  return mainSteps(plan.steps).flatMap(({ step, path }) => {
    const isLost = step.verb === 'call' && progress[path]?.status === 'unknown';
    return isLost ? [{ path, why: 'whether it took effect is not known' }] : [];
  });
}

function isUndo(path: string): boolean {
  return path.endsWith('.undo');
}

function whyOpen({ call = '', status, error }: StepProgress): string {
  return `its undo, ${call}, ended ${status.replace('_', ' ')}${error ? ` with ${error.code}` : ''}`;
}

function notDecided(calls: readonly Doubtful[], keep: '--stands' | undefined): AbilityError {
  const all = calls.map(({ path }) => path);
  const [first = ''] = all;
  const or = keep === undefined ? '' : `, or ${keep} ${first} if it stands, so that it is not repeated`;
  return new AbilityError({
    code: 'retry.undecided',
    message: `A retry might repeat what still stands: ${calls.map(({ path, why }) => `${path} (${why})`).join('; ')}`,
    suggestion: `Look what is there, then say it for each: --undone ${first} if it is not there or was undone by hand, so that it may be repeated${or}.`,
    details: { calls: all },
  });
}

function notInDoubt(path: string, known: readonly string[]): AbilityError {
  const message = `${path} is no call that was to be undone or whose outcome is not known`;
  return new AbilityError({ code: 'usage.invalid', message, suggestion: didYouMean(path, known) });
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
  if (undone.some((call) => call === path || call.startsWith(`${path}/`))) return 'it was undone';
  if (!earlier.has(path)) return 'it is new';
  if (!same.has(path)) return 'its definition has changed';
  const status = progress[path]?.status;
  if (status === undefined || status === 'pending') return 'it had not begun';
  return status === 'succeeded'
    ? 'approvals are asked again, and --from may name it'
    : `it ended ${status.replace('_', ' ')}`;
}
