import type { AbilityPool } from '../choosing/ability-pool.js';
import { type Suggested, type Suggestion, suggest } from '../choosing/suggest.js';
import type { Effect } from '../contracts/effects.js';
import type { JsonObject } from '../contracts/json.js';
import type { Lifecycle } from '../contracts/lifecycle.js';
import type { Placement } from '../contracts/names.js';
import type { Registry } from '../definitions/registry.js';
import { definedEffects } from '../planning/steps/called-abilities.js';
import { inferPlacement } from '../planning/steps/placement.js';
import { defined } from '../text/defined.js';

export const DETAILS = ['name', 'summary', 'schema'] as const;

type Detail = (typeof DETAILS)[number];

/** A suggestion, with the facts that a caller needs to decide. Source: R-001-25. */
export interface RoutedAbility extends Suggestion {
  /** The strongest effect of its possible calls; null: unknown. */
  effects: Effect | null;
  /** Only from the detail `summary` on. */
  summary?: string;
  type?: string;
  placement?: Placement;
  status?: Lifecycle;
  replaced_by?: string;
  /** Only with the detail `schema`. */
  input_schema?: JsonObject;
  /** Only with the detail `schema`; null: any JSON. */
  output_schema?: JsonObject | null;
}

export interface RoutedRequest extends Omit<Suggested, 'suggestions'> {
  request: string;
  /** Whether an ability that fits can run here. */
  fits: boolean;
  suggestions: RoutedAbility[];
}

export interface RouteQuestion {
  registry: Registry;
  pool: AbilityPool;
  environment: string;
  detail: Detail;
  limit?: number;
  /** Only these ids; absent: all. */
  among?: ReadonlySet<string> | undefined;
}

/** Ranks the abilities of a project for a request. Sends it only to an endpoint of embeddings, if any. */
export async function routeRequest(question: RouteQuestion, request: string): Promise<RoutedRequest> {
  const { pool, limit, among } = question;
  const found = await suggest(pool, { text: request, ...defined({ limit, among }) });
  const suggestions = found.suggestions.map((suggestion) => describe(question, suggestion));
  return { request, fits: suggestions.some(({ unavailable }) => unavailable === undefined), ...found, suggestions };
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
    ...defined({ status, replaced_by }),
    ...(detail === 'schema' && { input_schema, output_schema: output_schema ?? null }),
  };
}
