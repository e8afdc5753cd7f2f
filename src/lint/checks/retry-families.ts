import type { Finding } from '../../contracts/findings.js';
import { findingOf } from '../../planning/finding-of.js';
import { walkSteps } from '../../planning/steps/walk-steps.js';
import { unusableAnswersOf } from '../../rules/error-families.js';
import type { LintedProject } from '../linted-project.js';

/**
 * Finds retries that name a family and so leave out the codes of it that are about the answer of a call.
 * Source: docs/workflow-language.md#failures.
 */
export function* checkRetryFamilies({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    for (const { step, path } of walkSteps(workflow.value)) {
      const errors = 'retry' in step ? (step.retry?.errors ?? []) : [];
      for (const [index, family] of errors.entries()) {
        const untold = unusableAnswersOf(family).filter((code) => !errors.includes(code));
        const [code] = untold;
        if (code === undefined) continue;
        const message = `\`${family}\` does not cover \`${untold.join('`, `')}\`: such a call was made and answered`;
        const fix = `Name the codes that are meant; \`${code}\` itself where the call may be made again.`;
        yield findingOf('lint.retry_family', message, workflow.locate([...path, 'retry', 'errors', index]), fix);
      }
    }
  }
}
