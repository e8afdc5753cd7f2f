import type { PlanApiBody, PlanApiParam } from '../../contracts/api.js';
import type { ApiImplementation } from '../../contracts/plan.js';
import { defaultExplode, defaultStyle } from '../../definitions/api-styles.js';
import type { ImplementationBody } from '../../definitions/formats/implementation.js';

type ApiSection = Extract<ImplementationBody, { kind: 'api' }>['api'];

/** The parts of a planned request that say in which form inputs are sent and answers are read. */
type Form = Pick<ApiImplementation['api'], 'params' | 'body' | 'auth' | 'response'>;

/**
 * Resolves the form of a request: every parameter with its style, so that a plan does not depend on defaults.
 *
 * What the definition does not say is left out of the plan, whose digest then is what it was before there were such
 * parts. Source: docs/api-calls.md.
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
        ...(response.as && { as: response.as }),
        ...(response.big_integers && { big_integers: response.big_integers }),
        ...(response.headers && { headers: response.headers }),
        ...(response.status && { status: response.status }),
      },
    }),
  };
}

function resolveBody({ type, content_type, value, required }: NonNullable<ApiSection['body']>): PlanApiBody {
  return {
    ...(type !== 'json' && { type }),
    ...(content_type !== undefined && { content_type }),
    ...(value !== undefined && { value }),
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
