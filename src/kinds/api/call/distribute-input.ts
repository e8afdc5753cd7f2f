import type { CallInput } from '../../../activities/call/call-input.js';
import type { ApiPlace, PlanApiParam } from '../../../contracts/api.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import type { ApiImplementation } from '../../../contracts/plan.js';
import { expressionsIn } from '../../../rules/expressions/template.js';
import { inputsOfPath } from './build-path.js';

/** Methods whose unnamed input goes to the query. */
const TO_THE_QUERY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

export interface UnnamedInput {
  query: JsonObject;
  body: JsonObject;
}

/** Unnamed inputs go to the body, or without one to the query of a GET or the like; `body.value` drops them. */
export function distributeInput(api: ApiImplementation['api'], { input }: CallInput): UnnamedInput {
  const { params = {}, body } = api;
  const used = new Set([
    ...referencesIn([api.query, api.headers, body?.value ?? null]),
    ...inputsOfPath(api.path, params),
    ...Object.keys(params),
  ]);
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !used.has(name)));
  if (body?.value !== undefined) return { query: {}, body: {} };
  const toQuery = body === null && TO_THE_QUERY.has(api.method);
  return toQuery ? { query: rest, body: {} } : { query: {}, body: rest };
}

export function paramsIn(place: ApiPlace, params: Record<string, PlanApiParam>): [string, PlanApiParam][] {
  return Object.entries(params).filter(([, param]) => param.in === place);
}

/** Names of inputs that templates read, so that they are not sent twice. */
function referencesIn(templates: Json[]): string[] {
  return templates
    .flatMap((template) => expressionsIn(template))
    .flatMap(({ references }) => references.filter(({ name }) => name === 'input').map(({ path }) => path[0] ?? ''));
}
