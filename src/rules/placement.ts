import type { Placement } from '../contracts/placement.js';

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

/** Which servers may run in the cloud, and which never may. */
export interface PlacementRules {
  cloud: readonly string[];
  /** Wins over `cloud`. Source: C-29. */
  local: readonly string[];
}

/**
 * Decides where an ability runs from the servers it uses.
 *
 * An explicit choice wins; one local server makes the whole ability local; no servers at all is cloud. Unknown servers
 * are local, because running locally is the safe mistake. Source: R-001-06, C-28, C-30.
 */
export function resolvePlacement(
  serversUsed: readonly string[],
  rules: PlacementRules,
  explicit?: Placement,
): Placement {
  if (explicit) return explicit;
  return serversUsed.every((server) => isCloudServer(server, rules)) ? 'cloud' : 'local';
}

function isCloudServer(server: string, rules: PlacementRules): boolean {
  return rules.cloud.includes(server) && !rules.local.includes(server);
}
