import type { PlanOperation } from '../../contracts/plan.js';
import { kindOf } from '../../kinds/kinds.js';

/**
 * The tool that decides an operation's placement, as `server:tool`: a script's is of `shell`, a service call's of
 * `http`, each named after the operation. Source: C-32.
 */
export function toolName({ key, implementation }: Pick<PlanOperation, 'key' | 'implementation'>): string {
  return kindOf(implementation).tool(implementation, key);
}

/** The log line of an MCP call. The protocol comes first, so that no text of a server can fake it. */
export function toolLine(protocol: string, what: string, end: string): string {
  return `MCP ${protocol}: ${what} -> ${end}`;
}

/** The protocol version in a log line; undefined for other lines. */
export function protocolIn(line: string): string | undefined {
  return /^MCP (\S+): /.exec(line)?.[1];
}
