import type { Plan } from '../contracts/plan.js';
import { mainSteps } from './inner-steps.js';

/** How people go on after a call that an earlier start of its task has begun. @param root plan of the whole task. */
export function wayOnFrom(root: Plan, task: string, path: string): string {
  const key = task.split('/', 1)[0] as string;
  if (key.includes(':')) return 'Then run the ability again, if it is still wanted.';
  const step = stepToRetry(root, task, path);
  return `Then go on: ability task retry ${key}${step === undefined ? '' : ` --from ${step}`}`;
}

/** The step of the task itself to begin with; none for an operation alone, or a clean-up. */
function stepToRetry({ steps }: Plan, task: string, path: string): string | undefined {
  const known = new Set(mainSteps(steps).map(({ step }) => step.id));
  const [, ...called] = task.split('/');
  const ids = path.replace(/\.undo$/, '').split('/');
  // Of a task that was called, only the call is a step of the one that can be tried again.
  const candidates = called.length > 0 ? called : ids.toReversed();
  return candidates.find((id) => known.has(id));
}
