import { AbilityError, type Problem, type SourceLocation } from '../../contracts/problem.js';
import type { Loaded } from '../../definitions/registry.js';

/** Several errors of one definition; as an error it is the first of them, and `problems` has them all, in order. */
export class DefinitionErrors extends AbilityError {
  readonly problems: readonly Problem[];

  constructor(errors: readonly [AbilityError, ...AbilityError[]]) {
    super(errors[0].toProblem(), { cause: errors[0] });
    this.problems = errors.map((error) => error.toProblem());
  }
}

/** Collects errors, so that the author of a definition sees them at once and not one a time. */
export class ErrorCollector {
  private readonly errors: AbilityError[] = [];

  /** Runs an action; its error is recorded, and `otherwise` replaces its result. */
  gather<T>(action: () => T, otherwise: T): T {
    try {
      return action();
    } catch (error) {
      this.keep(error);
      return otherwise;
    }
  }

  /** Keeps an error. @throws any that is no AbilityError. */
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

/** Adds the place of its subject to an error without a place. */
export function placed(error: unknown, from: Loaded<unknown>, path: readonly PropertyKey[]): unknown {
  if (!(error instanceof AbilityError) || error.location) return error;
  return new AbilityError({ ...error.toProblem(), location: from.locate(path) }, { cause: error });
}

/** Runs a check of a value at a place, which its error gets unless it has one. */
export function checkAt<T>(from: Loaded<unknown>, path: readonly PropertyKey[], check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw placed(error, from, path);
  }
}

/** Runs a check whose error gets this place, in place of its own. */
export function relocated<T>(location: SourceLocation | undefined, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    throw new AbilityError({ ...error.toProblem(), location }, { cause: error });
  }
}

/** The problems that an action ends with; none where it succeeds. @throws any error that is no AbilityError. */
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
