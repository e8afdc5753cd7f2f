import { TransformStream } from 'node:stream/web';
import { setTimeout as wait } from 'node:timers/promises';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { fetch, Response } from 'undici';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { CallInput } from '../../../activities/call/call-input.js';
import type { CallLog } from '../../../activities/call/call-log.js';
import { fillCredentials } from '../../../activities/connections/credentials.js';
import { refuseForbiddenUrl, watchedAgent } from '../../../activities/connections/guarded-connections.js';
import type { ProcessGroups, StartedProcesses } from '../../../activities/processes/run-process.js';
import { environmentOf } from '../../../activities/processes/script-input.js';
import type { PlanMcpServer } from '../../../contracts/plan.js';
import { withoutNullMembers } from '../../../text/absent-as-null.js';
import { defined } from '../../../text/defined.js';
import { markBytes } from '../../../text/lossless-json/marked-json.js';
import { ChildTransport } from './child-transport.js';
import { FilteringStdioTransport, FilteringTransport } from './filtering-transport.js';
import { causeOf, maskedReason } from './reason-of.js';

export type McpUser = Pick<CallInput, 'secrets' | 'log' | 'stop' | 'timeoutMs'> & {
  environment: Pick<CallInput['environment'], 'name'>;
};

export interface McpHost {
  /** Absolute path of the project. */
  root: string;
  groups: ProcessGroups;
  /** Reports that processes of a server may still run, since ending them failed; no call waits for that. */
  onLeft?: (error: unknown) => void;
}

/** A transport to a server, not started yet. */
export interface OpenTransport {
  transport: FilteringTransport;
  /** The end of the server process's stderr, masked with the secrets of a call. */
  stderr: (log: CallLog) => string;
  /** Set for a server that is a child process. */
  processes?: StartedProcesses;
  /** Tells a server over HTTP that its session has ended. */
  end?: () => Promise<void>;
  /** Closes the transport and ends the processes, including children that left their group. */
  close: () => Promise<void>;
}

/** Current values of a server's secrets. A running server may have older ones; callers mask both. */
export function secretsOf(server: PlanMcpServer, { secrets, log }: McpUser): string[] {
  const references = server.transport === 'stdio' ? server.env.secrets : server.credentials;
  return Object.entries(references).map(([name, reference]) => {
    const value = secrets.resolve(reference, `secret ${name}`);
    log.hide(value);
    return value;
  });
}

/** Time limit for ending the processes that a server leaves behind. */
export const END_MS = 1000;

/** Characters of stderr that are shown. */
export const KEPT_STDERR = 4000;
/** Masking does not find a cut secret, so stderr is cut well outside the shown part. */
const CUT_STDERR = 12_000;
/** Room for an output that is sent twice, as text and as structure, and escaped. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

type HttpServer = Extract<PlanMcpServer, { transport: 'http' }>;
type StdioServer = Extract<PlanMcpServer, { transport: 'stdio' }>;

/**
 * A child process with its env profile and nothing else, or HTTP under the policy of hosts, without redirects.
 * @throws CallFailure `denied.host`; AbilityError `config.missing_credential`.
 */
export function openTransport(server: PlanMcpServer, call: McpUser, host: McpHost): OpenTransport {
  if (server.transport === 'stdio') return stdioTransport(server, call, host);
  const http = httpTransport(server, call);
  const transport = new FilteringTransport(http);
  const end = (): Promise<void> =>
    Promise.race([http.terminateSession().catch(() => {}), wait(END_MS, undefined, { ref: false })]);
  return { transport, stderr: () => '', end, close: () => transport.close() };
}

function stdioTransport(server: StdioServer, call: McpUser, { root, groups }: McpHost): OpenTransport {
  const { command, args, sandbox, limits } = server;
  const processes = groups.begin();
  const env = environmentOf(server.env, call.secrets, (secret) => call.log.hide(secret), processes.variables);
  const confined = async () => {
    const { confine } = await import('../../../activities/processes/box/confine.js');
    const confinement = defined({ sandbox, limits });
    const words = [command, ...args];
    return confine({ root, words, env, confinement, report: (line) => call.log.add('runtime', line) });
  };
  const isConfined = sandbox !== undefined || limits !== undefined;
  const own = { command, args, cwd: root, env, maxBytes: MAX_MESSAGE_BYTES };
  const child = new ChildTransport({ ...own, ...(isConfined && { confined }) });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-KEPT_STDERR - CUT_STDERR);
  });
  const transport = new FilteringStdioTransport(child);
  const stderr = (log: CallLog): string => log.mask(text).slice(-KEPT_STDERR).trim();
  const close = (): Promise<void> => transport.close().finally(() => processes.end(END_MS));
  return { transport, stderr, processes, close };
}

function httpTransport(server: HttpServer, call: McpUser): StreamableHTTPClientTransport {
  const url = new URL(server.url);
  refuseForbiddenUrl(url, server.allowed_hosts);
  const headers = Object.fromEntries(
    Object.entries(server.headers).map(([name, value]) => [name, fillCredentials(value, server.credentials, call)]),
  );
  const guardedFetch = async (input: string | URL, init?: object): ReturnType<typeof globalThis.fetch> => {
    refuseForbiddenUrl(new URL(input), server.allowed_hosts);
    let sent = false;
    const dispatcher = watchedAgent(server.allowed_hosts, () => {
      sent = true;
    });
    try {
      return markResponse(await fetch(input, { ...init, dispatcher })) as unknown as globalThis.Response;
    } catch (error) {
      const refused = causeOf(error, CallFailure);
      if (refused) throw refused;
      throw sent ? error : unreachable(server, error, call.log);
    }
  };
  return new StreamableHTTPClientTransport(url, { requestInit: { headers, redirect: 'error' }, fetch: guardedFetch });
}

/** The failure before anything was sent, so that no effect is possible. */
function unreachable({ name, url }: HttpServer, error: unknown, log: CallLog): CallFailure {
  return new CallFailure(
    {
      code: 'unavailable.connection',
      message: `The MCP server ${name} at ${new URL(url).host} cannot be reached: ${maskedReason(error, log)}`,
      suggestion: 'Check that it is up, and its entry under `mcp_servers` in registry/config.',
    },
    { cause: error },
  );
}

/** Marks values that JavaScript would change, see `markBytes`; an answer without messages stays unchanged. */
export function markResponse(response: Response): Response {
  const type = response.headers.get('content-type') ?? '';
  const isEvents = /^\s*text\/event-stream\b/i.test(type);
  if (!response.ok || !response.body || !(isEvents || /^\s*application\/json\b/i.test(type))) return response;
  const { status, statusText, headers } = response;
  const marked = response.body.pipeThrough(isEvents ? markedEvents() : markedWhole());
  return new Response(marked, { status, statusText, headers });
}

function markedWhole(): TransformStream<Uint8Array, Uint8Array> {
  const pieces: Uint8Array[] = [];
  return new TransformStream({
    transform: (piece) => void pieces.push(piece),
    flush: (controller) => controller.enqueue(Buffer.from(withoutNullMembers(markBytes(Buffer.concat(pieces))))),
  });
}

const DATA = Buffer.from('data:');

/** Marks each data line by itself: a JSON string or number never continues on the next line. */
function markedEvents(): TransformStream<Uint8Array, Uint8Array> {
  let pieces: Buffer[] = [];
  const line = (): Buffer => {
    const whole = Buffer.concat(pieces);
    pieces = [];
    if (!whole.subarray(0, DATA.length).equals(DATA)) return whole;
    return Buffer.from(`data:${withoutNullMembers(markBytes(whole.subarray(DATA.length)))}`);
  };
  return new TransformStream({
    transform: (piece, controller) => {
      let rest = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      for (let end = endOfLine(rest); end >= 0; end = endOfLine(rest)) {
        pieces.push(rest.subarray(0, end));
        controller.enqueue(Buffer.concat([line(), rest.subarray(end, end + 1)]));
        rest = rest.subarray(end + 1);
      }
      pieces.push(rest);
    },
    flush: (controller) => controller.enqueue(line()),
  });
}

function endOfLine(bytes: Buffer): number {
  const ends = [bytes.indexOf(0x0a), bytes.indexOf(0x0d)].filter((at) => at >= 0);
  return ends.length === 0 ? -1 : Math.min(...ends);
}
