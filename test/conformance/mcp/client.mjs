/**
 * The client half of the runtime for one scenario of the conformance suite: it calls each tool of the server whose address is the
 * last argument, as a worker calls it for a task.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CallLog } from '../../../build/activities/call/call-log.js';
import { SecretSource } from '../../../build/activities/secrets.js';
import { callMcp } from '../../../build/kinds/mcp/call/call-mcp.js';
import { PinnedTools } from '../../../build/kinds/mcp/call/pinned-tools.js';
import { McpPool } from '../../../build/kinds/mcp/call/pool.js';
import { RunningGroups } from '../../../build/worker/running-groups.js';

const url = process.argv.at(-1);
const { MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const root = mkdtempSync(join(tmpdir(), 'ability-mcp-client-'));
const pool = new McpPool({ root, groups: new RunningGroups(join(root, 'running')) });
const store = { put: async () => '', holds: async () => false, get: () => Promise.reject(new Error('empty')) };
const dependencies = { pool, tools: new PinnedTools(pool, store, root) };
const host = new URL(url).host;
const server = { name: 'suite', transport: 'http', url, headers: {}, credentials: {}, allowed_hosts: [host] };
const call = {
  environment: { name: 'dev' },
  secrets: new SecretSource(root, 'dev'),
  log: new CallLog(undefined, '', 1),
  signal: new AbortController().signal,
  stop: new AbortController().signal,
  timeoutMs: 20_000,
  begin: async () => {},
  idempotencyKey: 'suite/call',
  outputBytes: 1_000_000,
};

try {
  for (const { name, arguments: input } of await wanted()) await run(name, input);
} finally {
  await pool.close();
  rmSync(root, { recursive: true, force: true });
}

/** What the scenario asks for, else a call of each tool. */
async function wanted() {
  const { toolCalls } = JSON.parse(context);
  if (toolCalls) return toolCalls;
  const tools = await pool.use(server, call, (connection) => connection.askTools(call));
  // Also those that cannot be relied on: no call may reach them.
  const listed = tools.all().map(({ name, tool }) => tool ?? { name, inputSchema: {} });
  const [rich, echo] = listed;
  if (echo?.name === 'json_schema_echo') return [{ name: echo.name, arguments: { schema: rich.inputSchema } }];
  return listed.map(({ name, inputSchema }) => ({ name, arguments: inputOf(inputSchema) }));
}

/** The least that a schema takes. */
function inputOf({ properties = {}, required = [] }) {
  const values = { number: 2, integer: 2, boolean: true, object: {}, array: [], null: null };
  return Object.fromEntries(required.map((name) => [name, values[properties[name]?.type] ?? 'text']));
}

/** A refusal is an answer as well; what was asked of the server is what the suite looks at. */
async function run(tool, input) {
  const implementation = { id: 'suite', kind: 'mcp', mcp: { server, tool, output: 'structured' } };
  try {
    console.log(tool, JSON.stringify(await callMcp(implementation, { ...call, input }, dependencies)));
  } catch (error) {
    console.log(tool, error.code ?? error, error.message);
  }
}
