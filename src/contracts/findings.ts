import type { SourceLocation } from './problem.js';

/** Error: cannot run or breaks a promise. Warning: probably unintended. Note: never fails `ability lint`. */
export const SEVERITIES = ['error', 'warning', 'note'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Something that `ability lint` found in the definitions. */
export interface Finding {
  /** Stable; has a section in docs/lint.md. */
  code: string;
  severity: Severity;
  message: string;
  why: string;
  fix: string;
  location: Required<Omit<SourceLocation, 'used_at'>>;
}
