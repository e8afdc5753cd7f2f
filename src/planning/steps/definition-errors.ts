import { AbilityError, type Problem, type SourceLocation } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf, type Spot } from '../../definitions/spot.js';

/** Several errors of a definition. It reports the first one; `problems` has all of them, in order. */
export class DefinitionErrors extends AbilityError {
  readonly problems: readonly Problem[];

  constructor(errors: readonly [AbilityError, ...AbilityError[]]) {
    super(errors[0].toProblem(), { cause: errors[0] });
    this.problems = errors.map((error) => error.toProblem());
  }
}

/** The error `definition.invalid` at a place of a definition. */
export function invalidAt(spot: Spot, message: string, suggestion?: string): AbilityError {
  const advice = suggestion === undefined ? {} : { suggestion };
  return new AbilityError({ code: 'definition.invalid', message, location: locationOf(spot), ...advice });
}

/** Collects errors, so that the author of a definition sees all of them at once. */
export class ErrorCollector {
  private readonly errors: AbilityError[] = [];

  /** Runs an action; after an error, records it and returns `otherwise`. */
  gather<T>(action: () => T, otherwise: T): T {
    try {
      return action();
    } catch (error) {
      this.keep(error);
      return otherwise;
    }
  }

  /** Records an error. @throws any other than an AbilityError. */
  keep(error: unknown): void {
    if (!(error instanceof AbilityError)) throw error;
    this.errors.push(error);
  }

  /** @throws DefinitionErrors when there were any. */
  throwIfAny(): void {
    const [first, ...others] = this.errors;
    if (first) throw new DefinitionErrors([first, ...others]);
  }
}

/** The error for a name that nothing defines, or that of the file which would. @param key in `broken`. */
export function notThere({ broken }: Registry, key: string, problem: Omit<Problem, 'code'>): AbilityError {
  return new AbilityError(broken.get(key) ?? { code: 'definition.unknown_reference', ...problem });
}

/** Adds a location to an error that has none. */
function placed(error: unknown, spot: Spot): unknown {
  if (!(error instanceof AbilityError) || error.location) return error;
  return new AbilityError({ ...error.toProblem(), location: locationOf(spot) }, { cause: error });
}

/** Runs a check; adds a location to an error that has none. */
export function checkAt<T>(spot: Spot, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw placed(error, spot);
  }
}

/** Runs a check; replaces the location of its error. */
export function relocated<T>(location: SourceLocation | undefined, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    throw new AbilityError({ ...error.toProblem(), location }, { cause: error });
  }
}

/** The problems of a failed action; empty after success. @throws any error other than an AbilityError. */
export function problemsOf(action: () => unknown): readonly Problem[] {
  try {
    action();
    return [];
  } catch (error) {
    if (error instanceof DefinitionErrors) return error.problems;
    if (error instanceof AbilityError) return [error.toProblem()];
    throw error;
  }
}
