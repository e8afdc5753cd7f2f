import { type EndState, isEndState, type TaskState } from '../../contracts/states.js';
import type { StepTree } from '../steps/find-step.js';
import { mainSteps } from '../steps/inner-steps.js';
import { isLoop, type StepOfKind } from '../steps/verbs.js';

/** How a task that has ended can be retried. */
export interface WayToRetry {
  /** Id of the step to begin with; null: the first that was not done. */
  from: string | null;
  /**
   * Id of the `foreach` that no step is named of: begun without one, a retry takes its items over that are done; begun at the
   * loop, or at a step in it, it does them all again.
   */
  foreach?: string;
  /** The call refused its input, so the definition must be corrected first: a retry reads it anew. */
  corrected?: true;
}

/** The parts of an error that show where it arose. */
interface ToldError {
  code?: string;
  step?: string;
  details?: unknown;
}

/** Facts about a task that may be retried. */
export interface Retried {
  /** Workflow id. */
  task: string;
  status: TaskState;
  /** Plan of the task; undefined if unreadable. */
  plan: StepTree | undefined;
  error: ToldError | null;
}

/** Ends that allow a retry. Effects that may have taken place are not repeated unseen. */
const RETRIED: readonly EndState[] = ['failed', 'denied', 'cancelled', 'timed_out'];

/** How people go on after a call that an earlier start of its task has begun. @param root plan of the whole task. */
export function wayOnFrom(root: StepTree, task: string, path: string): string {
  const key = task.split('/', 1)[0] as string;
  if (key.includes(':')) return 'Then run the ability again, if it is still wanted.';
  const step = stepToRetry(root, task, path);
  return `Then go on: ability task retry ${key}${step === undefined ? '' : ` --from ${step}`}`;
}

/**
 * Whether and how a task can be retried; undefined: it cannot.
 *
 * A step inside a loop is never named, since a retry can only begin with the first turn: for a `repeat`, whose turns
 * are never reused, the loop is named, and for a `foreach` nothing, so that finished items are kept.
 */
export function wayToRetry({ task, status, plan, error }: Retried): WayToRetry | undefined {
  if (!isEndState(status) || !RETRIED.includes(status) || /[:/]/.test(task)) return undefined;
  const isRefused = isRefusedText(error);
  // Called by itself an operation gets the input of the task, which a retry has as well.
  if (isRefused && plan?.steps.length === 0) return undefined;
  const way = beginning(plan, task, error);
  return isRefused ? { ...way, corrected: true } : way;
}

function beginning(plan: StepTree | undefined, task: string, error: ToldError | null): WayToRetry {
  // It continues from its transcript; a retry from its turns would repeat all of them.
  if (plan?.agent) return { from: null };
  const path = pathOfError(error);
  const step = plan && path !== undefined ? stepToRetry(plan, taskOfError(error) ?? task, path) : undefined;
  if (plan === undefined || step === undefined || !canBeginAt(plan, step)) return { from: null };
  const loop = outermostLoop(plan, step);
  if (loop?.verb === 'foreach') return { from: null, foreach: loop.id };
  return { from: loop?.id ?? step };
}

/** Whether a retry can begin with a step: one of the task itself, not of a handler or clean-up. */
export function canBeginAt({ steps }: StepTree, id: string): boolean {
  return mainSteps(steps).some(({ step }) => step.id === id);
}

/** The path of the step in which an error arose, else the step that it names. */
export function pathOfError(error: ToldError | null): string | undefined {
  return textIn(error?.details, 'path') ?? error?.step;
}

/** The task in which an error arose, if it was a called one. */
export function taskOfError(error: ToldError | null): string | undefined {
  return textIn(error?.details, 'task');
}

/** Whether a text of a script could not be written from its input: only those errors name place and expression. */
function isRefusedText(error: ToldError | null): boolean {
  return error?.code === 'input.invalid' && textIn(error.details, 'expression') !== undefined;
}

function textIn(details: unknown, name: string): string | undefined {
  const value: unknown = details !== null && typeof details === 'object' ? Reflect.get(details, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The loop around a step that no other one is around, or the step itself. */
function outermostLoop({ steps }: StepTree, id: string): StepOfKind<'loop'> | undefined {
  const all = mainSteps(steps);
  const path = all.find(({ step }) => step.id === id)?.path ?? '';
  const [loop] = path.split('/*');
  const found = all.find((one) => one.path === loop)?.step;
  return isLoop(found) ? found : undefined;
}

/** The step of the task itself to begin with; none for an operation alone, or a clean-up. */
function stepToRetry({ steps }: StepTree, task: string, path: string): string | undefined {
  const known = new Set(mainSteps(steps).map(({ step }) => step.id));
  const [, ...called] = task.split('/');
  const ids = path.replace(/\.undo$/, '').split('/');
  // For a called task, only the call is a step of the task that can be retried.
  const candidates = called.length > 0 ? called : ids.toReversed();
  return candidates.find((id) => known.has(id));
}
