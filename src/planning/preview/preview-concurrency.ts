import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { ConcurrencyPreview } from '../../contracts/preview.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { concurrencyKey } from '../steps/concurrency-key.js';
import { foreseeTemplate } from './foresee.js';
import { Foresight } from './foresight.js';

/** The lock of a task, with its key where that is known; null for a task that takes no turn. */
export function previewConcurrency(plan: Plan, input: JsonObject | undefined): ConcurrencyPreview | null {
  if (!plan.concurrency) return null;
  const { key: template, limit, on_busy } = plan.concurrency;
  return { template, limit, on_busy, ...keyOf(template, plan, input) };
}

function keyOf(
  template: string,
  plan: Plan,
  input: JsonObject | undefined,
): { key: string | null; problem: Problem | null } {
  const { is } = foreseeTemplate(template, Foresight.of(plan, input).known);
  if (is === 'open' || !input) return { key: null, problem: null };
  try {
    return { key: concurrencyKey(template, input, plan), problem: null };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return { key: null, problem: error.toProblem() };
  }
}
