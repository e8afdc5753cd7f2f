import { type Client, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { PlanMcpServer } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { CallFailure } from '../call/call-failure.js';
import type { CallLog } from '../call/call-log.js';
import type { StartedProcesses } from '../script/run-process.js';
import { MessageTooLarge } from './child-transport.js';
import { FilteringStdioTransport } from './filtering-transport.js';
import { type ListedTools, listTools } from './listed-tools.js';
import { type Negotiated, negotiate, WITHOUT_HANDSHAKE } from './negotiate.js';
import {
  END_MS,
  KEPT_STDERR,
  type McpHost,
  type McpUser,
  type OpenTransport,
  openTransport,
} from './open-transport.js';
import { maskedReason } from './reason-of.js';

export interface McpConnection {
  client: Client;
  protocol: string;
  /** Requests the current tools. @throws errors of the SDK; CallFailure for a listing without end. */
  askTools(user: Pick<McpUser, 'stop' | 'timeoutMs'>): Promise<ListedTools>;
  /** The last part of its stderr, masked with the secrets of a call. */
  stderr(log: CallLog): string;
  /** Whether the connection broke because a message exceeded the maximum size of an output. */
  overflowed(): boolean;
  /** Whether the server keeps a session for this connection. */
  hasSession: boolean;
  close(): Promise<void>;
}

/** The server does not know our session, so it has not executed the request. */
export class SessionLost extends CallFailure {}

const CONNECT_MS = 30_000;
/** Time to wait for servers older than 2026-07-28, some of which never answer an unknown request. */
const PROBE_MS = 2000;
/** Milliseconds between checks whether a server still runs. */
const WATCH_MS = 250;

/**
 * Starts or reaches an MCP server, in the newest protocol version that it speaks. Source: docs/guide.md#mcp.
 * @param signal gives up when no call waits any more. @param patienceMs maximum wait for each answer.
 * @throws CallFailure `mcp.start_failed`, `unavailable.connection`; AbilityError `config.missing_credential`.
 */
export async function connectMcp(
  server: PlanMcpServer,
  call: McpUser,
  host: McpHost,
  signal: AbortSignal,
  patienceMs = CONNECT_MS,
): Promise<McpConnection> {
  // Leaves time for a handshake, even with a timeout of one second.
  const probeMs = Math.min(PROBE_MS, call.timeoutMs / 4, patienceMs / 4);
  // Over HTTP, only versions with a handshake have sessions.
  const isFirst = server.transport === 'http' && server.session === 'task';
  let last: OpenTransport | undefined;
  const open = (): OpenTransport => {
    last = openTransport(server, call, host);
    return last;
  };
  try {
    return connectionOver(await negotiate(open, { signal, patienceMs, probeMs, isFirst }), host);
  } catch (error) {
    // An AbilityError, as of a missing credential, already says why.
    if (error instanceof AbilityError) throw error;
    throw startFailed(server, error, call.log, call.log.excerpt(last?.stderr(call.log) ?? '', KEPT_STDERR));
  }
}

function connectionOver(
  { client, transport, processes, stderr, end, close }: Negotiated,
  host: McpHost,
): McpConnection {
  let overflow = false;
  client.onerror = (error) => {
    overflow ||= error instanceof MessageTooLarge;
  };
  const isStdio = transport instanceof FilteringStdioTransport;
  const protocol = client.getNegotiatedProtocolVersion();
  // Versions are dates, which compare as texts.
  const sendsHeaders = !isStdio && protocol !== undefined && protocol >= WITHOUT_HANDSHAKE;
  if (processes && isStdio) watchServer(transport, client, processes, host);
  return {
    client,
    protocol: protocol ?? 'of an unknown version',
    askTools: ({ stop, timeoutMs }) => listTools(client, { signal: stop, timeout: timeoutMs }, sendsHeaders),
    stderr,
    overflowed: () => overflow,
    hasSession: isStdio || transport.sessionId !== undefined,
    close: async () => {
      await processes?.look();
      await end?.();
      await client.close().finally(close);
    },
  };
}

/** Kills processes that outlive a server: the SDK does not notice its end while a child holds its pipes. */
function watchServer(
  transport: FilteringStdioTransport,
  client: Client,
  processes: StartedProcesses,
  { onLeft = () => {} }: McpHost,
): void {
  const { pid, onclose } = transport;
  if (pid === null) return;
  processes.started(pid, false);
  const timer = setInterval(() => {
    if (isRunning(pid)) return;
    clearInterval(timer);
    processes
      .end(END_MS)
      .finally(() => client.close())
      .catch(onLeft);
  }, WATCH_MS).unref();
  transport.onclose = () => {
    clearInterval(timer);
    onclose?.();
    processes.end(END_MS).catch(onLeft);
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

function startFailed(server: PlanMcpServer, error: unknown, log: CallLog, tail: string): CallFailure {
  const unreachable = server.transport === 'http' && !(error instanceof SdkError && isTimeout(error));
  const what = `The MCP server ${server.name} ${unreachable ? 'cannot be reached' : 'did not start'}`;
  return new CallFailure(
    {
      code: 'mcp.start_failed',
      message: `${what}: ${maskedReason(error, log)}${tail ? `\n${tail}` : ''}`,
      details: { stderr: tail },
      suggestion: 'Check its entry under `mcp_servers` in registry/config.',
    },
    { cause: error },
  );
}

export function isTimeout(error: SdkError): boolean {
  return error.code === SdkErrorCode.RequestTimeout;
}
