import { CallLog } from '../../../../../src/activities/call/call-log.js';
import type { McpConnection } from '../../../../../src/kinds/mcp/call/connection.js';
import { ListedTools } from '../../../../../src/kinds/mcp/call/listed-tools.js';
import type { McpPool } from '../../../../../src/kinds/mcp/call/pool.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { callFiles } from '../../../../fixtures/memory-files.js';

/** How a connection without a server behaves. */
export interface Behaviour {
  /** The tools that it lists, or the error of the listing. */
  tools?: unknown[] | Error;
  /** The result of each call of a tool, or its error. */
  result?: object;
  stderr?: string;
  overflowed?: boolean;
}

/** One call of a tool, as the client of the SDK receives it. */
interface SeenCall {
  request: { name: string; arguments: object; _meta: object };
  options: { timeout: number; maxTotalTimeout: number; signal: AbortSignal; toolDefinition: object };
}

export const SERVER = {
  name: 'files',
  transport: 'stdio',
  command: 'none',
  args: [],
  env: { pass: [], set: {}, secrets: {} },
} as const;

/** A tool that takes an object. */
export const toolNamed = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });

/** A connection that answers from memory, and the calls of tools that reached it. */
export function fakeConnection({ tools = [], result = {}, stderr = '', overflowed = false }: Behaviour) {
  const calls: SeenCall[] = [];
  const connection = {
    protocol: '2026-07-28',
    client: {
      callTool: async (request: SeenCall['request'], options: SeenCall['options']) => {
        calls.push({ request, options });
        if (result instanceof Error) throw result;
        return result;
      },
    },
    askTools: async () => {
      if (tools instanceof Error) throw tools;
      return new ListedTools(tools);
    },
    stderr: () => stderr,
    overflowed: () => overflowed,
    close: async () => {},
  };
  return { connection: connection as unknown as McpConnection, calls };
}

/** A pool that gives the same connection to each call. */
export const poolOf = (connection: McpConnection) =>
  ({
    use: (_: unknown, __: unknown, action: (to: McpConnection) => unknown) => action(connection),
  }) as unknown as McpPool;

/** A call of a tool. @param more its other parts, such as its input. */
export function mcpCall(more: object = {}) {
  const { signal } = new AbortController();
  return {
    input: {},
    taskKey: 't-1',
    ability: 'a.b',
    path: 'a',
    idempotencyKey: 't-1/a',
    environment: { name: 'dev', protected: false, vars: {} },
    timeoutMs: 500,
    outputBytes: 1_000_000,
    inputSchema: {},
    outputSchema: null,
    signal,
    stop: signal,
    secrets: new SecretSource('/nowhere', 'dev', {}),
    begin: async () => {},
    log: new CallLog(undefined, '', 1),
    files: callFiles(),
    outputFiles: undefined,
    ...more,
  };
}
