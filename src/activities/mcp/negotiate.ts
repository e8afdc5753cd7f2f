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

/** A client that a server has answered, over a transport. */
export interface Negotiated extends OpenTransport {
  client: Client;
}

/** How long a server may take to answer. */
export interface Patience {
  /** Gives up, when no caller waits for the connection any more. */
  signal: AbortSignal;
  /** Longest each answer on the way may take, in milliseconds. */
  patienceMs: number;
  /** Longest the wait for the answer to a question that older servers may not know, in milliseconds. */
  probeMs: number;
}

/** The oldest version of the protocol without a handshake. */
export const WITHOUT_HANDSHAKE = '2026-07-28';

/**
 * Connects to a server in the newest protocol version that both sides know.
 *
 * The client first asks for the supported versions; a server that does not know this request gets the handshake of the
 * versions before 2026-07-28. Silence, a broken connection and an unexpected answer may all mean that it does not know
 * the request, so each leads to a second attempt over a new transport with the handshake first. A server that refuses
 * the handshake, since it was only slow to start, is asked once more with a longer timeout. Source: docs/guide.md#mcp.
 *
 * @param open makes a new transport.
 * @throws the error of the last attempt.
 */
export async function negotiate(open: () => OpenTransport, patience: Patience): Promise<Negotiated> {
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

/** Nothing that another version would change: it cannot be reached, must not be, or no caller waits any more. */
function isFinal(error: unknown, { signal }: Patience): boolean {
  return signal.aborted || causeOf(error, CallFailure) !== undefined;
}

/** Error codes of servers without a handshake: by the specification, or as for any unknown method. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  ProtocolErrorCode.UnsupportedProtocolVersion,
  ProtocolErrorCode.MethodNotFound,
]);

function refusesHandshake(error: unknown): boolean {
  if (error instanceof ProtocolError) return REFUSALS.has(error.code);
  return error instanceof SdkHttpError && REFUSALS.has(codeIn(error.data.text));
}

/** The code of a JSON-RPC error that was sent with a status of its own. */
function codeIn(body: unknown): unknown {
  try {
    const answer: unknown = JSON.parse(String(body));
    const error = answer !== null && typeof answer === 'object' && 'error' in answer ? answer.error : undefined;
    return error !== null && typeof error === 'object' && 'code' in error ? error.code : undefined;
  } catch {
    return undefined;
  }
}
