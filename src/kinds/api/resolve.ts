import type { Json } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { refuseMissingCredential, resolveAddress } from '../../planning/resolve/resolve-address.js';
import { INSTEAD, type Resolver } from '../../planning/resolve/resolver.js';
import { headerTexts } from '../../planning/scripts/check-placeholders.js';
import { type Available, checkTemplate } from '../../planning/steps/check-names.js';
import { defined } from '../../text/defined.js';
import type { BodyOf } from '../kind.js';
import { resolveAccess, resolveForm } from './resolve-form.js';

/** Names available in the templates of a request. */
const REQUEST: Available = {
  names: ['input', 'environment'],
  functions: [],
  where: 'a request',
  instead: INSTEAD,
};

export const resolveApiSection: Resolver<'api'> = ({ api }, { registry, chosen, settings, variables }) => {
  const spot = within(chosen, 'api');
  const { environment } = variables;
  const { endpoints, credentials, where } = resolveAccess(registry, api.service, settings, environment, spot);
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
