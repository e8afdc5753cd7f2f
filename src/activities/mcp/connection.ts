import { Client, SdkError, SdkErrorCode, StreamableHTTPClientTransport, type Tool } from '@modelcontextprotocol/client';
import { DEFAULT_INHERITED_ENV_VARS, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fetch } from 'undici';
import type { PlanMcpServer } from '../../contracts/plan.js';
import { fillCredentials } from '../api/build-request.js';
import { guardedAgent, refuseForbiddenUrl } from '../api/guarded-agent.js';
import { CallFailure } from '../call-failure.js';
import type { CallInput } from '../call-input.js';
import { environmentOf } from '../script/script-environment.js';

/** A server we are connected to, with the tools it told us. */
export interface McpConnection {
  client: Client;
  tools: ReadonlyMap<string, Tool>;
  /** Secrets it was given, which the logs of its callers mask. */
  secrets: readonly string[];
  /** The last of what it wrote to stderr. */
  stderr(): string;
  close(): Promise<void>;
}

const CONNECT_MS = 30_000;
const KEPT_STDERR = 4000;
const MOST_PAGES = 50;

/**
 * Starts or reaches an MCP server and asks for its tools.
 *
 * A child gets its env profile and nothing else; over HTTP the host policy holds, and no redirect is followed.
 *
 * @throws CallFailure `mcp.start_failed` with the tail of stderr. Source: answers, 27.
 */
export async function connectMcp(server: PlanMcpServer, call: CallInput, root: string): Promise<McpConnection> {
  const secrets: string[] = [];
  const hide = (secret: string): void => {
    secrets.push(secret);
    call.log.hide(secret);
  };
  const { transport, stderr } = transportOf(server, call, root, hide);
  const client = new Client({ name: 'ability-runtime', version: '1' });
  try {
    await client.connect(transport, { timeout: CONNECT_MS });
    return { client, tools: await listTools(client), secrets, stderr, close: () => client.close() };
  } catch (error) {
    await client.close().catch(() => {});
    if (error instanceof CallFailure) throw error;
    const tail = call.log.mask(stderr());
    const unreachable = server.transport === 'http' && !(error instanceof SdkError && isTimeout(error));
    throw new CallFailure(
      {
        code: 'mcp.start_failed',
        message: `The MCP server ${server.name} ${unreachable ? 'cannot be reached' : 'did not start'}: ${reasonOf(error)}${tail ? `\n${tail}` : ''}`,
        details: { stderr: tail },
        suggestion: 'Check its entry under `mcp_servers` in registry/config.',
      },
      { cause: error },
    );
  }
}

function transportOf(
  server: PlanMcpServer,
  call: CallInput,
  root: string,
  hide: (secret: string) => void,
): { transport: StdioClientTransport | StreamableHTTPClientTransport; stderr: () => string } {
  if (server.transport === 'http') return { transport: httpTransport(server, call, hide), stderr: () => '' };
  const transport = new StdioClientTransport({
    command: server.command,
    args: server.args,
    cwd: root,
    stderr: 'pipe',
    // The SDK adds these from its own environment unless each is taken away.
    env: {
      ...(Object.fromEntries(DEFAULT_INHERITED_ENV_VARS.map((name) => [name, undefined])) as Record<string, never>),
      ...environmentOf(server.env, call.secrets, hide),
    },
  });
  let text = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-KEPT_STDERR);
  });
  return { transport, stderr: () => text.trim() };
}

function httpTransport(
  server: Extract<PlanMcpServer, { transport: 'http' }>,
  call: CallInput,
  hide: (secret: string) => void,
): StreamableHTTPClientTransport {
  const url = new URL(server.url);
  refuseForbiddenUrl(url, server.allowed_hosts);
  const headers = Object.fromEntries(
    Object.entries(server.headers).map(([name, value]) => {
      return [name, fillCredentials(value, server.credentials, call.secrets, hide)];
    }),
  );
  const guardedFetch = (input: string | URL, init?: object): Promise<Response> => {
    refuseForbiddenUrl(new URL(input), server.allowed_hosts);
    const options = { ...init, dispatcher: guardedAgent(server.allowed_hosts) };
    return fetch(input, options) as unknown as Promise<Response>;
  };
  return new StreamableHTTPClientTransport(url, { requestInit: { headers, redirect: 'error' }, fetch: guardedFetch });
}

async function listTools(client: Client): Promise<ReadonlyMap<string, Tool>> {
  const tools = new Map<string, Tool>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: CONNECT_MS });
    for (const tool of answer.tools) tools.set(tool.name, tool);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

/** Whether an error of the SDK means that it waited too long. */
export function isTimeout(error: SdkError): boolean {
  return error.code === SdkErrorCode.RequestTimeout;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error && error.cause.message ? ` (${error.cause.message})` : '';
  return `${error.message}${cause}`;
}
