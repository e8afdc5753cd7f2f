import type { PlanApiBody, PlanApiParam } from '../../contracts/api.js';
import type { ApiImplementation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { defaultExplode, defaultStyle } from '../../definitions/api-styles.js';
import type { AbilityConfig, Service } from '../../definitions/formats/config.js';
import type { ImplementationBody } from '../../definitions/formats/implementation.js';
import { type Registry, unreadable } from '../../definitions/registry.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';

type ApiSection = Extract<ImplementationBody, { kind: 'api' }>['api'];

type Form = Pick<ApiImplementation['api'], 'params' | 'body' | 'auth' | 'response'>;

/**
 * Resolves every parameter's style, so that a plan does not depend on defaults. Missing parts stay out of the
 * plan, so that older digests stay the same.
 */
export function resolveForm({ params, body, auth, response }: ApiSection): Form {
  const named = Object.entries(params ?? {});
  const bodyType = body?.type ?? 'json';
  return {
    body: body ? resolveBody(body) : null,
    ...(named.length > 0 && {
      params: Object.fromEntries(named.map(([key, param]) => [key, resolveParam(key, param, bodyType)])),
    }),
    ...(auth && {
      auth: { ...(auth.basic && { basic: auth.basic }), ...(auth.query && { query: auth.query }) },
    }),
    ...(response && {
      response: {
        ...defined({ as: response.as, big_integers: response.big_integers, headers: response.headers }),
        ...(response.status && { status: response.status }),
      },
    }),
  };
}

function resolveBody({ type, content_type, value, required }: NonNullable<ApiSection['body']>): PlanApiBody {
  return {
    ...(type !== 'json' && { type }),
    ...defined({ content_type, value }),
    ...(required && { required }),
  };
}

function resolveParam(
  key: string,
  {
    in: place,
    name = key,
    style = defaultStyle(place),
    explode,
    allow_reserved,
  }: NonNullable<ApiSection['params']>[string],
  bodyType: string,
): PlanApiParam {
  if (place === 'body' && bodyType !== 'form') return { in: place, name };
  return {
    in: place,
    name,
    style,
    ...(style !== 'json' && { explode: explode ?? defaultExplode(style) }),
    ...(allow_reserved && { allow_reserved }),
  };
}

interface ApiAccess {
  endpoints: Record<string, string>;
  credentials: Record<string, string>;
  /** The path of the missing setting in the configuration, for a suggestion. */
  where: string;
}

/**
 * Merges endpoints and credentials key by key: service, service in the environment, ability there.
 * @param spot of the `api` section. @throws AbilityError `definition.unknown_reference` for an undefined
 * service, or the error of its broken file.
 */
export function resolveAccess(
  registry: Registry,
  name: string | undefined,
  settings: NonNullable<AbilityConfig['environments']>[string] | undefined,
  environment: string,
  spot: Spot,
): ApiAccess {
  const service = name === undefined ? undefined : findService(registry, name, spot);
  const there = service?.environments?.[environment];
  return {
    endpoints: { ...service?.endpoints, ...there?.endpoints, ...settings?.endpoints },
    credentials: { ...service?.credentials, ...there?.credentials, ...settings?.credentials },
    where: name === undefined ? `environments.${environment}.` : `services.${name}.`,
  };
}

function findService(registry: Registry, name: string, spot: Spot): Service {
  const service = registry.services.get(name);
  if (service) return service.value;
  const broken = registry.broken.get(`service:${name}`) ?? unreadable(registry, 'config');
  if (broken) throw new AbilityError(broken);
  throw new AbilityError({
    code: 'definition.unknown_reference',
    message: `There is no service ${name}`,
    location: locationOf(within(spot, 'service')),
    suggestion: didYouMean(name, registry.services.keys()) ?? 'Define it under `services` in registry/config.',
  });
}
