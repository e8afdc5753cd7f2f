import type { ImplementationBase } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { AbilityConfig } from '../../definitions/formats/config.js';
import type { ImplementationBody, ImplementationDocument } from '../../definitions/formats/implementation.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import { type Loaded, type Registry, unreadable } from '../../definitions/registry.js';
import type { Spot } from '../../definitions/spot.js';
import type { BodyOf, ImplementationOf, KindName, WrittenKindName } from '../../kinds/kind.js';
import { memoize } from '../../text/memoize.js';
import { nearestOrAll } from '../../text/nearest.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { notThere } from '../steps/check-names.js';

/** @throws AbilityError if the file that might hold it is broken. */
export function configOf(registry: Registry, ability: string): Loaded<AbilityConfig> | undefined {
  const broken = registry.broken.get(`config:${ability}`) ?? unreadable(registry, 'config');
  if (broken) throw new AbilityError(broken);
  return registry.configs.get(ability);
}

/**
 * The default of the environment or configuration, else the only one. @param environment undefined if none is chosen yet.
 * @throws AbilityError `config.*`, `definition.unknown_reference`, or the error of the chosen one.
 */
export function chooseImplementation(
  registry: Registry,
  operation: Loaded<LowLevel>,
  environment: string | undefined,
): ChosenImplementation {
  const key = operation.value.operation_key;
  const config = configOf(registry, key);
  const settings = environment === undefined ? undefined : config?.value.environments?.[environment];
  const available = implementationsOf(registry, operation, config);
  const wanted = settings?.default_implementation ?? config?.value.default_implementation;
  const allowed = settings?.allowed_implementations ?? config?.value.allowed_implementations;
  if (wanted !== undefined) {
    const chosen = available.find(({ id }) => id === wanted);
    const location = config?.locate(['default_implementation']);
    if (!chosen) {
      const names = available.map(({ id }) => id);
      const problem = { message: `${key} has no implementation ${wanted}`, location };
      throw notThere(registry, `implementation:${wanted}`, { ...problem, suggestion: nearestOrAll(wanted, names) });
    }
    if (!allowed || allowed.includes(wanted)) return { ...chosen, config, settings };
    const message = `The default implementation ${wanted} of ${key} is not among \`allowed_implementations\``;
    throw new AbilityError({ code: 'config.invalid', message, location });
  }
  const candidates = allowed ? available.filter(({ id }) => allowed.includes(id)) : available;
  const [only, another] = candidates;
  if (only && (!another || only.id === key)) return { ...only, config, settings };
  const broken = registry.broken.get(`implementation_of:${key}`);
  if (!only && broken) throw new AbilityError(broken);
  throw new AbilityError({
    code: 'config.no_implementation',
    message: only
      ? `${key} has several implementations (${candidates.map(({ id }) => id).join(', ')}) and no default`
      : `${key} has no implementation`,
    location: operation.locate([]),
    suggestion: only
      ? `Name one as \`default_implementation\` of ${key} in registry/config.`
      : 'Define `implementation` in the file of the operation, or add a document to registry/implementations.',
  });
}

/** If the configuration has `impl`, only that; else the operation's own and the documents. Source: C-19. */
function implementationsOf(
  registry: Registry,
  operation: Loaded<LowLevel>,
  config: Loaded<AbilityConfig> | undefined,
): WrittenImplementation[] {
  const key = operation.value.operation_key;
  if (config?.value.impl) return [{ id: key, body: config.value.impl, from: config, path: ['impl'] }];
  const documents = (documentsBy(registry).get(key) ?? []).map(
    (from): WrittenImplementation => ({ id: from.value.id, body: from.value, from, path: [] }),
  );
  const { implementation } = operation.value;
  if (!implementation) return documents;
  return [{ id: key, body: implementation, from: operation, path: ['implementation'] }, ...documents];
}

/** By operation: large projects look up each operation many times. */
const documentsBy = memoize((registry: Registry) => {
  const found = new Map<string, Loaded<ImplementationDocument>[]>();
  for (const document of registry.implementations.values()) {
    const { operation_key: key } = document.value;
    found.set(key, [...(found.get(key) ?? []), document]);
  }
  return found;
});

interface WrittenImplementation extends Spot {
  id: string;
  body: ImplementationBody;
}

/** With the configuration of its operation, and the part of that for the environment. */
export interface ChosenImplementation extends WrittenImplementation {
  config: Loaded<AbilityConfig> | undefined;
  settings: EnvironmentSettings | undefined;
}

type EnvironmentSettings = NonNullable<AbilityConfig['environments']>[string];

/**
 * Every implementation in operations, documents and configurations. Its id is the operation key if it has none.
 * Source: C-19.
 */
export function* implementationBodies(registry: Registry): Generator<WrittenImplementation & { operation: string }> {
  for (const [operation, from] of registry.operations) {
    const { implementation: body } = from.value;
    if (body) yield { id: operation, operation, body, from, path: ['implementation'] };
  }
  for (const [id, from] of registry.implementations) {
    yield { id, operation: from.value.operation_key, body: from.value, from, path: [] };
  }
  for (const [operation, from] of registry.configs) {
    const { impl: body } = from.value;
    if (body) yield { id: operation, operation, body, from, path: ['impl'] };
  }
}

/** The suggestion where an expression uses a name that it may not. */
export const INSTEAD = 'Let a step of a workflow pass it as a parameter of the call.';

/** What a kind has in a plan besides what every kind has. */
export type Section<K extends KindName> = K extends KindName
  ? Omit<ImplementationOf<K>, keyof ImplementationBase>
  : never;

export interface ResolveSite {
  registry: Registry;
  chosen: ChosenImplementation;
  variables: EnvironmentVariables;
  /** Whether the contract has one. */
  hasOutputSchema: boolean;
}

/** Makes the part of a plan from a definition. @throws AbilityError `definition.*`, `config.*`, `script.*`, `denied.host`. */
export type Resolver<K extends WrittenKindName> = (body: BodyOf<K>, site: ResolveSite) => Section<K>;
