import { AbilityError } from '../../../contracts/problem.js';

/** What a function returns; what `otherwise` makes of an AbilityError that it throws. Other errors are thrown on. */
export function unlessRefused<T, Otherwise>(
  act: () => T,
  otherwise: (error: AbilityError) => Otherwise,
): T | Otherwise {
  try {
    return act();
  } catch (error) {
    if (error instanceof AbilityError) return otherwise(error);
    throw error;
  }
}
