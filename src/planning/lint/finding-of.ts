import { CODES, meaningOf } from '../../contracts/codes.js';
import type { Finding, Severity } from '../../contracts/findings.js';
import { LINT_CODES, type LintCode } from '../../contracts/lint-codes.js';
import type { Problem, SourceLocation } from '../../contracts/problem.js';

/** A finding of lint's own. @param fix what to do here; left out: what the table of codes says. */
export function findingOf(code: LintCode, message: string, location: SourceLocation, fix?: string): Finding {
  const { severity, why, fix: usual } = LINT_CODES[code];
  return { code, severity, message, why, fix: fix ?? usual, location: placed(location) };
}

/** A problem that planning or loading tells, as a finding. */
export function findingOfProblem(problem: Problem, file: string, severity: Severity = 'error'): Finding {
  const { code, message, location = { file }, suggestion } = problem;
  const { means, next } = meaningOf(code) ?? CODES['internal.error'];
  return { code, severity, message, why: means, fix: suggestion ?? next, location: placed(location) };
}

/** What is about a file as a whole stands at its beginning, so that every finding has a line to be shown at. */
function placed({ file, line = 1, column = 1 }: SourceLocation): Finding['location'] {
  return { file, line, column };
}
