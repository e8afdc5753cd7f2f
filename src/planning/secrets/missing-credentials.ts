import type { Plan } from '../../contracts/plan.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { credentialsOf } from './credentials.js';
import type { SecretSource } from './secret-source.js';

/** The credentials of a plan that are not there, or that lead out of the project; each reference once. */
export function missingCredentials(plan: Plan, secrets: SecretSource): Problem[] {
  const problems = new Map<string, Problem>();
  for (const { reference, what } of credentialsOf(plan)) {
    try {
      secrets.resolve(reference, what);
    } catch (error) {
      if (!(error instanceof AbilityError)) throw error;
      problems.set(reference, error.toProblem());
    }
  }
  return [...problems.values()];
}
