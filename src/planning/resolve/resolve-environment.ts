import type { Approvers, PlanEnvironment } from '../../contracts/plan.js';
import { AbilityError, type SourceLocation } from '../../contracts/problem.js';
import type { Project } from '../../definitions/formats/project.js';
import type { Registry } from '../../definitions/registry.js';
import { personKey } from '../../rules/tasks/person-key.js';
import { didYouMean } from '../../text/nearest.js';

/** Resolves groups of approvers to people. @throws AbilityError `environment.not_found`. */
export function resolveEnvironment(registry: Registry, name: string): PlanEnvironment {
  const { environments, people } = registry.project;
  const found = Object.hasOwn(environments, name) ? environments[name] : undefined;
  if (!found) {
    const names = Object.keys(environments);
    throw new AbilityError({
      code: 'environment.not_found',
      message: `The project ${registry.project.project} has no environment ${name}`,
      location: registry.locateInProject(['environments']),
      suggestion: didYouMean(name, names) ?? `There are: ${names.join(', ')}.`,
    });
  }
  const approvers = resolveApprovers(people, found.approvers);
  refuseQuorum(found.quorum, approvers, registry.locateInProject(['environments', name, 'quorum']));
  return {
    name,
    protected: found.protected,
    vars: found.vars,
    approve: found.approve,
    approvers,
    quorum: found.quorum,
    self_approval: found.self_approval ?? !found.protected,
    proof: found.proof,
    ...(found.proof === 'required' && { proofs: ['os_user' as const, 'token' as const] }),
  };
}

/** Entries listed under `people` are groups, others are persons. Source: docs/approvals.md#who-may-decide. */
export function resolveApprovers(people: Project['people'], listed: string[]): Approvers {
  const resolved = listed.flatMap((entry) => (Object.hasOwn(people, entry) ? (people[entry] ?? []) : [entry]));
  return { listed, people: [...new Set(resolved)] };
}

/** @throws AbilityError `definition.invalid` if the quorum is higher than the number of approvers. */
export function refuseQuorum(quorum: number, { listed, people }: Approvers, location: SourceLocation): void {
  if (listed.length === 0 || quorum <= new Set(people.map(personKey)).size) return;
  const allowed = people.length === 0 ? 'none' : `only ${people.length} (${people.join(', ')})`;
  throw new AbilityError({
    code: 'definition.invalid',
    message: `The approval needs ${quorum} ${quorum === 1 ? 'person' : 'people'}, and ${allowed} may give it`,
    location,
    suggestion: 'Lower `quorum`, or list more people as `approvers`.',
  });
}

/** @throws AbilityError `config.no_environment`. Source: docs/guide.md#configuration. */
export function chooseEnvironment(project: Project, requested: string | undefined): string {
  if (requested !== undefined && requested !== '') return requested;
  if (project.default_environment !== undefined) return project.default_environment;
  const names = Object.keys(project.environments);
  const [only] = names;
  if (names.length === 1 && only !== undefined) return only;
  throw new AbilityError({
    code: 'config.no_environment',
    message: `The project ${project.project} has ${names.length} environments, and none was chosen`,
    suggestion: `Pass --env with one of ${names.join(', ')}.`,
  });
}
