import type { Json } from '../../contracts/json.js';

/** Scope of an expression: its names, and the clock and random source of the evaluation. */
export interface Scope {
  values: { [name: string]: Json | undefined };
  /** Milliseconds since 1970, for `now()`; without it `now()` is an error. */
  now?: () => number;
  /** A random UUID, for `uuid()`; without it `uuid()` is an error. */
  uuid?: () => string;
  /** The version a plan was made for, of `CEL_READ`; without it the one of this build. */
  cel?: string;
}

/** An expression ready to be evaluated, and the names it reads. */
export interface Expression {
  source: string;
  /** Names that are neither functions nor bound by a macro, with the member read of each, where it is a plain one. */
  references: Reference[];
  /** Names of the functions, not methods, that it calls. */
  functions: string[];
  /** @throws AbilityError `expression.failed` or `expression.too_costly`. */
  evaluate(scope: Scope): Json | undefined;
}

/** A name an expression reads, such as `steps` with the path `['seed', 'output']`. */
export interface Reference {
  name: string;
  path: string[];
}
