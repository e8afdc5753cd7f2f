import type { StepsDone } from '../../contracts/calls-made.js';
import type { Plan } from '../../contracts/plan.js';
import type { TaskRecord } from '../../contracts/record.js';
import { Masker } from '../../planning/secrets/masking/masker.js';
import type { SecretSource } from '../secrets.js';
import { CutValues } from './cut-values.js';
import { secretsOf } from './secrets-of.js';

/** What became of the steps of a task that call nothing, as its record tells it. @returns nothing where none came up. */
export function recordSteps(
  done: StepsDone | undefined,
  plan: Plan,
  secrets: (environment: string) => SecretSource,
): Pick<TaskRecord, 'steps' | 'steps_left_out'> {
  if (!done) return {};
  const values = new CutValues(new Masker(secretsOf(plan, secrets(plan.environment.name))));
  const steps = done.listed.map(({ path, verb, status, gave, error }) => ({
    path,
    verb,
    status,
    ...(gave && { gave: values.cut(gave) }),
    ...(error && { error: { code: error.code, message: values.masker.mask(error.message) } }),
  }));
  return { steps, ...(done.left_out > 0 && { steps_left_out: done.left_out }) };
}
