import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkHttpError,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { CallFailure } from '../call/call-failure.js';
import type { OpenTransport } from './open-transport.js';
import { causeOf } from './reason-of.js';

export interface Negotiated extends OpenTransport {
  client: Client;
}

export interface Patience {
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
export const WITHOUT_HANDSHAKE = '2026-07-28';

/**
 * Connects in the newest protocol version that both sides know. The client first asks for the supported versions;
 * a server that does not know this request gets the handshake of the versions before 2026-07-28. Silence, a broken
 * connection or an unexpected answer may all mean that, so each leads to a second attempt over a new transport
 * with the handshake first. A server that refuses the handshake was only slow to start, and is asked once more
 * with a longer timeout. Source: docs/guide.md#mcp.
 * @param open makes a new transport. @throws the error of the last attempt, or the refusal of the handshake.
 */
export async function negotiate(open: () => OpenTransport, patience: Patience): Promise<Negotiated> {
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
  return error instanceof SdkHttpError && REFUSALS.has(codeIn(error.data.text));
}

function codeIn(body: unknown): unknown {
  try {
    const answer: unknown = JSON.parse(String(body));
    const error = answer !== null && typeof answer === 'object' && 'error' in answer ? answer.error : undefined;
    return error !== null && typeof error === 'object' && 'code' in error ? error.code : undefined;
  } catch {
    return undefined;
  }
}
