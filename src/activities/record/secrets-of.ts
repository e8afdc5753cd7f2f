import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { credentialsOf } from '../../planning/secrets/credentials.js';
import type { SecretSource } from '../secrets.js';

/** The secrets that the operations of a plan are called with, as far as this worker has them. */
export function secretsOf(plan: Plan, source: SecretSource): string[] {
  const references = credentialsOf(plan).map(({ reference }) => reference);
  return [...new Set(references)].flatMap((reference) => {
    try {
      return source.has(reference) ? [source.resolve(reference, 'secret')] : [];
    } catch (error) {
      // A file outside of the project is no secret of a call either.
      if (error instanceof AbilityError) return [];
      throw error;
    }
  });
}
