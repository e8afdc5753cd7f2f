import type { LintCode } from '../../contracts/lint-codes.js';
import type { SourceLocation } from '../../contracts/problem.js';

/** A likely error in a valid definition. */
export interface PlanWarning {
  code: LintCode | 'definition.unread';
  message: string;
  location: SourceLocation;
}

export type Warn = (warning: PlanWarning) => void;
