import { AbilityError } from '../../contracts/problem.js';
import type { TaskResult } from '../../contracts/task.js';

/**
 * For doors that answer a refusal of preflight as the error of the request. @returns any other result.
 * @throws AbilityError the refusal.
 */
export function refuseUnformed(result: TaskResult): TaskResult {
  if (result.status === 'unavailable' && result.error) throw new AbilityError(result.error);
  return result;
}
