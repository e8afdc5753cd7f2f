import { z } from 'zod';
import { bigIntegers, matching, optional, plainName, seconds, text } from '../../definitions/formats/values.js';

/** A tool of an MCP server. Source: docs/definitions.md; docs/guide.md#mcp. */
const mcp = z.strictObject({
  server: optional(plainName, 'One of mcp_servers; may be in the configuration instead.'),
  tool: optional(text, 'The tool of the server; may be in the configuration instead.'),
  timeout_sec: optional(seconds, 'How long a call may take; 60 without it.'),
  output: optional(z.literal('json'), 'Reads the text of the answer as JSON.'),
  big_integers: bigIntegers.optional(),
  pinned: optional(
    matching(/^sha256:[0-9a-f]{64}$/, '`pinned` is `sha256:` and 64 hex digits, as `ability import mcp` writes it'),
    'The digest of the tool as the server described it when it was imported; a tool that differs is not called.',
  ),
});

export const mcpKind = {
  kind: z.literal('mcp').describe('A tool of an MCP server.'),
  mcp: mcp.describe('The tool.'),
};
