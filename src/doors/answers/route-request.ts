import type { AbilityPool } from '../../choosing/ability-pool.js';
import { type Suggested, type Suggestion, suggest } from '../../choosing/suggest.js';
import type { Effect } from '../../contracts/effects.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Lifecycle } from '../../contracts/lifecycle.js';
import type { Placement } from '../../contracts/placement.js';
import type { Registry } from '../../definitions/registry.js';
import { definedEffects } from '../../planning/steps/called-abilities.js';
import { inferPlacement } from '../../planning/steps/infer-placement.js';

/** How detailed each suggestion is. */
export const DETAILS = ['name', 'summary', 'schema'] as const;

/** One of {@link DETAILS}. */
export type Detail = (typeof DETAILS)[number];

/** A suggestion, with the facts for a caller's decision. Source: R-001-25. */
export interface RoutedAbility extends Suggestion {
  /** The gravest effect of its possible calls; null: unknown. */
  effects: Effect | null;
  /** From `summary` on. */
  summary?: string;
  type?: string;
  placement?: Placement;
  status?: Lifecycle;
  replaced_by?: string;
  /** With `schema`. */
  input_schema?: JsonObject;
  /** With `schema`; null: any JSON. */
  output_schema?: JsonObject | null;
}

/** The routing of a request, or of a step of it. */
export interface RoutedRequest extends Omit<Suggested, 'suggestions'> {
  request: string;
  /** Whether anything is worth offering. */
  fits: boolean;
  suggestions: RoutedAbility[];
}

/** The request, and its scope. */
export interface RouteQuestion {
  registry: Registry;
  pool: AbilityPool;
  environment: string;
  detail: Detail;
  limit?: number;
}

/** Ranks the abilities of a project for a request. Reads files only, but for the endpoint of embeddings where the project has one. */
export async function routeRequest(question: RouteQuestion, request: string): Promise<RoutedRequest> {
  const { pool, limit } = question;
  const found = await suggest(pool, { text: request, ...(limit !== undefined && { limit }) });
  const suggestions = found.suggestions.map((suggestion) => describe(question, suggestion));
  return { request, fits: suggestions.length > 0, ...found, suggestions };
}

function describe({ registry, environment, detail, pool }: RouteQuestion, suggestion: Suggestion): RoutedAbility {
  const { id } = suggestion;
  const effects = definedEffects(registry, id);
  const definition = pool.abilities.get(id)?.definition;
  if (detail === 'name' || !definition) return { ...suggestion, effects };
  const { summary, status, replaced_by, input_schema, output_schema } = definition;
  return {
    ...suggestion,
    effects,
    summary,
    ...('type' in definition && { type: definition.type }),
    placement: inferPlacement(registry, id, environment).placement,
    ...(status && { status }),
    ...(replaced_by !== undefined && { replaced_by }),
    ...(detail === 'schema' && { input_schema, output_schema: output_schema ?? null }),
  };
}
