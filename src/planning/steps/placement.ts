import type { Placement } from '../../contracts/placement.js';

/** Servers that may run in the cloud where a project says nothing. Source: R-001-14, R-001-16, C-28. */
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

/**
 * Servers that reach into the machine they run on. An unlisted server is local as well, so this list only names
 * what may not become a cloud server by being added to the list above. Source: R-001-13, C-29.
 */
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

/** Which servers may run in the cloud, and which never may. */
export interface PlacementRules {
  cloud: readonly string[];
  /** Wins over `cloud`. Source: C-29. */
  local: readonly string[];
}

/** The `placement` of a project, as written. */
export interface WrittenPlacement {
  cloud?: readonly string[] | undefined;
  local?: readonly string[] | undefined;
}

/** The rules of a project: each list as it writes it, else the one that is built in. Source: R-001-16, C-28. */
export function placementRules({ cloud, local }: WrittenPlacement): PlacementRules {
  // A project's own cloud list overrides the default local list, whose servers are local anyway.
  return { cloud: cloud ?? DEFAULT_CLOUD_SERVERS, local: local ?? (cloud ? [] : DEFAULT_LOCAL_SERVERS) };
}

/**
 * The server a tool belongs to: `filesystem:read_file` and `mcp__filesystem__read_file` are both of `filesystem`.
 *
 * A name without either mark is that of a server itself. Source: R-001-11.
 */
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

/** Whether a server has to run locally; an unlisted one has to. Source: R-001-12, C-28. */
export function isLocalServer(server: string, rules: PlacementRules): boolean {
  return !isCloudServer(server, rules);
}

/** The placement of a tool. Source: R-001-17. */
export function placementOfTool(tool: string, rules: PlacementRules): Placement {
  return isCloudServer(extractServerName(tool), rules) ? 'cloud' : 'local';
}

/**
 * Decides where an ability runs from the tools it uses, or from their servers.
 *
 * An explicit choice wins; one local tool makes the whole ability local; none at all is cloud, and so are blank names
 * only. Unknown servers are local, because running locally is the safe mistake. Source: R-001-06, R-001-21, C-28, C-30.
 */
export function resolvePlacement(
  toolsUsed: readonly (string | null | undefined)[] | null | undefined,
  rules: PlacementRules,
  explicit?: Placement,
): Placement {
  if (explicit) return explicit;
  const named = (toolsUsed ?? []).filter((tool): tool is string => typeof tool === 'string' && tool.trim() !== '');
  return named.every((tool) => placementOfTool(tool, rules) === 'cloud') ? 'cloud' : 'local';
}
