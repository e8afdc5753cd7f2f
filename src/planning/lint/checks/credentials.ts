import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Finding } from '../../../contracts/findings.js';
import type { SourceLocation } from '../../../contracts/problem.js';
import type { Loaded, Registry } from '../../../definitions/registry.js';
import type { EnvironmentVariables } from '../../environment-variables.js';
import { findingOfProblem } from '../finding-of.js';
import type { LintedProject } from '../linted-project.js';
import { environmentsOf } from '../scopes.js';

/** A reference to a secret, where it is written, and where it must hold. */
interface Reference {
  name: string;
  reference: string;
  from: Loaded<unknown>;
  path: PropertyKey[];
  environments: string[];
}

/** Looks whether the credentials that definitions refer to are set here, when asked. Source: R-000-89; answers, 19. */
export function* checkCredentials({ registry, variables }: LintedProject): Generator<Finding> {
  if (!variables) return;
  for (const { name, reference, from, path, environments } of referencesIn(registry)) {
    for (const environment of environments) {
      if (isSet(reference, registry.root, variables(environment))) continue;
      yield missing(name, reference, environment, from.locate(path), from.file);
    }
  }
}

function missing(
  name: string,
  reference: string,
  environment: string,
  location: SourceLocation,
  file: string,
): Finding {
  const what = reference.startsWith('env:') ? reference.slice('env:'.length) : reference;
  const problem = {
    code: 'config.missing_credential',
    message: `Missing required configuration: ${what} (${environment}), for ${name}`,
    location,
  };
  return findingOfProblem(problem, file);
}

function isSet(reference: string, root: string, variables: EnvironmentVariables): boolean {
  if (reference.startsWith('env:')) return variables.find(reference.slice('env:'.length)) !== undefined;
  return statSync(resolve(root, reference.slice('file:'.length)), { throwIfNoEntry: false })?.isFile() === true;
}

function* referencesIn(registry: Registry): Generator<Reference> {
  const all = Object.keys(registry.project.environments);
  for (const [id, from] of registry.configs) {
    const ability = registry.operations.get(id) ?? registry.workflows.get(id);
    const within = ability ? environmentsOf(registry, ability.value.scope) : [];
    for (const [environment, { credentials = {} }] of Object.entries(from.value.environments ?? {})) {
      if (!within.includes(environment)) continue;
      const path = ['environments', environment, 'credentials'];
      yield* entriesOf(credentials, from, path, [environment]);
    }
  }
  for (const from of registry.envProfiles.values()) yield* entriesOf(from.value.secrets, from, ['secrets'], all);
  for (const from of registry.mcpServers.values()) {
    if ('credentials' in from.value) yield* entriesOf(from.value.credentials, from, ['credentials'], all);
  }
  for (const from of registry.services.values()) {
    const { credentials, environments = {} } = from.value;
    // Where an environment has its own, the general one is not asked for.
    for (const [name, reference] of Object.entries(credentials)) {
      const others = all.filter((environment) => !Object.hasOwn(environments[environment]?.credentials ?? {}, name));
      yield { name, reference, from, path: ['credentials', name], environments: others };
    }
    for (const [environment, { credentials: own }] of Object.entries(environments)) {
      if (all.includes(environment))
        yield* entriesOf(own, from, ['environments', environment, 'credentials'], [environment]);
    }
  }
}

function* entriesOf(
  references: Record<string, string>,
  from: Loaded<unknown>,
  path: PropertyKey[],
  environments: string[],
): Generator<Reference> {
  for (const [name, reference] of Object.entries(references)) {
    yield { name, reference, from, path: [...path, name], environments };
  }
}
