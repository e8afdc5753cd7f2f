import type { PlanApiBody, PlanApiParam } from '../../contracts/api.js';
import type { Json } from '../../contracts/json.js';
import type { ApiImplementation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { defaultExplode, defaultStyle } from '../../definitions/api-styles.js';
import type { AbilityConfig, Service } from '../../definitions/formats/config.js';
import type { ImplementationBody } from '../../definitions/formats/implementation.js';
import { type Registry, unreadable } from '../../definitions/registry.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { INSTEAD, type Resolver } from '../../planning/resolve/choose-implementation.js';
import { refuseMissingCredential, resolveAddress } from '../../planning/resolve/resolve-address.js';
import { headerTexts } from '../../planning/scripts/placeholders.js';
import { type Available, checkTemplate } from '../../planning/steps/check-names.js';
import { defined } from '../../text/defined.js';
import { didYouMean } from '../../text/nearest.js';
import type { BodyOf } from '../kind.js';

/** Names available in the templates of a request. */
const REQUEST: Available = {
  names: ['input', 'environment'],
  functions: [],
  where: 'a request',
  instead: INSTEAD,
};

export const resolveApiSection: Resolver<'api'> = ({ api }, { registry, chosen, variables }) => {
  const spot = within(chosen, 'api');
  const { environment } = variables;
  const { endpoints, credentials, where } = resolveAccess(registry, api.service, chosen.settings, environment, spot);
  const endpoint = Object.hasOwn(endpoints, api.endpoint) ? endpoints[api.endpoint] : undefined;
  if (endpoint === undefined) {
    throw new AbilityError({
      code: 'config.missing_endpoint',
      message: `${chosen.id} has no endpoint \`${api.endpoint}\` in ${environment}`,
      location: locationOf(spot),
      suggestion: `Set \`${where}endpoints.${api.endpoint}\` for it in registry/config.`,
    });
  }
  const { url: base_url, allowed_hosts } = resolveAddress(registry, endpoint, variables, spot);
  for (const section of ['query', 'headers', 'body'] as const) {
    checkTemplate((api[section] ?? null) as Json, REQUEST, within(spot, section));
  }
  const auth = within(spot, 'auth');
  refuseMissingCredential(api.headers ?? {}, credentials, where, within(spot, 'headers'));
  refuseMissingCredential(api.auth?.basic ?? {}, credentials, where, within(auth, 'basic'));
  refuseMissingCredential(api.auth?.query ?? {}, credentials, where, within(auth, 'query'));
  return {
    kind: 'api',
    api: {
      method: api.method,
      path: api.path,
      base_url,
      query: api.query ?? {},
      headers: headerTexts(api.headers ?? {}, within(spot, 'headers')),
      credentials,
      allowed_hosts,
      rate_limit: api.rate_limit ? defined(api.rate_limit) : null,
      ...resolveForm({ ...api, ...(api.auth && { auth: plainAuth(api.auth, auth) }) }),
    },
  };
};

type Auth = NonNullable<BodyOf<'api'>['api']['auth']>;

function plainAuth({ basic, query }: Auth, spot: Spot): Auth {
  return {
    ...(basic && { basic: headerTexts(basic, within(spot, 'basic'), true) }),
    ...(query && { query: headerTexts(query, within(spot, 'query'), true) }),
  };
}

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
