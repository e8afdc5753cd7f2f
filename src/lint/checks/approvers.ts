import type { Finding } from '../../contracts/findings.js';
import type { SourceLocation } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { walkSteps } from '../../planning/steps/walk-steps.js';
import { didYouMean } from '../../text/nearest.js';
import type { LintedProject } from '../linted-project.js';

/** Finds misspelt approver groups, groups inside groups, and proof that only the own runtime can check. */
export function* checkApprovers({ registry }: LintedProject): Generator<Finding> {
  const { environments, people } = registry.project;
  const groups = Object.keys(people);
  yield* groupsInGroups(registry);
  for (const [name, environment] of Object.entries(environments)) {
    const at = (...path: PropertyKey[]): SourceLocation => registry.locateInProject(['environments', name, ...path]);
    yield* nearGroups(environment.approvers, groups, people, (index) => at('approvers', index));
    if (environment.proof !== 'required') continue;
    const message = `${name} asks for proof of who decides, which only the project's own runtime can check: elsewhere each approval in it is refused`;
    yield findingOf('lint.proof_required', message, at('proof'));
  }
  for (const workflow of registry.workflows.values()) {
    for (const { step, path } of walkSteps(workflow.value)) {
      if (step.verb !== 'approval') continue;
      const approvers = step.approval.approvers ?? [];
      yield* nearGroups(approvers, groups, people, (index) =>
        workflow.locate([...path, 'approval', 'approvers', index]),
      );
    }
  }
}

/** Finds groups as members of a group, which holds persons only. Source: docs/approvals.md#who-may-decide. */
function* groupsInGroups({ project: { people }, locateInProject }: Registry): Generator<Finding> {
  for (const [group, members] of Object.entries(people)) {
    for (const [index, name] of members.entries()) {
      // A group may contain a person of its own name.
      if (!Object.hasOwn(people, name) || people[name]?.includes(name)) continue;
      const message = `${group} lists ${name}, which is a group; here it is taken for a person`;
      yield findingOf('lint.group_in_group', message, locateInProject(['people', group, index]));
    }
  }
}

/** Finds misspelt groups: they would count as persons. Source: docs/approvals.md#who-may-decide. */
function* nearGroups(
  listed: readonly string[],
  groups: readonly string[],
  people: Record<string, readonly string[]>,
  locate: (index: number) => SourceLocation,
): Generator<Finding> {
  const persons = new Set(Object.values(people).flat());
  for (const [index, name] of listed.entries()) {
    if (groups.includes(name) || persons.has(name)) continue;
    const hint = didYouMean(name, groups);
    if (hint === undefined) continue;
    yield findingOf(
      'lint.approver_unknown',
      `\`${name}\` is no group under \`people\`, and so a person`,
      locate(index),
      hint,
    );
  }
}
