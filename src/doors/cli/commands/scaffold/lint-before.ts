import type { ScaffoldFromDefinition } from '../../../../authoring/scaffold/from-definition/plan-from-definition.js';
import { refusedFor } from '../../../../authoring/scaffold/from-definition/read-definition.js';
import type { Finding } from '../../../../contracts/findings.js';
import type { Problem } from '../../../../contracts/problem.js';
import type { RegistryLoader } from '../../../../definitions/load-registry.js';
import { type LintOptions, lintProject } from '../../../../lint/lint-project.js';

/** Compares the lint findings of a project before and after a change. */
export class LintBefore {
  private readonly known: Set<string>;

  constructor(
    private readonly loader: RegistryLoader,
    private readonly options: LintOptions = {},
  ) {
    this.known = new Set(this.findings().map(signOf));
  }

  /** @returns new findings as notes. @throws AbilityError with each new error, at its place in the input. */
  refuseErrorsOf({ given }: Pick<ScaffoldFromDefinition, 'given'>): string[] {
    const fresh = this.fresh();
    const errors = fresh.filter(({ severity }) => severity === 'error');
    const problemOf = ({ code, message, fix, location }: Finding): Problem => {
      return { code, message, location: given(location), suggestion: fix };
    };
    if (errors.length > 0) throw refusedFor(errors.map(problemOf));
    return fresh.map(({ code, message, fix }) => `${code}: ${message}. ${fix}`);
  }

  fresh(): Finding[] {
    return this.findings().filter((finding) => !this.known.has(signOf(finding)));
  }

  private findings(): Finding[] {
    return lintProject(this.loader, this.options).findings;
  }
}

/** Without the line, which may change. */
function signOf({ code, message, location }: Finding): string {
  return `${code} ${location.file} ${message}`;
}
