import type { PlanOperation } from '../../contracts/plan.js';

/** Whether calls of a task keep state in an MCP server, and so all reach the worker that has the connection. */
export function holdsSession({ implementation }: Pick<PlanOperation, 'implementation'>): boolean {
  return implementation.kind === 'mcp' && implementation.mcp.server.session === 'task';
}
