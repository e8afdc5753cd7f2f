import type { Json } from '../../contracts/json.js';

export interface Scope {
  values: { [name: string]: Json | undefined };
  /** Milliseconds since 1970. Without it, `now()` fails. */
  now?: () => number;
  /** Without it, `uuid()` fails. */
  uuid?: () => string;
}

export interface Expression {
  source: string;
  /** The names it reads, without functions and variables of macros; `path` lists the plain members. */
  references: Reference[];
  /** Names of the functions that it calls, without methods. */
  functions: string[];
  /** @throws AbilityError `expression.failed` or `expression.too_costly`. */
  evaluate(scope: Scope): Json | undefined;
}

/** Such as the name `steps` with the path `['seed', 'output']`. */
export interface Reference {
  name: string;
  path: string[];
}
