import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { CallLog } from '../../../activities/call/call-log.js';
import type { StartedProcesses } from '../../../activities/processes/run-process.js';
import type { PlanMcpServer } from '../../../contracts/plan.js';
import { AbilityError } from '../../../contracts/problem.js';
import { unlessAborted } from '../../../rules/unless-aborted.js';
import { attempt } from '../../../text/attempt.js';
import { MessageTooLarge } from './child-transport.js';
import { FilteringStdioTransport } from './filtering-transport.js';
import { type ListedTools, listTools } from './listed-tools.js';
import {
  END_MS,
  KEPT_STDERR,
  type McpHost,
  type McpUser,
  type OpenTransport,
  openTransport,
} from './open-transport.js';
import { causeOf, maskedReason } from './reason-of.js';

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

/** Waits for a connection, which other calls may share, until this call has to stop. */
export function whileItMay(connecting: Promise<McpConnection>, { stop, timeoutMs }: McpUser, name: string) {
  return unlessAborted(connecting, stop).catch((error: unknown) => {
    const message = `The MCP server ${name} did not start within ${timeoutMs} ms`;
    throw stop.aborted ? new CallFailure({ code: 'timeout.call', message }) : error;
  });
}

/** Ends a connection, if there is or will be one. */
export async function closeWhenOpen(connecting: Promise<McpConnection>): Promise<void> {
  const connection = await connecting.catch(() => undefined);
  await connection?.close();
}

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
    if (attempt(() => process.kill(pid, 0), false)) return;
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

type Negotiated = OpenTransport & { client: Client };

interface Patience {
  /** Aborts when no caller waits for the connection any more. */
  signal: AbortSignal;
  /** Maximum milliseconds for each answer. */
  patienceMs: number;
  /** Maximum milliseconds for the answer to a request that older servers may not know. */
  probeMs: number;
  /** Whether to begin with the handshake. */
  isFirst?: boolean;
}

/** The oldest protocol version without a handshake. */
const WITHOUT_HANDSHAKE = '2026-07-28';

/**
 * Connects in the newest protocol version that both sides know. The client first asks for the supported versions;
 * a server that does not know this request gets the handshake of the versions before 2026-07-28. Silence, a broken
 * connection or an unexpected answer may all mean that, so each leads to a second attempt over a new transport
 * with the handshake first. A server that refuses the handshake was only slow to start, and is asked once more
 * with a longer timeout. Source: docs/guide.md#mcp.
 * @param open makes a new transport. @throws the error of the last attempt, or the refusal of the handshake.
 */
async function negotiate(open: () => OpenTransport, patience: Patience): Promise<Negotiated> {
  if (patience.isFirst) return connect(open(), 'legacy', patience);
  const first = open();
  try {
    return await connect(first, 'auto', patience);
  } catch (error) {
    if (isFinal(error, patience)) throw causeOf(error, CallFailure) ?? error;
    if (first.transport.handshaken) return connectWithoutHandshake(open, patience, error);
  }
  try {
    return await connect(open(), 'legacy', patience);
  } catch (error) {
    if (isFinal(error, patience)) throw causeOf(error, CallFailure) ?? error;
    return connectWithoutHandshake(open, patience, error);
  }
}

async function connectWithoutHandshake(
  open: () => OpenTransport,
  patience: Patience,
  refusal: unknown,
): Promise<Negotiated> {
  if (!refusesHandshake(refusal)) throw refusal;
  try {
    return await connect(open(), { pin: WITHOUT_HANDSHAKE }, { ...patience, probeMs: patience.patienceMs });
  } catch {
    throw refusal;
  }
}

async function connect(
  opened: OpenTransport,
  mode: VersionNegotiationMode,
  { signal, patienceMs, probeMs }: Patience,
): Promise<Negotiated> {
  const client = new Client(
    { name: 'ability-runtime', version: '1' },
    { versionNegotiation: { mode, probe: { timeoutMs: probeMs } }, inputRequired: { autoFulfill: false } },
  );
  const giveUp = (): void => void opened.close().catch(() => {});
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await client.connect(opened.transport, { timeout: patienceMs, signal });
    return { ...opened, client };
  } catch (error) {
    await client.close().catch(() => {});
    await opened.close().catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Whether another version cannot help: the server is unreachable or denied, or no caller waits. */
function isFinal(error: unknown, { signal }: Patience): boolean {
  return signal.aborted || causeOf(error, CallFailure) !== undefined;
}

/** Error codes of servers without a handshake: the specified one, and that of an unknown method. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  ProtocolErrorCode.UnsupportedProtocolVersion,
  ProtocolErrorCode.MethodNotFound,
]);

function refusesHandshake(error: unknown): boolean {
  if (error instanceof ProtocolError) return REFUSALS.has(error.code);
  if (!(error instanceof SdkHttpError)) return false;
  return REFUSALS.has(attempt(() => (JSON.parse(String(error.data.text)) as { error: { code?: unknown } }).error.code));
}
