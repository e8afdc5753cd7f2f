import type { LintCode } from '../../contracts/lint-codes.js';
import type { SourceLocation } from '../../contracts/problem.js';

/** Something that can be planned and is likely not what was meant. */
export interface PlanWarning {
  code: LintCode | 'definition.unread';
  message: string;
  location: SourceLocation;
}

/** Takes what planning doubts. */
export type Warn = (warning: PlanWarning) => void;
