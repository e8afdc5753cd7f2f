import { AbilityError } from '../../src/contracts/problem.js';

/** The error that an action throws; any error that is not one of ours fails the test. */
export function errorOf(action: () => unknown): AbilityError {
  try {
    action();
  } catch (error) {
    return asOurs(error);
  }
  throw new Error('it was not refused');
}

/** The error a promise is rejected with. */
export async function errorOfAsync(action: () => Promise<unknown>): Promise<AbilityError> {
  try {
    await action();
  } catch (error) {
    return asOurs(error);
  }
  throw new Error('it was not refused');
}

function asOurs(error: unknown): AbilityError {
  if (error instanceof AbilityError) return error;
  throw error;
}
