import { isJsonObject, type Json, type JsonObject } from '../contracts/json.js';
import { type Ability, isRunnable, loadedComposites } from '../definitions/find-ability.js';
import type { Registry } from '../definitions/registry.js';
import type { AbilityText } from './ranker.js';

export interface Offered {
  id: string;
  level: 'high' | 'low';
  definition: Ability;
}

export interface ChoosableAbility extends Offered {
  text: AbilityText;
  /** Its `scope.modules`, and the modules that list it. Empty: valid everywhere. */
  modules: string[];
  /** Globs of scopes in which it is preferred. */
  scopes: string[];
  /** Why it cannot run in the environment, without a full stop; null: it can. */
  unavailable: string | null;
}

/** What can run in an environment: high-level abilities first, each level by id. */
export function offeredIn(registry: Registry, environment: string): Offered[] {
  return allOf(registry).filter(({ definition }) => whyNot(registry, definition, environment) === null);
}

/** All abilities with ranking texts. Source: R-000-15, R-000-31, R-000-39, R-000-65; C-50. */
export function readAbilities(registry: Registry, environment: string): ChoosableAbility[] {
  const servers = serversOf(registry);
  return allOf(registry).map((offered) => {
    const unavailable = whyNot(registry, offered.definition, environment);
    return { ...offered, unavailable, ...textsOf(registry, offered, servers.get(offered.id) ?? []) };
  });
}

function allOf(registry: Registry): Offered[] {
  const high = loadedComposites(registry).map(([id, { value }]): Offered => ({ id, level: 'high', definition: value }));
  const low = [...registry.operations].map(([id, { value }]): Offered => ({ id, level: 'low', definition: value }));
  const byId = (one: Offered, other: Offered): number => (one.id < other.id ? -1 : 1);
  return [...high.sort(byId), ...low.sort(byId)];
}

function whyNot(registry: Registry, definition: Ability, environment: string): string | null {
  const { environments } = definition.scope;
  if (environments && !environments.includes(environment))
    return `it runs in ${environments.join(', ')}, not in ${environment}`;
  if (!('type' in definition) || isRunnable(registry, definition)) return null;
  return definition.type === 'agent' ? `the project configures no model ${definition.model}` : 'it has no steps yet';
}

interface Tool {
  server?: string | undefined;
  tool?: string | undefined;
}

/** Operation key to MCP tools, from all places that may define an implementation. */
function serversOf({ operations, implementations, configs }: Registry): Map<string, Tool[]> {
  const tools = new Map<string, Tool[]>();
  const add = (key: string, body: { kind: string; mcp?: Tool } | undefined): void => {
    if (body?.kind === 'mcp' && body.mcp) tools.set(key, [...(tools.get(key) ?? []), body.mcp]);
  };
  for (const { value } of operations.values()) add(value.operation_key, value.implementation);
  for (const { value } of implementations.values()) add(value.operation_key, value);
  for (const { value } of configs.values()) add(value.id, value.impl);
  return tools;
}

function textsOf(
  registry: Registry,
  { id, definition }: Offered,
  tools: readonly Tool[],
): Pick<ChoosableAbility, 'text' | 'modules' | 'scopes'> {
  const hints = [definition.routing_hints, registry.configs.get(id)?.value.routing_hints];
  const hinted = (name: 'keywords' | 'negative_keywords' | 'scopes'): string[] =>
    hints.flatMap((one) => one?.[name] ?? []);
  const modules = modulesOf(registry, id, definition);
  const isHigh = 'type' in definition;
  const text: AbilityText = {
    id,
    texts: {
      id: [id],
      name: tools.flatMap(({ tool }) => tool ?? []),
      module: modules,
      server: tools.flatMap(({ server }) => server ?? []),
      summary: [definition.summary],
      uses: (isHigh ? definition.scenarios : definition.use_cases) ?? [],
      parameters: parametersOf(definition.input_schema),
      examples: isHigh
        ? (definition.examples ?? []).flatMap(({ summary = '', input }) => [summary, ...textsIn(input)])
        : [],
      keywords: hinted('keywords'),
    },
    not: hinted('negative_keywords'),
  };
  return { text, modules, scopes: hinted('scopes') };
}

function modulesOf({ modules }: Registry, id: string, { scope }: Ability): string[] {
  const listing = [...modules.values()].flatMap(({ value }) => (value.abilities?.includes(id) ? value.id : []));
  return [...new Set([...(scope.modules ?? []), ...listing])].filter((module) => module !== '*');
}

/** Names, titles, descriptions and choices of the inputs, two levels deep. */
function parametersOf(schema: JsonObject, depth = 0): string[] {
  const { properties } = schema;
  if (!isJsonObject(properties) || depth > 1) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isJsonObject(property)) return [name];
    const { title, description, enum: choices } = property;
    const said = textsIn([title ?? null, description ?? null, choices ?? null]);
    return [name, ...said, ...parametersOf(property, depth + 1)];
  });
}

/** All texts in a value, except for long ones, which do not help to match requests. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return value.length <= 1000 ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
