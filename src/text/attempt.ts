import { AbilityError } from '../contracts/problem.js';

/** What a function returns; where it throws, `otherwise`. For faults that are an answer, such as a missing file. */
export function attempt<T, Otherwise = undefined>(act: () => T, otherwise?: Otherwise): T | Otherwise {
  try {
    return act();
  } catch {
    return otherwise as Otherwise;
  }
}

/** As {@link attempt}, for a refusal only. @param otherwise default: undefined. @throws any other error. */
export function unlessRefused<T, Otherwise = undefined>(
  act: () => T,
  otherwise?: (refusal: AbilityError) => Otherwise,
): T | Otherwise {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return otherwise?.(error) as Otherwise;
  }
}
