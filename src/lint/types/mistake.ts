import type { LintCode } from '../../contracts/lint-codes.js';

/** What is wrong with an expression, still without its place. */
export interface Mistake {
  code: LintCode;
  message: string;
  /** What to do here; left out: what the table of codes says. */
  fix?: string | undefined;
}

/** Takes a mistake. */
export type Tell = (mistake: Mistake) => void;
