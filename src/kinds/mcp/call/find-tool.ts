import type { Tool } from '@modelcontextprotocol/client';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { McpImplementation } from '../../../contracts/plan.js';
import { didYouMean } from '../../../text/nearest.js';
import type { McpConnection } from './connection.js';
import { failureOf } from './mcp-failure.js';
import type { McpUser } from './open-transport.js';

/** The current tool. @throws CallFailure `mcp.tool_missing`, `mcp.tool_invalid`, or the listing's failure. */
export async function findTool(
  { tool: name, server }: McpImplementation['mcp'],
  connection: McpConnection,
  user: McpUser,
): Promise<Tool> {
  const tools = await connection.askTools(user).catch((error: unknown) => {
    throw failureOf(error, { what: `The MCP server ${server.name}`, connection, user, called: false });
  });
  const found = tools.find(name);
  if (found && 'tool' in found) return found.tool;
  if (found) {
    throw new CallFailure({
      code: 'mcp.tool_invalid',
      message: `The MCP server ${server.name} describes ${name} in a way that cannot be relied on; it was not called: ${found.fault}`,
      suggestion:
        'The maintainer of the server must correct the definition of the tool; its other tools can be called.',
    });
  }
  const names = tools.names();
  throw new CallFailure({
    code: 'mcp.tool_missing',
    message: `The MCP server ${server.name} has no tool ${name}`,
    suggestion: didYouMean(name, names) ?? `Its tools: ${names.slice(0, 20).join(', ')}.`,
  });
}
