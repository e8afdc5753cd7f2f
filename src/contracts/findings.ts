import type { SourceLocation } from './problem.js';

/**
 * Severity of a finding: an error cannot run or breaks a promise, a warning runs but is probably unintended, a note may
 * be intended and never fails `ability lint`.
 */
export const SEVERITIES = ['error', 'warning', 'note'] as const;

/** One of {@link SEVERITIES}. */
export type Severity = (typeof SEVERITIES)[number];

/** Something that `ability lint` found in the definitions. */
export interface Finding {
  /** Stable; has a section in docs/lint.md. */
  code: string;
  severity: Severity;
  /** The problem. */
  message: string;
  /** Why it matters. */
  why: string;
  /** How to fix it. */
  fix: string;
  location: Required<Omit<SourceLocation, 'used_at'>>;
}
