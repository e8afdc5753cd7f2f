import type { Finding } from '../../contracts/findings.js';
import type { SourceLocation } from '../../contracts/problem.js';
import { abilityIds } from '../../definitions/find-ability.js';
import type { Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { allDefinedSteps } from '../../planning/steps/called-abilities.js';
import { type Groups, groupOf } from '../../rules/rights.js';
import { matchesGlob } from '../../text/glob.js';
import { didYouMean } from '../../text/nearest.js';
import type { LintedProject } from '../linted-project.js';

/** Finds misspelt approver groups, groups inside groups, and proof that only the own runtime can check for want of a door's key. */
export function* checkApprovers({ registry }: LintedProject): Generator<Finding> {
  const { environments, people, doors } = registry.project;
  yield* groupsInGroups(registry);
  for (const [name, environment] of Object.entries(environments)) {
    const at = (...path: PropertyKey[]): SourceLocation => registry.locateInProject(['environments', name, ...path]);
    yield* nearGroups(environment.approvers, people, (index) => at('approvers', index));
    if (environment.proof !== 'required' || Object.keys(doors).length > 0) continue;
    const message = `${name} asks for proof of who decides, which only the project's own runtime can check, since \`doors\` names no door: elsewhere each approval in it is refused`;
    yield findingOf('lint.proof_required', message, at('proof'));
  }
  for (const { step, path, workflow } of allDefinedSteps(registry)) {
    if (step.verb !== 'approval') continue;
    const at = (index: number): SourceLocation => workflow.locate([...path, 'approval', 'approvers', index]);
    yield* nearGroups(step.approval.approvers ?? [], people, at);
  }
}

/** Finds limits of rights that fit nothing. Groups without people may be those of a claim. */
export function* checkAccess({ registry }: LintedProject): Generator<Finding> {
  const { access, environments } = registry.project;
  const names = { environments: Object.keys(environments), abilities: abilityIds(registry) };
  for (const [group, rights] of Object.entries(access)) {
    for (const [right, [limits = {}] = []] of Object.entries(rights)) {
      for (const part of ['environments', 'abilities'] as const) {
        for (const [index, glob] of (limits[part] ?? []).entries()) {
          if (names[part].some((name) => matchesGlob(glob, name))) continue;
          const message = `The right ${right} of ${group} never holds for \`${glob}\`: none of the ${part} is called so`;
          const location = registry.locateInProject(['access', group, right, part, index]);
          yield findingOf('lint.access_never_fits', message, location, didYouMean(glob, names[part]));
        }
      }
    }
  }
}

/** Finds groups as members of a group, which holds persons only. Source: docs/approvals.md#who-may-decide. */
function* groupsInGroups({ project: { people }, locateInProject }: Registry): Generator<Finding> {
  for (const [group, written] of Object.entries(people)) {
    for (const [index, name] of (groupOf(people, group)?.members ?? []).entries()) {
      // A group may contain a person of its own name.
      const named = groupOf(people, name);
      if (!named || named.members.includes(name)) continue;
      const message = `${group} lists ${name}, which is a group; here it is taken for a person`;
      yield findingOf(
        'lint.group_in_group',
        message,
        locateInProject(['people', group, ...('claim' in written ? ['members'] : []), index]),
      );
    }
  }
}

/** Finds misspelt groups: they would count as persons. Source: docs/approvals.md#who-may-decide. */
function* nearGroups(
  listed: readonly string[],
  people: Groups,
  locate: (index: number) => SourceLocation,
): Generator<Finding> {
  const groups = Object.keys(people);
  const persons = new Set(groups.flatMap((group) => groupOf(people, group)?.members ?? []));
  for (const [index, name] of listed.entries()) {
    if (groups.includes(name) || persons.has(name)) continue;
    const hint = didYouMean(name, groups);
    if (hint === undefined) continue;
    const message = `\`${name}\` is no group under \`people\`, and so a person`;
    yield findingOf('lint.approver_unknown', message, locate(index), hint);
  }
}
