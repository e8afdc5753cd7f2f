import type { PlanOperation } from '../../contracts/plan.js';

/**
 * The tool behind an operation, as `server:tool`, by which its placement is decided.
 *
 * An MCP tool is one of its server; a script needs the `shell` of a machine, a call of a service only `http`, and both are
 * named after the operation. Source: C-32.
 */
export function toolName({ key, implementation }: Pick<PlanOperation, 'key' | 'implementation'>): string {
  if (implementation.kind === 'model') return key;
  if (implementation.kind !== 'mcp') return `${NEEDED_SERVER[implementation.kind]}:${key}`;
  return `${implementation.mcp.server.name}:${implementation.mcp.tool}`;
}

/** Server whose placement applies to an implementation that names none. */
export const NEEDED_SERVER = { script: 'shell', api: 'http' } as const;
