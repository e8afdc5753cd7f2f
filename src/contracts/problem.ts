/** A place in a file, lines and columns counted from 1. */
export interface SourceLocation {
  file: string;
  line?: number;
  column?: number;
  /** For a part of a template: where it is used. */
  used_at?: SourceLocation;
}

/** A failure as every door shows it: what happened, where, and what to do next. */
export interface Problem {
  /** Stable and dotted, such as `input.invalid`. */
  code: string;
  message: string;
  location?: SourceLocation;
  /** Id of the innermost failed step. */
  step?: string;
  details?: unknown;
  suggestion?: string;
}

/** Marks an `AbilityError` across all copies of this module. */
const BRAND = Symbol.for('ability-runtime.AbilityError');

/**
 * The one error that this code throws on purpose; doors catch it. `code` is part of the interface; the message may
 * change. A process may hold two copies of this class, from the command line's bundle and from its workers:
 * `instanceof` knows both.
 */
export class AbilityError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: classes derived from this one inherit the method and keep their own meaning.
    const derived = this === AbilityError ? undefined : this;
    if (derived) return Function.prototype[Symbol.hasInstance].call(derived, value);
    return value instanceof Error && BRAND in value;
  }

  override readonly name = 'AbilityError';
  readonly code: string;
  readonly location: SourceLocation | undefined;
  readonly details: unknown;
  readonly suggestion: string | undefined;

  constructor(problem: Problem, options?: { cause?: unknown }) {
    super(problem.message, options);
    this.code = problem.code;
    this.location = problem.location;
    this.details = problem.details;
    this.suggestion = problem.suggestion;
  }

  get [BRAND](): true {
    return true;
  }

  /** The error as plain data, for an answer or a record. */
  toProblem(): Problem {
    const problem: Problem = { code: this.code, message: this.message };
    if (this.location) problem.location = this.location;
    if (this.details !== undefined) problem.details = this.details;
    if (this.suggestion) problem.suggestion = this.suggestion;
    return problem;
  }
}

/** The refusal of an invalid request: `usage.invalid`. */
export function usageError(message: string, suggestion?: string, cause?: unknown): AbilityError {
  return new AbilityError({ code: 'usage.invalid', message, suggestion }, cause === undefined ? undefined : { cause });
}

/** The refusal of a definition for what it says at a place: `definition.invalid`. */
export function invalidDefinition(message: string, location?: SourceLocation, suggestion?: string): AbilityError {
  return new AbilityError({ code: 'definition.invalid', message, location, suggestion });
}

/** The message of any thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Formats a location as `file:line:column`, without unknown parts; in a template also where it is used. */
export function formatLocation({ file, line, column, used_at }: SourceLocation): string {
  const place = [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':');
  return used_at ? `${place} (used at ${formatLocation(used_at)})` : place;
}
