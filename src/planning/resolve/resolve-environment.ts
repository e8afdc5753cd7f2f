import type { ProofSource } from '../../contracts/approvals.js';
import type { PlanEnvironment, PlanLimits } from '../../contracts/plan.js';
import type { Approvers, WhileOpen } from '../../contracts/plan-step.js';
import { AbilityError, invalidDefinition, type SourceLocation } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Project } from '../../definitions/formats/project.js';
import type { Registry } from '../../definitions/registry.js';
import { GUARD_APPROVAL_MS } from '../../rules/calls/call-defaults.js';
import { parseDuration } from '../../rules/duration.js';
import { type Groups, groupOf } from '../../rules/rights.js';
import { personKey } from '../../rules/tasks/persons.js';
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
  refuseQuorum(found.quorum, approvers, people, registry.locateInProject(['environments', name, 'quorum']));
  return {
    name,
    protected: found.protected,
    vars: found.vars,
    approve: found.approve,
    ...(found.edit && { edit: found.edit }),
    approvers,
    quorum: found.quorum,
    self_approval: found.self_approval ?? !found.protected,
    proof: found.proof,
    ...((found.grants ?? !found.protected) && { grants: true as const }),
    ...whileOpen(people, found, GUARD_APPROVAL_MS, registry.locateInProject(['environments', name, 'escalate'])),
    ...(found.proof === 'required' && { proofs: proofsIn(registry.project, name) }),
  };
}

function proofsIn({ slack }: Project, environment: string): ProofSource[] {
  return ['os_user', 'token', 'oidc', ...(slack && coversEnvironment(slack, environment) ? ['slack' as const] : [])];
}

/** Whether an entry of ability.yaml holds for an environment: without a list, for all. */
export function coversEnvironment(
  { environments }: { environments?: readonly string[] | undefined },
  environment: string,
): boolean {
  return environments?.includes(environment) ?? true;
}

/** Entries listed under `people` are groups, others are persons. Source: docs/approvals.md#who-may-decide. */
export function resolveApprovers(people: Groups, listed: string[]): Approvers {
  const found = listed.map((entry) => ({ entry, group: groupOf(people, entry) }));
  const resolved = found.flatMap(({ entry, group }) => group?.members ?? [entry]);
  const groups = found.flatMap(({ group }) => (group ? [group.claim] : []));
  return { listed, people: [...new Set(resolved)], groups: [...new Set(groups)] };
}

/**
 * @param expiresMs when it expires; undefined: that is evaluated later. @returns no part if nothing is to happen. @throws
 * AbilityError `definition.invalid` for what could not happen before it expires.
 */
export function whileOpen(
  people: Groups,
  { remind = [], escalate }: Pick<Project['environments'][string], 'remind' | 'escalate'>,
  expiresMs: number | undefined,
  location: SourceLocation,
): { while_open?: WhileOpen } {
  const late = [...remind, ...(escalate ? [escalate.after] : [])].find(
    (text) => expiresMs !== undefined && parseDuration(text) >= expiresMs,
  );
  if (late !== undefined) {
    throw invalidDefinition(
      `After ${late} the approval has expired, so no one would be reminded or asked`,
      location,
      'Choose a shorter time, or a longer `timeout`: approvals of an environment wait for 24h.',
    );
  }
  if (remind.length === 0 && !escalate) return {};
  const to = escalate && { after_ms: parseDuration(escalate.after), to: resolveApprovers(people, [escalate.to]) };
  return {
    while_open: { ...(remind.length > 0 && { remind_ms: remind.map(parseDuration) }), ...(to && { escalate: to }) },
  };
}

/**
 * The members of a group with a `claim` are not known here. @throws AbilityError `definition.invalid` if the quorum is higher
 * than the number of approvers.
 */
export function refuseQuorum(
  quorum: number,
  { listed, people }: Approvers,
  groups: Groups,
  location: SourceLocation,
): void {
  const isOpen = listed.length === 0 || listed.some((entry) => groupOf(groups, entry)?.isOpen);
  if (isOpen || quorum <= new Set(people.map(personKey)).size) return;
  const allowed = people.length === 0 ? 'none' : `only ${people.length} (${people.join(', ')})`;
  throw invalidDefinition(
    `The approval needs ${quorum} ${quorum === 1 ? 'person' : 'people'}, and ${allowed} may give it`,
    location,
    'Lower `quorum`, or list more people as `approvers`.',
  );
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

/** Default limits. Source: docs/operations.md#limits; docs/architecture.md#the-way-of-a-task. */
const DEFAULTS = { task: '15m', cleanup: '5m', expires: '7d' } as const;
const OUTPUT_BYTES = 8 * 1024 * 1024;

/** Limits a time-out to the policy's maximum. In milliseconds. */
export function capped(ms: number, project: Project): number {
  const { max_timeout: max } = project.policy;
  return max === undefined ? ms : Math.min(ms, parseDuration(max));
}

/** @param timeout the ability's own time-out. @param own its other limits. */
export function limitsOf(project: Project, timeout: string | undefined, own: HighLevel['limits'] = {}): PlanLimits {
  const { max_timeout: max } = project.policy;
  const { cleanup, max_calls } = own;
  return {
    max_ms: max === undefined ? null : parseDuration(max),
    task_ms: capped(parseDuration(timeout ?? DEFAULTS.task), project),
    cleanup_ms: parseDuration(cleanup ?? DEFAULTS.cleanup),
    ...(cleanup !== undefined && { cleanup_stated: true }),
    expires_ms: parseDuration(DEFAULTS.expires),
    output_bytes: OUTPUT_BYTES,
    ...(max_calls !== undefined && { max_calls }),
  };
}
