import {
  Client,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Tool,
} from '@modelcontextprotocol/client';
import { DEFAULT_INHERITED_ENV_VARS, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fetch } from 'undici';
import type { PlanMcpServer } from '../../contracts/plan.js';
import { fillCredentials } from '../api/credentials.js';
import { refuseForbiddenUrl, watchedAgent } from '../api/guarded-agent.js';
import { CallFailure } from '../call-failure.js';
import type { CallLog } from '../call-log.js';
import type { ProcessGroups, StartedProcesses } from '../script/process-groups.js';
import { environmentOf } from '../script/script-environment.js';
import type { McpUser } from './pool.js';
import { ToolListing, type Tools } from './tool-listing.js';

/** A server we are connected to. */
export interface McpConnection {
  client: Client;
  /** What its tools are now. @param stop ends the waiting. @throws what the SDK throws, or the reason of `stop`. */
  askTools(stop: AbortSignal): Promise<Tools>;
  /** The last of what it wrote to stderr, with the secrets masked that a call knows. */
  stderr(log: CallLog): string;
  /** Whether it broke off because a message was larger than any output may be. */
  overflowed(): boolean;
  close(): Promise<void>;
}

/** The server does not know our session, so it did not do what it was asked. */
export class SessionLost extends CallFailure {}

/** Where servers are started, and who knows of their processes. */
export interface McpHost {
  /** Absolute path of the project. */
  root: string;
  groups: ProcessGroups;
}

const CONNECT_MS = 30_000;
/** How often a server is looked at whether it still runs. */
const WATCH_MS = 250;
/** What a server leaves behind is given up after this. */
const END_MS = 1000;
const KEPT_STDERR = 4000;
/** A secret in whose middle it is cut off is not found, so it is cut off where nothing is shown. */
const CUT_STDERR = 12_000;
/** Room for an output said twice, as text and as structure, and escaped. */
const MOST_MESSAGE_BYTES = 32 * 1024 * 1024;

/**
 * Starts or reaches an MCP server and asks for its tools.
 *
 * A child gets its env profile and nothing else; over HTTP the host policy holds, and no redirect is followed.
 *
 * @param signal gives up, when nobody waits for the connection any more.
 * @param patienceMs longest each answer on the way may take.
 * @throws CallFailure `mcp.start_failed` with the tail of stderr, `unavailable.connection`. Source: answers, 27.
 */
export async function connectMcp(
  server: PlanMcpServer,
  call: McpUser,
  { root, groups }: McpHost,
  signal: AbortSignal,
  patienceMs = CONNECT_MS,
): Promise<McpConnection> {
  const processes = server.transport === 'stdio' ? groups.begin() : undefined;
  const { transport, stderr } = transportOf(server, call, root, processes);
  const client = new Client({ name: 'ability-runtime', version: '1' });
  let overflow = false;
  client.onerror = (error) => {
    overflow ||= error.message.startsWith('ReadBuffer exceeded');
  };
  const options = { timeout: patienceMs, signal };
  const listing = new ToolListing(() => listTools(client, options), server.transport === 'stdio');
  const close = async (): Promise<void> => {
    processes?.look();
    await client.close().finally(() => processes?.end(END_MS));
  };
  client.setNotificationHandler('notifications/tools/list_changed', () => listing.expire());
  try {
    await client.connect(transport, options);
    if (processes && transport instanceof StdioClientTransport) watchServer(transport, client, processes);
    await listing.load();
    const askTools = (stop: AbortSignal): Promise<Tools> => listing.current(stop);
    return { client, askTools, stderr, overflowed: () => overflow, close };
  } catch (error) {
    await close().catch(() => {});
    throw error instanceof CallFailure ? error : startFailed(server, error, stderr(call.log));
  }
}

/**
 * Ends what a server leaves behind when it ends, and with it the connection.
 *
 * The SDK does not notice the end of a server as long as a child of it holds its pipes.
 */
function watchServer(transport: StdioClientTransport, client: Client, processes: StartedProcesses): void {
  const { pid, onclose } = transport;
  if (pid === null) return;
  processes.started(pid, false);
  const timer = setInterval(() => {
    if (isRunning(pid)) return;
    clearInterval(timer);
    void processes.end(END_MS).then(() => client.close());
  }, WATCH_MS).unref();
  transport.onclose = () => {
    clearInterval(timer);
    onclose?.();
    void processes.end(END_MS);
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function startFailed(server: PlanMcpServer, error: unknown, tail: string): CallFailure {
  const unreachable = server.transport === 'http' && !(error instanceof SdkError && isTimeout(error));
  const what = `The MCP server ${server.name} ${unreachable ? 'cannot be reached' : 'did not start'}`;
  return new CallFailure(
    {
      code: 'mcp.start_failed',
      message: `${what}: ${reasonOf(error)}${tail ? `\n${tail}` : ''}`,
      details: { stderr: tail },
      suggestion: 'Check its entry under `mcp_servers` in registry/config.',
    },
    { cause: error },
  );
}

function transportOf(
  server: PlanMcpServer,
  call: McpUser,
  root: string,
  processes: StartedProcesses | undefined,
): { transport: StdioClientTransport | StreamableHTTPClientTransport; stderr: McpConnection['stderr'] } {
  if (server.transport === 'http') return { transport: httpTransport(server, call), stderr: () => '' };
  const transport = new StdioClientTransport({
    command: server.command,
    args: server.args,
    cwd: root,
    stderr: 'pipe',
    maxBufferSize: MOST_MESSAGE_BYTES,
    // The SDK adds these from its own environment unless each is taken away.
    env: {
      ...(Object.fromEntries(DEFAULT_INHERITED_ENV_VARS.map((name) => [name, undefined])) as Record<string, never>),
      ...environmentOf(server.env, call.secrets, (secret) => call.log.hide(secret), processes?.variables),
    },
  });
  let text = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-KEPT_STDERR - CUT_STDERR);
  });
  return { transport, stderr: (log) => log.mask(text).slice(-KEPT_STDERR).trim() };
}

function httpTransport(
  server: Extract<PlanMcpServer, { transport: 'http' }>,
  call: McpUser,
): StreamableHTTPClientTransport {
  const url = new URL(server.url);
  refuseForbiddenUrl(url, server.allowed_hosts);
  const headers = Object.fromEntries(
    Object.entries(server.headers).map(([name, value]) => [name, fillCredentials(value, server.credentials, call)]),
  );
  const guardedFetch = async (input: string | URL, init?: object): Promise<Response> => {
    refuseForbiddenUrl(new URL(input), server.allowed_hosts);
    let sent = false;
    const dispatcher = watchedAgent(server.allowed_hosts, () => {
      sent = true;
    });
    try {
      return (await fetch(input, { ...init, dispatcher })) as unknown as Response;
    } catch (error) {
      throw sent ? error : unreachable(server, error);
    }
  };
  return new StreamableHTTPClientTransport(url, { requestInit: { headers, redirect: 'error' }, fetch: guardedFetch });
}

/** Nothing was sent, so that nothing can have happened. */
function unreachable({ name, url }: Extract<PlanMcpServer, { transport: 'http' }>, error: unknown): CallFailure {
  return new CallFailure(
    {
      code: 'unavailable.connection',
      message: `The MCP server ${name} at ${new URL(url).host} cannot be reached: ${reasonOf(error)}`,
      suggestion: 'Check that it is up, and its entry under `mcp_servers` in registry/config.',
    },
    { cause: error },
  );
}

/** All pages of its tools; of two with one name the last, as the server would not tell them apart either. */
async function listTools(client: Client, options: RequestOptions): Promise<Tools> {
  // The SDK would say so on stdout, where commands print their results.
  if (!client.getServerCapabilities()?.tools) return new Map();
  const { tools } = await client.listTools(undefined, { ...options, cacheMode: 'refresh' });
  return new Map(tools.map((tool): [string, Tool] => [tool.name, tool]));
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
