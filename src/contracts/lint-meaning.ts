import type { Severity } from './findings.js';

/** What one kind of finding means. `docs/lint.md` and `ability explain` are made from this table. */
export interface LintMeaning {
  severity: Severity;
  /** What is wrong, in one sentence. */
  means: string;
  /** Why it matters, in one sentence. */
  why: string;
  /** What to do. */
  fix: string;
}
