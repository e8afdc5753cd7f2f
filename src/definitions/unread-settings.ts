import type { Problem } from '../contracts/problem.js';
import type { AbilityConfig } from './formats/config.js';
import type { ImplementationBody } from './formats/implementation.js';
import type { Loaded, Registry } from './registry.js';

/** Something of the right form that nothing will ever read. */
export interface Unread {
  problem: Problem;
  /** The ability whose configuration it makes unusable. */
  config?: string;
}

type Kind = ImplementationBody['kind'];

/** The kind of implementation that reads a setting of an environment; all others are read for every kind. */
const READ_BY: Record<string, Kind> = {
  endpoints: 'api',
  credentials: 'api',
  mcp_server: 'mcp',
  mcp_tool: 'mcp',
  env_profile: 'script',
};

/** What is read of the configuration of a workflow, which has no implementation. */
const OF_WORKFLOWS: ReadonlySet<string> = new Set(['id', 'hooks', 'environments', 'prompts']);

/** Settings of the right form that no implementation of their ability reads. */
export function settingsOfNobody(registry: Registry): Unread[] {
  const known = documentKinds(registry);
  return [...registry.configs].flatMap(([id, config]) => {
    const isAgent = registry.agents.has(id);
    const isWorkflow = isAgent || registry.workflows.has(id);
    const kinds = isWorkflow ? new Set<Kind>() : kindsOf(registry, id, known.get(id));
    // An operation that is broken, or whose implementation is, may have any kind.
    if (!isWorkflow && kinds.size === 0) return [];
    return pathsOf(config.value).flatMap((path) => {
      const key = String(path.at(-1));
      const kind = READ_BY[key];
      if (isWorkflow ? OF_WORKFLOWS.has(key) : kind === undefined || kinds.has(kind)) return [];
      const why = isWorkflow
        ? `${id} is ${isAgent ? 'an agent' : 'a workflow'}`
        : `${id} has no implementation of kind ${kind}`;
      return [{ problem: unreadSetting(key, why, config, path) }];
    });
  });
}

function unreadSetting(key: string, why: string, config: Loaded<AbilityConfig>, path: PropertyKey[]): Problem {
  return {
    code: 'definition.unread',
    message: `Nothing reads \`${key}\` here: ${why}`,
    location: config.locate(path, 'key'),
    suggestion: 'Take it out, or write it where it is read.',
  };
}

/** The settings of an ability, those of its environments with their place. */
function pathsOf(config: AbilityConfig): PropertyKey[][] {
  const own = Object.keys(config).map((key): PropertyKey[] => [key]);
  const inner = Object.entries(config.environments ?? {}).flatMap(([environment, settings]) =>
    Object.keys(settings).map((key): PropertyKey[] => ['environments', environment, key]),
  );
  return [...own, ...inner];
}

/** The kinds of the implementation documents of each operation. */
function documentKinds({ implementations }: Registry): Map<string, Set<Kind>> {
  const found = new Map<string, Set<Kind>>();
  for (const { value } of implementations.values()) {
    found.set(value.operation_key, (found.get(value.operation_key) ?? new Set()).add(value.kind));
  }
  return found;
}

function kindsOf({ operations, configs }: Registry, key: string, documents: Set<Kind> = new Set()): Set<Kind> {
  const bodies = [operations.get(key)?.value.implementation, configs.get(key)?.value.impl];
  return new Set([...documents, ...bodies.flatMap((body) => (body ? [body.kind] : []))]);
}
