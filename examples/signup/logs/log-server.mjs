/** An MCP server over stdio with one tool, `search_logs`, which reads the log file of the example system. */
import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { searchEntries } from './search-entries.mjs';

const filters = z.object({
  service: z.string().optional().describe('Name of the service that wrote the entry'),
  severity: z.enum(['info', 'warning', 'error']).optional().describe('Entries at least as grave as this'),
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  window: z
    .string()
    .regex(/^\d+(ms|s|m|h|d)$/)
    .optional()
    .describe('Instead of `since`: so long before now, as in 15m'),
  text: z.string().optional().describe('Only entries that contain this'),
  limit: z.int().min(1).max(1000).optional(),
});
const found = z.object({ count: z.int(), entries: z.array(z.record(z.string(), z.unknown())) });

const tool = {
  title: 'Search logs',
  description: 'Searches the log by service, time window and severity.',
  inputSchema: filters,
  outputSchema: found,
  annotations: { readOnlyHint: true, openWorldHint: false },
};

serveStdio(() => {
  const server = new McpServer({ name: 'observability-logs', version: '1.0.0' });
  server.registerTool('search_logs', tool, async (wanted) => {
    const result = searchEntries(readFileSync(process.env.SIGNUP_LOG_FILE, 'utf8'), wanted, Date.now());
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  });
  return server;
});
