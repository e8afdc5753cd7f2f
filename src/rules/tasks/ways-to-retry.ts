import { type EndState, isEndState, type TaskState } from '../../contracts/states.js';
import { callOfUndo, isLoop, mainSteps, type StepOfKind, type StepTree } from '../steps/step-tree.js';
import { isDirect, isTaskKey, rootOf } from './task-ids.js';

export interface WayToRetry {
  /** Id of the step to begin with; null: the first unfinished one. */
  from: string | null;
  /** A `foreach` where a retry does not begin: begun there or inside, it would repeat finished items. */
  foreach?: string;
  /** The call refused its input, so the definition must be corrected first: a retry reads it anew. */
  corrected?: true;
}

interface ReportedError {
  code?: string;
  step?: string;
  details?: unknown;
}

export interface Retried {
  task: string;
  status: TaskState;
  plan: StepTree | undefined;
  error: ReportedError | null;
}

/** End states that allow a retry; `unknown` does not, since effects may have happened. */
const RETRIED: readonly EndState[] = ['failed', 'denied', 'cancelled', 'timed_out'];

/** Suggests how to continue after a call that an earlier start began. @param root plan of the whole task. */
export function wayOnFrom(root: StepTree, task: string, path: string): string {
  const key = rootOf(task);
  if (isDirect(key)) return 'Then run the ability again, if it is still wanted.';
  const step = stepToRetry(root, task, path);
  return `Then go on: ability task retry ${key}${step === undefined ? '' : ` --from ${step}`}`;
}

/**
 * Undefined if it cannot be retried. Names no step inside a loop, since a retry begins with the first turn: for a
 * `repeat` the loop, whose turns are never reused; for a `foreach` nothing, so that finished items are kept.
 */
export function wayToRetry({ task, status, plan, error }: Retried): WayToRetry | undefined {
  if (!isEndState(status) || !RETRIED.includes(status) || !isTaskKey(task)) return undefined;
  // Whether the call's script could not be rendered from its input: only such errors have `expression`.
  const isRefused = error?.code === 'input.invalid' && textIn(error.details, 'expression') !== undefined;
  // A retry of a single operation would have the same input.
  if (isRefused && plan?.steps.length === 0) return undefined;
  const way = beginning(plan, task, error);
  return isRefused ? { ...way, corrected: true } : way;
}

function beginning(plan: StepTree | undefined, task: string, error: ReportedError | null): WayToRetry {
  // A retry continues from the transcript; from its turns, it would repeat them all.
  if (plan?.agent) return { from: null };
  const path = pathOfError(error);
  if (plan === undefined || path === undefined) return { from: null };
  const step = stepToRetry(plan, taskOfError(error) ?? task, path);
  if (step === undefined) return { from: null };
  const loop = outermostLoop(plan, step);
  if (loop?.verb === 'foreach') return { from: null, foreach: loop.id };
  return { from: loop?.id ?? step };
}

/** Whether a retry can begin with a step: one of the task itself, not of a handler or clean-up. */
export function canBeginAt({ steps }: StepTree, id: string): boolean {
  return mainSteps(steps).some(({ step }) => step.id === id);
}

/** The path of the step in which an error arose, else the step that it names. */
export function pathOfError(error: ReportedError | null): string | undefined {
  return textIn(error?.details, 'path') ?? error?.step;
}

/** The task in which an error arose, if it was a called one. */
export function taskOfError(error: ReportedError | null): string | undefined {
  return textIn(error?.details, 'task');
}

function textIn(details: unknown, name: string): string | undefined {
  const value: unknown = details !== null && typeof details === 'object' ? Reflect.get(details, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The outermost loop around a step, or the step itself if it is a loop. */
function outermostLoop({ steps }: StepTree, id: string): StepOfKind<'loop'> | undefined {
  const all = mainSteps(steps);
  const path = all.find(({ step }) => step.id === id)?.path ?? '';
  const [loop] = path.split('/*');
  const found = all.find((one) => one.path === loop)?.step;
  return isLoop(found) ? found : undefined;
}

/** The step of the task to begin with; undefined for a single operation or a clean-up. */
function stepToRetry({ steps }: StepTree, task: string, path: string): string | undefined {
  const known = new Set(mainSteps(steps).map(({ step }) => step.id));
  const [, ...called] = task.split('/');
  const ids = callOfUndo(path).split('/');
  // Of a called task, only the call is a step that can be retried.
  const candidates = called.length > 0 ? called : ids.toReversed();
  return candidates.find((id) => known.has(id));
}
