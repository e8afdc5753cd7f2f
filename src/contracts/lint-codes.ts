import type { Finding } from './findings.js';
import table from './lint-codes.json' with { type: 'json' };

/** Meaning of a kind of finding. `docs/lint.md` and `ability explain` are made from this table. */
export interface LintMeaning extends Pick<Finding, 'severity' | 'why' | 'fix'> {
  /** The problem, in one sentence. */
  means: string;
}

/** Findings of `ability lint` besides the errors of broken definitions. */
export const LINT_CODES = withSeverities(table);

/** The build refuses other severities (`scripts/check-codes.mjs`). */
function withSeverities<Code extends string>(rows: Record<Code, Omit<LintMeaning, 'severity'> & { severity: string }>) {
  return rows as Readonly<Record<Code, LintMeaning>>;
}

/** Errors that prevent planning an ability, and that lint reports before it runs. */
export const LINT_ERRORS = [
  'config.invalid',
  'config.missing_credential',
  'config.missing_endpoint',
  'config.missing_program',
  'config.no_implementation',
  'definition.duplicate',
  'definition.invalid',
  'definition.syntax',
  'definition.too_large',
  'definition.unknown_reference',
  'definition.unread',
  'denied.host',
  'docs.invalid',
  'docs.out_of_step',
  'expression.syntax',
  'expression.unknown_step',
  'feature.unsupported',
  'placement.conflict',
  'project.two_registries',
  'script.missing',
  'script.not_executable',
  'secret.unavailable',
] as const;

/** A code of {@link LINT_CODES}. */
export type LintCode = keyof typeof LINT_CODES;

/** Meaning of a lint code; undefined for any other code. */
export function lintMeaningOf(code: string): LintMeaning | undefined {
  return Object.hasOwn(LINT_CODES, code) ? LINT_CODES[code as LintCode] : undefined;
}
