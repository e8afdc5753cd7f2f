import { AbilityError } from '../../contracts/problem.js';
import type { AbilityConfig, Service } from '../../definitions/formats/config.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { didYouMean } from '../../text/nearest.js';

/** Where an `api` implementation calls, and with which credentials. */
export interface ApiAccess {
  endpoints: Record<string, string>;
  credentials: Record<string, string>;
  /** Where somebody would write what is missing. */
  where: string;
}

/**
 * Gathers the endpoints and credentials of an ability in one environment: those of its service, those of the service
 * there, those of the ability itself there; a later one overrides an earlier one key by key.
 *
 * @param path where the `api` section stands in `from`.
 * @throws AbilityError `definition.unknown_reference` for a service that nobody defines, or why its file is broken.
 */
export function resolveAccess(
  registry: Registry,
  name: string | undefined,
  settings: NonNullable<AbilityConfig['environments']>[string] | undefined,
  environment: string,
  from: Loaded<unknown>,
  path: PropertyKey[],
): ApiAccess {
  const service = name === undefined ? undefined : findService(registry, name, from, path);
  const there = service?.environments?.[environment];
  return {
    endpoints: { ...service?.endpoints, ...there?.endpoints, ...settings?.endpoints },
    credentials: { ...service?.credentials, ...there?.credentials, ...settings?.credentials },
    where: name === undefined ? `environments.${environment}.` : `services.${name}.`,
  };
}

function findService(registry: Registry, name: string, from: Loaded<unknown>, path: PropertyKey[]): Service {
  const service = registry.services.get(name);
  if (service) return service.value;
  const broken =
    registry.broken.get(`service:${name}`) ?? registry.opaque.find(({ kind }) => kind === 'config')?.problem;
  if (broken) throw new AbilityError(broken);
  throw new AbilityError({
    code: 'definition.unknown_reference',
    message: `There is no service ${name}`,
    location: from.locate([...path, 'service']),
    suggestion: didYouMean(name, registry.services.keys()) ?? 'Define it under `services` in registry/config.',
  });
}
