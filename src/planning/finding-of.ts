import { CODES, meaningOf } from '../contracts/codes.js';
import type { Finding, Severity } from '../contracts/findings.js';
import { LINT_CODES, type LintCode } from '../contracts/lint-codes.js';
import { formatLocation, type Problem, type SourceLocation } from '../contracts/problem.js';

/** A finding with the severity and explanation of its code. @param fix default: the fix of the code. */
export function findingOf(code: LintCode, message: string, location: SourceLocation, fix?: string): Finding {
  const { severity, why, fix: usual } = LINT_CODES[code];
  return { code, severity, message: used(message, location), why, fix: fix ?? usual, location: placed(location) };
}

export function findingOfProblem(problem: Problem, file: string, severity: Severity = 'error'): Finding {
  const { code, message, location = { file }, suggestion } = problem;
  const { means, next } = meaningOf(code) ?? CODES['internal.error'];
  const said = used(message, location);
  return { code, severity, message: said, why: means, fix: suggestion ?? next, location: placed(location) };
}

/** Findings are located in the template; the message adds where it is used. */
function used(message: string, { used_at }: SourceLocation): string {
  return used_at ? `${message} (in a template that is used at ${formatLocation(used_at)})` : message;
}

/** A finding about a file as a whole is placed at its beginning, so that every finding has a line. */
function placed({ file, line = 1, column = 1 }: SourceLocation): Finding['location'] {
  return { file, line, column };
}
