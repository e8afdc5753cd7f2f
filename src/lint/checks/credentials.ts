import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Finding } from '../../contracts/findings.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { findingOf, findingOfProblem } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { SHORTEST_IN_ALL_FORMS, SHORTEST_MASKED } from '../../planning/secrets/masking/secret-forms.js';
import type { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { attempt } from '../../text/attempt.js';
import type { LintedProject } from '../linted-project.js';
import { environmentsOf } from './abilities.js';

const UNREADABLE = '*'.repeat(SHORTEST_IN_ALL_FORMS);

/** A reference to a secret, and where it is written. */
interface Reference extends Spot {
  name: string;
  reference: string;
  environments: string[];
}

/** On request, checks that referenced credentials are set here. Source: R-000-89; docs/operations.md#safety. */
export function* checkCredentials({ registry, variables }: LintedProject): Generator<Finding> {
  if (!variables) return;
  for (const { name, reference, environments, ...spot } of referencesIn(registry)) {
    const location = locationOf(spot);
    for (const environment of environments) {
      const value = readSecret(reference, registry.root, variables(environment));
      if (value === undefined) {
        const what = reference.startsWith('env:') ? reference.slice('env:'.length) : reference;
        const message = `Missing required configuration: ${what} (${environment}), for ${name}`;
        yield findingOfProblem({ code: 'config.missing_credential', message, location }, spot.from.file);
      } else if (value.length < SHORTEST_IN_ALL_FORMS) {
        const how =
          value.length < SHORTEST_MASKED ? 'is not masked at all' : 'is masked only where it shows on one line';
        yield findingOf('lint.secret_short', `${name} is so short in ${environment} that it ${how}`, location);
      }
    }
  }
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
      yield* entriesOf(credentials, { from, path }, [environment]);
    }
  }
  for (const from of registry.envProfiles.values())
    yield* entriesOf(from.value.secrets, { from, path: ['secrets'] }, all);
  for (const { body, ...spot } of implementationBodies(registry)) {
    if (body.kind !== 'script') continue;
    const references = Object.entries(body.script.env ?? {}).filter(([, text]) => /^(env|file):/.test(text));
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

function* entriesOf(references: Record<string, string>, spot: Spot, environments: string[]): Generator<Reference> {
  for (const [name, reference] of Object.entries(references)) {
    yield { name, reference, ...within(spot, name), environments };
  }
}
