import type { ScaffoldFromDefinition } from '../../../../authoring/scaffold/from-definition/plan-from-definition.js';
import { refusedFor } from '../../../../authoring/scaffold/from-definition/read-definition.js';
import type { Finding } from '../../../../contracts/findings.js';
import type { Problem } from '../../../../contracts/problem.js';
import type { RegistryLoader } from '../../../../definitions/load-registry.js';
import { type LintOptions, lintProject } from '../../../../lint/lint-project.js';

/** Takes the lint findings of a project, to compare them with those after a change. */
export function lintBefore(loader: RegistryLoader, options: LintOptions = {}) {
  const findings = (): Finding[] => lintProject(loader, options).findings;
  const known = new Set(findings().map(signOf));
  const fresh = (): Finding[] => findings().filter((finding) => !known.has(signOf(finding)));
  /** @returns new findings as notes. @throws AbilityError with each new error, at its place in the input. */
  const refuseErrorsOf = ({ given }: Pick<ScaffoldFromDefinition, 'given'>): string[] => {
    const found = fresh();
    const errors = found.filter(({ severity }) => severity === 'error');
    const problemOf = ({ code, message, fix, location }: Finding): Problem => {
      return { code, message, location: given(location), suggestion: fix };
    };
    if (errors.length > 0) throw refusedFor(errors.map(problemOf));
    return found.map(({ code, message, fix }) => `${code}: ${message}. ${fix}`);
  };
  return { fresh, refuseErrorsOf };
}

/** Without the line, which may change. */
function signOf({ code, message, location }: Finding): string {
  return `${code} ${location.file} ${message}`;
}
