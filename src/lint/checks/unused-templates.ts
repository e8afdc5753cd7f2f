import type { Finding } from '../../contracts/findings.js';
import { findingOf } from '../../planning/finding-of.js';
import { walkSteps } from '../../planning/steps/walk-steps.js';
import type { LintedProject } from '../linted-project.js';

/** Finds templates that no step of their file uses. */
export function* checkUnusedTemplates({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    const names = Object.keys(workflow.value.templates ?? {});
    if (names.length === 0) continue;
    const steps = [...walkSteps(workflow.value)].map(({ step }) => step);
    const used = new Set(steps.map((step) => (step.verb === 'steps' ? step.expanded?.template : undefined)));
    for (const name of names.filter((one) => !used.has(one))) {
      const place = workflow.locate(['templates', name], 'key');
      yield findingOf('lint.unused_template', `No step uses the template \`${name}\``, place);
    }
  }
}
