import { z } from 'zod';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Registry } from '../../definitions/registry.js';
import { oneLine } from '../../rules/shown-text.js';
import { effectsOf } from '../answers/effects-of.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';

/** What `ability_search` takes. */
export const searchInput = z.strictObject({
  query: z.string().max(1000).optional().describe('Words; without: all.'),
  limit: z.number().int().min(1).max(100).default(20),
});

/** An ability that can be run in an environment. */
export interface Offered {
  id: string;
  level: 'high' | 'low';
  definition: HighLevel | LowLevel;
}

/**
 * `ability_search`: the abilities in whose id, summary, uses or keywords words of the query stand, most of them first,
 * high-level ones before low-level ones. Reads files only.
 */
export async function search({ door }: ToolCall, { query, limit }: z.output<typeof searchInput>): Promise<ToolAnswer> {
  const registry = door.registry();
  const wanted = wordsIn(query ?? '');
  const found = offeredIn(registry, door.environment)
    .map((ability) => ({ ability, hits: hitsOf(ability, wanted) }))
    .filter(({ hits }) => hits > 0 || wanted.size === 0)
    .sort((one, other) => other.hits - one.hits);
  const abilities = found.slice(0, limit).map(({ ability: { id, definition } }) => ({
    id,
    summary: oneLine(definition.summary),
    effects: effectsOf(registry, id, door.environment, door.env),
    ...(definition.status !== undefined && { status: definition.status }),
    ...(definition.replaced_by !== undefined && { replaced_by: definition.replaced_by }),
  }));
  return { told: { abilities, total: found.length }, isError: false };
}

/** What can be run in an environment: high-level abilities first, each kind by id. */
export function offeredIn({ workflows, operations }: Registry, environment: string): Offered[] {
  const high = [...workflows.values()].flatMap(({ value }): Offered[] =>
    value.steps.length === 0 ? [] : [{ id: value.id, level: 'high', definition: value }],
  );
  const low = [...operations.values()].map(({ value }): Offered => {
    return { id: value.operation_key, level: 'low', definition: value };
  });
  const byId = (one: Offered, other: Offered): number => (one.id < other.id ? -1 : 1);
  return [...high.sort(byId), ...low.sort(byId)].filter(({ definition }) => {
    return definition.scope.environments?.includes(environment) ?? true;
  });
}

function hitsOf({ id, definition }: Offered, wanted: ReadonlySet<string>): number {
  const { summary, routing_hints: hints } = definition;
  const uses = 'scenarios' in definition ? definition.scenarios : 'use_cases' in definition ? definition.use_cases : [];
  const own = wordsIn([id, summary, ...(uses ?? []), ...(hints?.keywords ?? [])].join(' '));
  return [...wanted].filter((word) => own.has(word)).length;
}

/** The words of a text, in lower case; the parts of an id are words. */
function wordsIn(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}
