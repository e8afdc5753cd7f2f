import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Finding } from '../../contracts/findings.js';
import type { SourceLocation } from '../../contracts/problem.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf, findingOfProblem } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { SHORTEST_IN_ALL_FORMS, SHORTEST_MASKED } from '../../planning/secrets/masking/secret-forms.js';
import type { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { attempt } from '../../text/attempt.js';
import type { LintedProject } from '../linted-project.js';
import { environmentsOf } from './abilities.js';

const UNREADABLE = '*'.repeat(SHORTEST_IN_ALL_FORMS);

interface Reference {
  name: string;
  reference: string;
  from: Loaded<unknown>;
  path: PropertyKey[];
  environments: string[];
}

/** On request, checks that referenced credentials are set here. Source: R-000-89; docs/operations.md#safety. */
export function* checkCredentials({ registry, variables }: LintedProject): Generator<Finding> {
  if (!variables) return;
  for (const { name, reference, from, path, environments } of referencesIn(registry)) {
    for (const environment of environments) {
      const value = readSecret(reference, registry.root, variables(environment));
      if (value === undefined) yield missing(name, reference, environment, from.locate(path), from.file);
      else if (value.length < SHORTEST_IN_ALL_FORMS) yield short(name, environment, value, from.locate(path));
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

function short(name: string, environment: string, { length }: string, location: SourceLocation): Finding {
  const how = length < SHORTEST_MASKED ? 'is not masked at all' : 'is masked only where it shows on one line';
  return findingOf('lint.secret_short', `${name} is so short in ${environment} that it ${how}`, location);
}

/** Undefined if it is not set; for a file that exists but cannot be read, a long enough placeholder. */
function readSecret(reference: string, root: string, variables: EnvironmentVariables): string | undefined {
  if (reference.startsWith('env:')) return variables.find(reference.slice('env:'.length));
  const file = resolve(root, reference.slice('file:'.length));
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return attempt(() => readFileSync(file, 'utf8').trim(), UNREADABLE);
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
  for (const { body, from, path } of implementationBodies(registry)) {
    if (body.kind !== 'script') continue;
    const references = Object.entries(body.script.env ?? {}).filter(([, text]) => /^(env|file):/.test(text));
    yield* entriesOf(Object.fromEntries(references), from, [...path, 'script', 'env'], all);
  }
  for (const from of registry.mcpServers.values()) {
    if ('credentials' in from.value) yield* entriesOf(from.value.credentials, from, ['credentials'], all);
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
