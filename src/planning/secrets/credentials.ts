import type { Plan, PlanOperation } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import type { CredentialReference } from '../../kinds/kind.js';
import { kindOf } from '../../kinds/kinds.js';
import { providerReference } from '../../rules/secret-reference.js';
import { guardAbilitiesOf } from '../hooks/hook-parts.js';
import { problemsOf } from '../steps/check-names.js';
import { Masker } from './masking/masker.js';
import { SecretSource } from './secret-source.js';

/** The references of an operation, or of the whole plan. */
export function credentialsOf(plan: Plan, operation?: PlanOperation): CredentialReference[] {
  const operations = operation ? [operation] : [...Object.values(plan.operations), ...guardAbilitiesOf(plan)];
  return operations.flatMap(({ implementation }) => kindOf(implementation).credentials(implementation));
}

/** The problems of a plan's missing or forbidden credentials, one for each reference. */
export function missingCredentials(plan: Plan, secrets: SecretSource): Problem[] {
  const problems = new Map<string, Problem>();
  for (const { reference, what } of credentialsOf(plan)) {
    // Only a worker asks a provider.
    if (providerReference(reference)) continue;
    for (const problem of problemsOf(() => secrets.resolve(reference, what))) problems.set(reference, problem);
  }
  return [...problems.values()];
}

const SECRET_MEMBERS = /^(?:credentials|secrets?|webhook|signing_secret|bot_token)$/;

const isReference = (text: string): boolean => /^(?:env|file):/.test(text) || providerReference(text) !== undefined;

/** Where secrets are looked up to mask them. */
export type MaskedSecrets = Pick<SecretSource, 'valuesOf'>;

/** All secrets referenced by a project that can be read here, or that a provider gave before. */
export function knownSecrets(registry: Registry, source: MaskedSecrets): string[] {
  const { project, configs, envProfiles, mcpServers, services, implementations, operations, workflows } = registry;
  const loaded = [configs, envProfiles, mcpServers, services, implementations, operations];
  const values = loaded.flatMap((map) => [...map.values()].map(({ value }): unknown => value));
  const triggers = [...workflows.values()].map(({ value }) => value.triggers);
  const references = new Set([project, ...values, ...triggers].flatMap((value) => referencesIn(value, false)));
  return [...references].flatMap((reference) => source.valuesOf(reference));
}

/** A masker for all secrets of a project that can be read here. */
export function maskerFor(registry: Registry, environment: string, env: NodeJS.ProcessEnv): Masker {
  return new Masker(knownSecrets(registry, new SecretSource(registry.root, environment, env)));
}

function referencesIn(value: unknown, isSecret: boolean): string[] {
  if (typeof value === 'string') return isSecret && isReference(value) ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => referencesIn(item, isSecret || SECRET_MEMBERS.test(key)));
}
