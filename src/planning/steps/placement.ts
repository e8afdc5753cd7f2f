import type { Placement } from '../../contracts/names.js';
import type { Project } from '../../definitions/formats/project.js';

/** Servers that may run in the cloud, unless the project lists others. Source: R-001-14, R-001-16, C-28. */
export const DEFAULT_CLOUD_SERVERS: readonly string[] = [
  'api',
  'github',
  'http',
  'json',
  'memory',
  'pml',
  'slack',
  'tavily',
];

/** Unlisted servers are local as well; these must never join the list above. Source: R-001-13, C-29. */
export const DEFAULT_LOCAL_SERVERS: readonly string[] = [
  'archive',
  'docker',
  'filesystem',
  'fs',
  'kubernetes',
  'process',
  'shell',
  'sqlite',
  'ssh',
];

export interface PlacementRules {
  cloud: readonly string[];
  /** Wins over `cloud`. Source: C-29. */
  local: readonly string[];
  /** Servers in a placement of the project's own, which win over both. */
  own?: ReadonlyMap<string, Placement>;
}

/** The rules of a project. */
export function rulesOf({ placement, placements }: Pick<Project, 'placement' | 'placements'>): PlacementRules {
  const own = Object.entries(placements).flatMap(([name, { servers }]) =>
    servers.map((server) => [server, name] as const),
  );
  return { ...placementRules(placement), own: new Map(own) };
}

export interface WrittenPlacement {
  cloud?: readonly string[] | undefined;
  local?: readonly string[] | undefined;
}

/** Applies the built-in lists for those that the project does not set. Source: R-001-16, C-28. */
export function placementRules({ cloud, local }: WrittenPlacement): PlacementRules {
  // A project's own cloud list overrides the default local list, whose servers are local anyway.
  return { cloud: cloud ?? DEFAULT_CLOUD_SERVERS, local: local ?? (cloud ? [] : DEFAULT_LOCAL_SERVERS) };
}

/** `filesystem` for `filesystem:read_file`, `mcp__filesystem__read_file` and itself. Source: R-001-11. */
export function extractServerName(tool: string): string {
  const name = tool.trim();
  const colon = name.indexOf(':');
  if (colon >= 0) return name.slice(0, colon).trim();
  const [, server] = /^mcp__(.+?)__/.exec(name) ?? [];
  return server ?? name;
}

/** Whether a server may run in the cloud. Source: R-001-17. */
export function isCloudServer(server: string, rules: PlacementRules): boolean {
  return rules.cloud.includes(server) && !rules.local.includes(server);
}

/** Whether a server must run locally, as any unlisted one must. Source: R-001-12, C-28. */
export function isLocalServer(server: string, rules: PlacementRules): boolean {
  return !isCloudServer(server, rules);
}

/** The placement of a tool. Source: R-001-17. */
export function placementOfTool(tool: string, rules: PlacementRules): Placement {
  const server = extractServerName(tool);
  return rules.own?.get(server) ?? (isCloudServer(server, rules) ? 'cloud' : 'local');
}

/**
 * By an explicit choice, else local if any tool is; without tools, cloud. Blank names do not count. Unknown
 * servers are local, the safe choice. Source: R-001-06, R-001-21, C-28, C-30.
 */
export function resolvePlacement(
  toolsUsed: readonly (string | null | undefined)[] | null | undefined,
  rules: PlacementRules,
  explicit?: Placement,
): Placement {
  if (explicit) return explicit;
  const named = (toolsUsed ?? []).filter((tool): tool is string => typeof tool === 'string' && tool.trim() !== '');
  return nearest(named.map((tool) => placementOfTool(tool, rules)));
}

/** What needs all of these: one of the project's own, else local if any is, else cloud. @param needed of several own ones, the first. */
export function nearest(needed: readonly Placement[]): Placement {
  return ownAmong(needed)[0] ?? (needed.includes('local') ? 'local' : 'cloud');
}

/** The placements of the project's own, each once. */
export function ownAmong(needed: readonly Placement[]): Placement[] {
  return [...new Set(needed)].filter((placement) => placement !== 'local' && placement !== 'cloud');
}
