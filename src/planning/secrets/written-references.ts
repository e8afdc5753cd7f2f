import type { Plan } from '../../contracts/plan.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import type { SecretProvider } from '../../definitions/formats/secrets.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { placeholdersIn, providerReference } from '../../rules/secret-reference.js';
import { implementationBodies } from '../resolve/choose-implementation.js';
import { credentialsOf } from './credentials.js';

/** A reference to a secret, and where it is written. */
export interface WrittenReference extends Spot {
  name: string;
  reference: string;
  environments: string[];
}

/** The references of a project besides those of notices, Slack and webhooks. */
export function* writtenReferences(registry: Registry): Generator<WrittenReference> {
  const all = Object.keys(registry.project.environments);
  for (const [id, from] of registry.configs) {
    const ability = registry.operations.get(id) ?? registry.workflows.get(id);
    const scope = ability?.value.scope.environments ?? all;
    for (const [environment, { credentials = {} }] of Object.entries(from.value.environments ?? {})) {
      if (!ability || !all.includes(environment) || !scope.includes(environment)) continue;
      const path = ['environments', environment, 'credentials'];
      yield* entriesOf(credentials, { from, path }, [environment]);
    }
  }
  for (const from of registry.envProfiles.values())
    yield* entriesOf(from.value.secrets, { from, path: ['secrets'] }, all);
  for (const { body, ...spot } of implementationBodies(registry)) {
    if (body.kind !== 'script') continue;
    const references = Object.entries(body.script.env ?? {}).filter(([, text]) => isReference(text, registry));
    yield* entriesOf(Object.fromEntries(references), within(spot, 'script', 'env'), all);
  }
  for (const from of registry.mcpServers.values()) {
    if ('credentials' in from.value) yield* entriesOf(from.value.credentials, { from, path: ['credentials'] }, all);
  }
  for (const from of registry.services.values()) {
    const { credentials, environments = {} } = from.value;
    // Environments with their own credential do not need the general one.
    for (const [name, reference] of Object.entries(credentials)) {
      const others = all.filter((environment) => !Object.hasOwn(environments[environment]?.credentials ?? {}, name));
      yield { name, reference, from, path: ['credentials', name], environments: others };
    }
    for (const [environment, { credentials: own }] of Object.entries(environments)) {
      if (all.includes(environment))
        yield* entriesOf(own, { from, path: ['environments', environment, 'credentials'] }, [environment]);
    }
  }
}

function* entriesOf(references: Record<string, string>, spot: Spot, environments: string[]) {
  for (const [name, reference] of Object.entries(references)) {
    yield { name, reference, ...within(spot, name), environments };
  }
}

/** Whether a text of a script's `env` is a reference; it may name a provider only if the project has it. */
export function isReference(text: string, { project }: Pick<Registry, 'project'>): boolean {
  const provider = providerReference(text)?.provider;
  return /^(env|file):/.test(text) || (provider !== undefined && Object.hasOwn(project.secrets, provider));
}

/**
 * Why a project cannot resolve a reference to a provider, without repeating the reference, which may be the secret
 * itself. Undefined: it can, or another kind of reference.
 */
export function faultOfReference(
  reference: string,
  providers: Readonly<Record<string, SecretProvider>>,
): Problem | undefined {
  const wanted = providerReference(reference);
  if (!wanted) return undefined;
  const code = 'config.invalid';
  const provider = Object.hasOwn(providers, wanted.provider) ? providers[wanted.provider] : undefined;
  if (!provider) {
    const names = Object.keys(providers).join(', ') || 'none';
    return {
      code,
      message: `This reference names no provider of the project; it has ${names}`,
      suggestion: 'Define the provider under `secrets` in ability.yaml, or write env:NAME or file:PATH.',
    };
  }
  const hasField = provider.command.flatMap(placeholdersIn).includes('field');
  if (hasField === (wanted.field !== undefined)) return undefined;
  return {
    code,
    message: hasField
      ? `References to ${wanted.provider} end with a field, such as ${wanted.provider}:PATH#FIELD`
      : `References to ${wanted.provider} have no field: its command has no {field}`,
    suggestion: `Correct the reference, or the command of \`secrets.${wanted.provider}\` in ability.yaml.`,
  };
}

/** @throws AbilityError `config.invalid` for the first reference of a plan that the project cannot resolve, with its place. */
export function refuseUnresolvable(plan: Plan, registry: Registry): void {
  for (const { reference } of credentialsOf(plan)) {
    const fault = faultOfReference(reference, registry.project.secrets);
    if (!fault) continue;
    const written = [...writtenReferences(registry)].find((one) => one.reference === reference);
    throw new AbilityError({ ...fault, ...(written && { location: locationOf(written) }) });
  }
}
