import { ATTRIBUTES } from '../../contracts/traces.js';
import { describeBox, PLAIN, referencesOf, type WrittenKind } from '../kind.js';

export const mcp: WrittenKind<'mcp'> = {
  ...PLAIN,
  hasPins: true,
  settings: ['mcp_server', 'mcp_tool'],
  describe: ({ mcp: { tool, server } }) => `${tool} of ${server.name}`,
  describeFully(implementation) {
    const { server } = implementation.mcp;
    const where = server.transport === 'http' ? server.url : [server.command, ...server.args].join(' ');
    const box = server.transport === 'stdio' ? describeBox(server) : '';
    return `${mcp.describe(implementation)} (${where})${box}`;
  },
  tool: ({ mcp: { tool, server } }) => `${server.name}:${tool}`,
  writtenTool(body, key, settings) {
    const server = settings?.mcp_server ?? body.mcp.server;
    const tool = settings?.mcp_tool ?? body.mcp.tool;
    return server === undefined ? null : `${server}:${tool ?? key}`;
  },
  credentials({ mcp: { server } }) {
    return server.transport === 'stdio'
      ? referencesOf(server.env.secrets, 'secret')
      : referencesOf(server.credentials, 'credential');
  },
  holdsSession: ({ mcp: { server } }) => server.session === 'task',
  withoutPin(implementation) {
    if (implementation.mcp.pinned === undefined) return implementation;
    const { pinned: _, ...rest } = implementation.mcp;
    return { ...implementation, mcp: rest };
  },
  place({ mcp: { server, tool, pinned } }) {
    return { kind: 'mcp', server: server.name, tool, ...(pinned !== undefined && { pinned }) };
  },
  renderPlace({ tool, server, pinned }, { code, line }) {
    const pin = pinned === undefined ? '' : `, pinned as ${line(pinned)}`;
    return `Tool: ${code(tool)} of the MCP server ${code(server)}${pin}`;
  },
  attributes: ({ mcp: { server } }) => ({
    [ATTRIBUTES.toolType]: 'extension',
    [ATTRIBUTES.mcpMethod]: 'tools/call',
    [ATTRIBUTES.mcpServer]: server.name,
    [ATTRIBUTES.transport]: server.transport === 'stdio' ? 'pipe' : 'tcp',
  }),
  isRequest: () => true,
  writtenAnswerIsFile: () => false,
  timeoutSec: (body) => body.mcp.timeout_sec,
  signOfChange({ mcp: { tool } }, changes) {
    return tool !== undefined && changes(tool) ? { message: `its tool is ${tool}`, path: ['mcp', 'tool'] } : undefined;
  },
};
