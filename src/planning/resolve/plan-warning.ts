import type { LintCode } from '../../contracts/lint-codes.js';
import type { SourceLocation } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';

/** A likely error in a valid definition. */
export interface PlanWarning {
  code: LintCode | 'definition.unread';
  message: string;
  location: SourceLocation;
}

export type Warn = (warning: PlanWarning) => void;

/** What a plan is made of, and where warnings go. */
export interface Planning {
  registry: Registry;
  /** Of the environment of the plan. */
  variables: EnvironmentVariables;
  warn: Warn;
}
