import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Finding } from '../../contracts/findings.js';
import type { SourceLocation } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf } from '../../definitions/spot.js';
import { findingOf, findingOfProblem } from '../../planning/finding-of.js';
import { SHORTEST_IN_ALL_FORMS, SHORTEST_MASKED } from '../../planning/secrets/masking/secret-forms.js';
import type { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { faultOfReference, writtenReferences } from '../../planning/secrets/written-references.js';
import { providerReference } from '../../rules/secret-reference.js';
import { attempt } from '../../text/attempt.js';
import type { LintedProject } from '../linted-project.js';

const UNREADABLE = '*'.repeat(SHORTEST_IN_ALL_FORMS);

/** On request, checks that referenced credentials are set here. Source: R-000-89; docs/operations.md#safety. */
export function* checkCredentials({ registry, variables, provided }: LintedProject): Generator<Finding> {
  if (!variables) return;
  for (const { name, reference, environments, ...spot } of writtenReferences(registry)) {
    const location = locationOf(spot);
    const isProvided = providerReference(reference) !== undefined;
    if (isProvided && faultOfReference(reference, registry.project.secrets)) continue;
    for (const environment of environments) {
      const value = isProvided
        ? provided?.(environment, reference)
        : readSecret(reference, registry.root, variables(environment));
      if (typeof value === 'object') yield findingOfProblem({ ...value, location }, spot.from.file);
      else if (value === undefined && !isProvided) {
        const what = reference.startsWith('env:') ? reference.slice('env:'.length) : reference;
        const message = `Missing required configuration: ${what} (${environment}), for ${name}`;
        yield findingOfProblem({ code: 'config.missing_credential', message, location }, spot.from.file);
      } else if (value !== undefined && value.length < SHORTEST_IN_ALL_FORMS) {
        const how =
          value.length < SHORTEST_MASKED ? 'is not masked at all' : 'is masked only where it shows on one line';
        yield findingOf('lint.secret_short', `${name} is so short in ${environment} that it ${how}`, location);
      }
    }
  }
}

/** Finds references that no provider of the project can resolve. */
export function* checkProviders({ registry }: LintedProject): Generator<Finding> {
  for (const { reference, location } of referencesToProviders(registry)) {
    const fault = faultOfReference(reference, registry.project.secrets);
    if (fault) yield findingOfProblem({ ...fault, location }, location.file);
  }
}

/** The references of a project, also of its notices, that look as if a provider resolved them. */
export function referencesToProviders(registry: Registry): { reference: string; location: SourceLocation }[] {
  const { project, locateInProject: locate } = registry;
  return [
    ...[...writtenReferences(registry)].map(({ reference, ...spot }) => ({ reference, location: locationOf(spot) })),
    ...project.notify.flatMap(({ webhook, secret = '' }, index) => [
      { reference: webhook, location: locate(['notify', index, 'webhook']) },
      { reference: secret, location: locate(['notify', index, 'secret']) },
    ]),
  ].filter(({ reference }) => providerReference(reference));
}

/** Undefined if it is not set; for a file that exists but cannot be read, a long enough placeholder. */
function readSecret(reference: string, root: string, variables: EnvironmentVariables): string | undefined {
  if (reference.startsWith('env:')) return variables.find(reference.slice('env:'.length));
  const file = resolve(root, reference.slice('file:'.length));
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  return attempt(() => readFileSync(file, 'utf8').trim(), UNREADABLE);
}
