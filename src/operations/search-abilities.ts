import { z } from 'zod';
import { type AbilityPool, poolOf } from '../choosing/ability-pool.js';
import type { Rights } from '../contracts/access.js';
import { isAllowed, isLimited } from '../rules/rights.js';
import * as fields from './fields.js';
import { noteUnfit } from './gaps.js';
import { answer, environmentOf, operation } from './operation.js';
import { DETAILS, routeRequest } from './route-request.js';

export const searchAbilities = operation({
  summary: 'Which abilities fit a request, the best first; runs nothing.',
  right: 'read',
  at: 'POST /v1/route',
  input: z.strictObject({
    request: z.string().trim().min(1).max(10_000).describe('What is wanted, in plain words.'),
    detail: z.enum(DETAILS).default('summary'),
    limit: z.int().min(1).max(100).optional(),
    environment: fields.environment.optional(),
    scope: fields.scope.optional(),
  }),
  answers: answer(
    'What fits; `fits` is false if nothing does that can run here.',
    z.looseObject({
      fits: z.boolean(),
      suggestions: z.array(z.looseObject({ id: z.string(), score: z.number() })),
      nearest: z.array(z.string()),
    }),
  ),
  async run(project, caller, { request, detail, limit, ...place }) {
    const registry = project.registry();
    const environment = environmentOf(project, registry, place.environment);
    const scope = place.scope ?? caller.scope;
    const pool = poolOf(registry, environment, scope, project.env);
    const among = readableIn(pool, caller.rights);
    const question = { registry, pool, environment, detail, among, ...(limit !== undefined && { limit }) };
    const found = await routeRequest(question, request);
    // What an ability covers that the caller may not read is no gap.
    if (!among) noteUnfit(registry, project.env, found, { door: 'route', environment, scope });
    return { environment, scope, ...found };
  },
  concerns: {
    each(found, may, { input, project }) {
      const environment = environmentOf(project, project.registry(), input.environment);
      const isHere = (ability: string | undefined): boolean => may({ ability, environment });
      const { suggestions, nearest, documents } = found;
      return {
        ...found,
        suggestions: suggestions.filter(({ id }) => isHere(id)),
        nearest: nearest.filter(isHere),
        documents: isHere(undefined) ? documents : [],
      };
    },
  },
});

/** The abilities that a caller may read; undefined: all. */
export function readableIn({ abilities, environment }: AbilityPool, rights: Rights): Set<string> | undefined {
  if (!isLimited(rights, 'read')) return undefined;
  return new Set([...abilities.keys()].filter((ability) => isAllowed(rights, 'read', { ability, environment })));
}
