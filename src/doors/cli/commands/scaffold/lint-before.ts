import type { WholeScaffold } from '../../../../authoring/scaffold/whole/plan-whole.js';
import { refusedFor } from '../../../../authoring/scaffold/whole/read-whole.js';
import type { Finding } from '../../../../contracts/findings.js';
import type { Problem } from '../../../../contracts/problem.js';
import type { RegistryLoader } from '../../../../definitions/load-registry.js';
import { lintProject } from '../../../../lint/lint-project.js';
import { checkCases } from '../../../../testing/prepare-cases.js';

/** What lint says of a project before and after something comes into it. */
export class LintBefore {
  private readonly known: Set<string>;

  constructor(
    private readonly loader: RegistryLoader,
    private readonly env: NodeJS.ProcessEnv,
  ) {
    this.known = new Set(this.findings().map(signOf));
  }

  /**
   * What has come since, as notes.
   *
   * @throws AbilityError with each error that has come, at its place in what was given; it must not stay.
   */
  refuseErrorsOf({ given }: Pick<WholeScaffold, 'given'>): string[] {
    const fresh = this.findings().filter((finding) => !this.known.has(signOf(finding)));
    const errors = fresh.filter(({ severity }) => severity === 'error');
    const problemOf = ({ code, message, fix, location }: Finding): Problem => {
      return { code, message, location: given(location), suggestion: fix };
    };
    if (errors.length > 0) throw refusedFor(errors.map(problemOf));
    return fresh.map(({ code, message, fix }) => `${code}: ${message}. ${fix}`);
  }

  /** Documents are brought in step afterwards, so that those are not looked at. */
  private findings(): Finding[] {
    return lintProject(this.loader, { env: this.env, others: [checkCases] }).findings;
  }
}

/** The line may be another one afterwards. */
function signOf({ code, message, location }: Finding): string {
  return `${code} ${location.file} ${message}`;
}
