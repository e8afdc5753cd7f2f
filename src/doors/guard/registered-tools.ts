import { compareServer, plainName } from './agent-servers.js';
import type { RegisteredTool } from './guard-index.js';
import type { AgentCall } from './read-event.js';

/** A registered MCP tool that a call is, or may be, of. */
export interface FoundTool extends RegisteredTool {
  /** False where only the name of the tool says so, and nothing says which server is meant. */
  isCertain: boolean;
}

/**
 * The registered MCP tool that a call is of: by its server's name, by how the server is reached, or by what the settings of the
 * project say of the name.
 *
 * A server of which nothing is known, with a tool of that name, counts as the registered one, since an agent's tool names
 * servers as it likes.
 */
export function registeredTool(
  call: Pick<AgentCall, 'name' | 'server'>,
  tools: readonly RegisteredTool[],
  root: string,
): FoundTool | undefined {
  const certain = tools.find((tool) => isNamed(call, tool));
  if (certain) return { ...certain, isCertain: true };
  const compared = tools.flatMap((tool) => {
    const server = serverIn(call.name, tool.tool);
    return server === undefined ? [] : [{ tool, is: compareServer(root, server, tool.at) }];
  });
  const same = compared.find(({ is }) => is === 'same') ?? compared.find(({ is }) => is === 'unknown');
  return same && { ...same.tool, isCertain: same.is === 'same' };
}

function isNamed(
  { name, server }: Pick<AgentCall, 'name' | 'server'>,
  { server: of, tool, at }: RegisteredTool,
): boolean {
  const [s, t] = [plainName(of), plainName(tool)];
  const names = [`mcp__${s}__${t}`, `mcp_${s}_${t}`, `mcp:${s}:${t}`, `${s}__${t}`];
  if (names.includes(plainName(name))) return true;
  const last = plainName(name).split(/__|:/).at(-1);
  return last === t && (name === `MCP:${tool}` || (server !== undefined && isSameServer(server, at)));
}

/** What an agent's tool calls the server of a call of a tool with this name; undefined where it is a call of another. */
function serverIn(name: string, tool: string): string | undefined {
  const [whole, t] = [plainName(name), plainName(tool)];
  for (const joint of ['__', ':', '_']) {
    if (!whole.endsWith(`${joint}${t}`)) continue;
    const before = whole.slice(0, -(joint.length + t.length));
    const server = before.replace(/^mcp(__|:|_)/, '');
    // A single `_` joins only behind `mcp_`; else it is a letter of the name.
    if (joint === '_' && server === before) continue;
    if (server !== '') return server;
  }
  return undefined;
}

function isSameServer(given: string, at: string): boolean {
  const [one, other] = [given, at].map((text) => text.trim().replace(/\/+$/, '').toLowerCase());
  return one === other || (other ?? '').split(' ')[0] === one;
}
