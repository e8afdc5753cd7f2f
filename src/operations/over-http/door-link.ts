import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError, type Problem, reasonOf, usageError } from '../../contracts/problem.js';
import { parseJson } from '../../disk/read-json.js';

export interface DoorAddress {
  /** `http://host:port`, `https://host:port`, or `unix:/path/of/the/socket`. */
  address: string;
  /** From `ability token create`. */
  token?: string | undefined;
}

interface DoorRequest {
  body?: JsonObject;
  /** Instead of a body: so many bytes. */
  file?: { bytes: number; content: Readable };
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

interface DoorAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Json;
}

/** The maximum size of a response. Bytes. */
const MAX_BYTES = 256 * 1024 * 1024;

/** HTTP client of one door; throws the door's errors with their codes. */
export class DoorLink {
  /** Whether it uses the socket of a runtime, which only its owner can open. */
  readonly isSocket: boolean;
  private readonly request: typeof requestHttp;
  private readonly options: RequestOptions;
  private readonly agent: HttpAgent;

  /** @throws AbilityError `usage.invalid` for an invalid address. */
  constructor(private readonly door: DoorAddress) {
    const { address } = door;
    this.isSocket = address.startsWith('unix:');
    const url = this.isSocket ? undefined : readUrl(address);
    const isTls = url?.protocol === 'https:';
    this.request = isTls ? requestHttps : requestHttp;
    this.agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
    const where = url
      ? { protocol: url.protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port }
      : { socketPath: address.slice('unix:'.length) };
    this.options = { ...where, agent: this.agent };
  }

  /** Acts over a link, and closes it then. */
  static async using<T>(door: DoorAddress, action: (link: DoorLink) => Promise<T>): Promise<T> {
    const link = new DoorLink(door);
    try {
      return await action(link);
    } finally {
      link.close();
    }
  }

  /** @throws AbilityError errors of the door, `door.unreachable`; the reason of the signal. */
  async ask(method: string, path: string, doorRequest: DoorRequest = {}): Promise<DoorAnswer> {
    const response = await this.open(method, path, doorRequest);
    const { statusCode: status = 0, headers } = response;
    const text = await this.reading(response, doorRequest.signal);
    const body = parseJson<Json>(text);
    if (status >= 200 && status < 300 && body !== undefined) return { status, headers, body };
    throw errorOf(body) ?? this.unreachable(`it answers ${status}, and no door of Ability Runtime does so`);
  }

  /** Opens an event stream. @throws as {@link ask}. */
  async listen(path: string, doorRequest: DoorRequest): Promise<IncomingMessage> {
    return this.whole(await this.open('POST', path, doorRequest), doorRequest.signal);
  }

  /** Opens what is no JSON, such as a file. @throws as {@link ask}. */
  async read(path: string): Promise<IncomingMessage> {
    return this.whole(await this.open('GET', path, {}), undefined);
  }

  private async whole(response: IncomingMessage, signal: AbortSignal | undefined): Promise<IncomingMessage> {
    if (response.statusCode === 200) return response;
    const body = parseJson<Json>(await this.reading(response, signal));
    throw errorOf(body) ?? this.unreachable(`it answers ${response.statusCode}`);
  }

  close(): void {
    this.agent.destroy();
  }

  private open(method: string, path: string, { body, file, headers, signal }: DoorRequest): Promise<IncomingMessage> {
    signal?.throwIfAborted();
    const { token } = this.door;
    return new Promise((resolve, reject) => {
      const sent = this.request(
        {
          ...this.options,
          method,
          path,
          signal,
          headers: {
            accept: 'application/json',
            ...(body && { 'content-type': 'application/json' }),
            ...(file && { 'content-type': 'application/octet-stream', 'content-length': file.bytes }),
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            ...headers,
          },
        },
        resolve,
      );
      sent.on('error', (error) => reject(signal?.aborted ? signal.reason : this.unreachable(error.message, error)));
      if (!file) return void sent.end(body && JSON.stringify(body));
      // A door that refuses a file answers before it has read it; that answer counts, not the end of the connection.
      pipeline(file.content, sent).catch((error: unknown) => reject(this.unreachable(reasonOf(error), error)));
    });
  }

  private async reading(response: IncomingMessage, signal: AbortSignal | undefined): Promise<string> {
    try {
      return await readAll(response);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw this.unreachable(reasonOf(error), error);
    }
  }

  private unreachable(reason: string, cause?: unknown): AbilityError {
    const message = `The door at ${this.door.address} does not answer: ${reason}`;
    const suggestion = 'Check the address, and that `ability serve` runs there.';
    return new AbilityError({ code: 'door.unreachable', message, suggestion }, { cause });
  }
}

function readUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPlain = url && url.username === '' && url.pathname === '/' && url.search === '' && url.hash === '';
  if (isPlain && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw usageError(
    `${JSON.stringify(address)} is no address of a door`,
    'Use http://HOST:PORT, https://HOST:PORT or unix:/PATH.',
  );
}

async function readAll(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_BYTES) throw new Error(`its answer has more than ${MAX_BYTES} bytes`);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Reads an error in the format problem+json; undefined for other bodies. */
export function errorOf(body: Json | undefined): AbilityError | undefined {
  if (!isJsonObject(body) || typeof body.code !== 'string' || typeof body.detail !== 'string') return undefined;
  const { code, detail: message, suggestion, location, details } = body;
  return new AbilityError({
    code,
    message,
    ...(typeof suggestion === 'string' && { suggestion }),
    ...(isJsonObject(location) && { location: location as unknown as NonNullable<Problem['location']> }),
    ...(details !== undefined && { details }),
  });
}
