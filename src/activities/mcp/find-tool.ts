import type { Tool } from '@modelcontextprotocol/client';
import type { McpImplementation } from '../../contracts/plan.js';
import { didYouMean } from '../../rules/nearest.js';
import { CallFailure } from '../call-failure.js';
import type { McpConnection } from './connection.js';
import { failureOf } from './mcp-failure.js';
import type { McpUser } from './pool.js';

/**
 * The tool of an implementation, as its server describes it now.
 *
 * @throws CallFailure `mcp.tool_missing`, or why the server could not be asked; nothing was called.
 */
export async function findTool(
  { tool: name, server }: McpImplementation['mcp'],
  connection: McpConnection,
  user: McpUser,
): Promise<Tool> {
  const tools = await connection.askTools(user.stop).catch((error: unknown) => {
    throw failureOf(error, { what: `The MCP server ${server.name}`, connection, user, called: false });
  });
  const tool = tools.get(name);
  if (tool) return tool;
  const names = [...tools.keys()];
  throw new CallFailure({
    code: 'mcp.tool_missing',
    message: `The MCP server ${server.name} has no tool ${name}`,
    suggestion: didYouMean(name, names) ?? `Its tools: ${names.slice(0, 20).join(', ')}.`,
  });
}
