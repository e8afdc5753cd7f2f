import { z } from 'zod';
import { poolOf } from '../../choosing/ability-pool.js';
import { offeredIn } from '../../choosing/read-abilities.js';
import type { Rights } from '../../contracts/access.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { noteUnfit } from '../../operations/gaps.js';
import { DETAILS, type RoutedAbility, routeRequest } from '../../operations/route-request.js';
import { readableIn } from '../../operations/search-abilities.js';
import { definedEffects } from '../../planning/steps/called-abilities.js';
import { isAllowed } from '../../rules/rights.js';
import { oneLine } from '../../rules/shown-text.js';
import type { McpDoor, ToolAnswer, ToolCall } from './mcp-door.js';

export const searchInput = z.strictObject({
  query: z
    .string()
    .max(1000)
    .optional()
    .describe('What is wanted, in the language of the abilities, usually English (default: all).'),
  detail: z.enum(DETAILS).default('summary'),
  limit: z.number().int().min(1).max(100).default(20),
});

/** `ability_search`: what fits a request; without a query, all that can be run, high-level ones first. */
export async function search(
  { door, visitor: { rights } }: ToolCall,
  { query = '', detail, limit }: z.output<typeof searchInput>,
): Promise<ToolAnswer> {
  if (query.trim() === '') return { data: listAll(door, rights, limit), isError: false };
  const registry = door.registry();
  const { environment, scope, env } = door;
  const pool = poolOf(registry, environment, scope, env);
  const among = readableIn(pool, rights);
  const question = { registry, pool, environment, detail, among, limit: MAX };
  const found = await routeRequest(question, query);
  const { fits, suggestions, nearest, documents, question: ask, ranker, warning } = found;
  if (!among) noteUnfit(registry, env ?? process.env, found, { door: 'search', environment, scope });
  const data = {
    abilities: suggestions.slice(0, limit).map(shown),
    total: suggestions.length,
    ...(suggestions.length === 0 && { nothing_fits: true }),
    ...(!fits && { nearest }),
    ...(documents.length > 0 && !among && { documents }),
    ...(ask !== null && { ask: oneLine(ask) }),
    ...(registry.project.policy.embeddings && { ranker }),
    ...(warning !== undefined && { warning: oneLine(warning) }),
  };
  return { data, isError: false };
}

const MAX = 100;

function listAll({ registry: load, environment }: McpDoor, rights: Rights, limit: number): JsonObject {
  const registry = load();
  const all = offeredIn(registry, environment).filter(({ id: ability }) =>
    isAllowed(rights, 'read', { ability, environment }),
  );
  const abilities = all.slice(0, limit).map(({ id, definition }) => ({
    id,
    summary: oneLine(definition.summary),
    effects: definedEffects(registry, id),
    ...(definition.status !== undefined && { status: definition.status }),
    ...(definition.replaced_by !== undefined && { replaced_by: definition.replaced_by }),
  }));
  return { abilities, total: all.length };
}

/** Leaves out empty fields, to save an agent's context. */
function shown({ given, missing, summary, reason, ...rest }: RoutedAbility): JsonObject {
  return {
    ...(rest as unknown as JsonObject),
    reason: oneLine(reason),
    ...(summary !== undefined && { summary: oneLine(summary) }),
    ...(Object.keys(given).length > 0 && { given }),
    ...(missing.length > 0 && { missing: missing as unknown as Json }),
  };
}
