import { AbilityError } from '../../contracts/problem.js';
import type { Loaded } from '../../definitions/registry.js';

/** Gives an error without a place the place of what it is about. */
export function placed(error: unknown, from: Loaded<unknown>, path: readonly PropertyKey[]): unknown {
  if (!(error instanceof AbilityError) || error.location) return error;
  return new AbilityError({ ...error.toProblem(), location: from.locate(path) }, { cause: error });
}
