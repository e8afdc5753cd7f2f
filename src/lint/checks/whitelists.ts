import type { Finding } from '../../contracts/findings.js';
import { abilityIds } from '../../definitions/find-ability.js';
import { findingOf, findingOfProblem } from '../../planning/finding-of.js';
import { callsOf } from '../../planning/steps/called-abilities.js';
import { didYouMean } from '../../text/nearest.js';
import type { LintedProject } from '../linted-project.js';

/** Compares what a workflow says that it may call with what it calls; a call outside is told by planning. Source: R-000-38. */
export function* checkWhitelists({ registry }: LintedProject): Generator<Finding> {
  const known = new Set(abilityIds(registry));
  for (const workflow of registry.workflows.values()) {
    const called = new Set([...callsOf(workflow.value)].map(({ id }) => id));
    for (const [index, id] of (workflow.value.operations ?? []).entries()) {
      const location = workflow.locate(['operations', index]);
      if (!known.has(id) && !registry.broken.has(`ability:${id}`)) {
        const problem = { code: 'definition.unknown_reference', message: `There is no ability \`${id}\``, location };
        const suggestion = didYouMean(id, [...known]);
        yield findingOfProblem({ ...problem, ...(suggestion !== undefined && { suggestion }) }, workflow.file);
      } else if (!called.has(id) && workflow.value.steps.length > 0) {
        const message = `\`operations\` of ${workflow.value.id} allows ${id}, and no step calls it`;
        yield findingOf('lint.operation_unused', message, location);
      }
    }
  }
}
