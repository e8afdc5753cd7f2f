import type { PlanOperation } from '../../contracts/plan.js';

/**
 * The tool that decides an operation's placement, as `server:tool`: a script's is of `shell`, a service call's of
 * `http`, each named after the operation. Source: C-32.
 */
export function toolName({ key, implementation }: Pick<PlanOperation, 'key' | 'implementation'>): string {
  if (implementation.kind === 'model') return key;
  if (implementation.kind !== 'mcp') return `${NEEDED_SERVER[implementation.kind]}:${key}`;
  return `${implementation.mcp.server.name}:${implementation.mcp.tool}`;
}

/** The server that decides the placement of an implementation without one. */
export const NEEDED_SERVER = { script: 'shell', api: 'http' } as const;
