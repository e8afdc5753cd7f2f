import type { AuthInfo, McpRequestContext } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { environmentOf } from '../../operations/operation.js';
import { CallQueue } from '../mcp/call-queue.js';
import { handleRequests } from '../mcp/handle-requests.js';
import type { McpDoor, Visitor } from '../mcp/mcp-door.js';
import { readMessage } from '../mcp/read-message.js';
import { admit, type HttpCaller } from './authenticate.js';
import { untilClosed } from './connections.js';
import type { HttpDoor, McpOptions } from './http-door.js';
import type { RateLimit } from './rate-limit.js';
import { reserveWait } from './reserve-wait.js';

const PATH = '/mcp';

/**
 * `POST /mcp` for agents with the right `read`, in the protocols of 2026-07-28 and 2025-11-25; no streams to
 * `GET`, no sessions to `DELETE`. Host and Origin are checked as for every request.
 */
export function mountMcp(app: FastifyInstance, door: HttpDoor, options: McpOptions, rates: RateLimit): void {
  const mcp = mcpDoorOn(door, options);
  const callers = new McpCallers(door, mcp);
  const handler = handleRequests(mcp, visitorOf);
  const looking = watchTokens(door, callers, options.tokensMs);
  app.addHook('onClose', async () => {
    clearInterval(looking);
    await handler.close();
  });
  app.register(async (scope) => {
    // An invalid message gets a protocol error.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, bytes, done) => done(null, bytes));
    const admitted = new WeakMap<FastifyRequest, HttpCaller>();
    scope.route({
      method: ['POST', 'GET', 'DELETE'],
      url: PATH,
      onRequest: async (request) => {
        admitted.set(request, admit(door.authentication, 'read', request, rates));
      },
      handler: async (request, reply) => {
        const known = admitted.get(request) as HttpCaller;
        const caller = callers.of(known);
        const leave = reserveWait(door, known);
        const { signal, release } = untilClosed(reply.raw, [door.closing, caller.end.signal]);
        reply.raw.once('close', () => {
          leave();
          release();
        });
        const message = Buffer.isBuffer(request.body) ? readMessage(request.body) : { text: '' };
        if ('refusal' in message) return reply.code(400).type('application/json').send(message.refusal);
        const received = webRequest(request, message.text, signal);
        return reply.send(
          await handler.fetch(received, { authInfo: infoOf(known, { ...caller.visitor, rights: known.rights }) }),
        );
      },
    });
  });
}

/** The SDK passes this on, whichever request object it makes. */
function infoOf({ name, rights }: HttpCaller, visitor: Visitor): AuthInfo {
  return { token: '', clientId: name, scopes: Object.keys(rights), extra: { visitor } };
}

function visitorOf({ authInfo }: McpRequestContext): Visitor {
  const visitor = authInfo?.extra?.visitor;
  if (!visitor) throw new Error('A request came to the MCP door whose caller is not known');
  return visitor as Visitor;
}

/** An expired or revoked token ends its caller's streams and session. */
function watchTokens(door: HttpDoor, callers: McpCallers, everyMs: number): NodeJS.Timeout {
  const look = (): void => {
    callers.endClosed();
    door.sessions
      .endClosed(door.authentication, () => door.ask((connection) => Promise.resolve(connection)))
      .catch((error: unknown) => door.note(`A session of a closed token did not end: ${String(error)}`));
  };
  return setInterval(look, everyMs).unref();
}

function webRequest({ method, headers, host }: FastifyRequest, body: string, signal: AbortSignal): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one]),
  );
  return new Request(`http://${host}${PATH}`, {
    method,
    headers: pairs,
    signal,
    ...(method === 'POST' && { body }),
  });
}

/** The MCP door on an HTTP door. It runs in the default environment; agents cannot choose another. */
export function mcpDoorOn(door: HttpDoor, { tokensMs: _, ...options }: McpOptions): McpDoor {
  const { scope, env, registry, note } = door;
  return {
    ...options,
    ...{ scope, env, registry, note },
    get environment() {
      return environmentOf(door, registry(), undefined);
    },
  };
}

interface McpCaller {
  /** Without its rights, which may change with each request. */
  visitor: Omit<Visitor, 'rights'>;
  /** Aborted when the token is no longer valid. */
  end: AbortController;
  token: string | undefined;
}

/** Each token has its own session and queue, so that no caller takes another's places. */
class McpCallers {
  private readonly kept = new Map<string, McpCaller>();

  constructor(
    private readonly door: HttpDoor,
    private readonly mcp: Pick<McpDoor, 'environment'>,
  ) {}

  /** One per token. @throws AbilityError `config.no_environment`. */
  of(caller: HttpCaller): McpCaller {
    const { environment } = this.mcp;
    const place = `${caller.name} ${environment}`;
    const known = this.kept.get(place);
    if (known) return known;
    const end = new AbortController();
    const { person, token, admitted } = caller;
    const visitor = {
      person,
      ...(person.agent !== undefined && { agent: person.agent }),
      session: this.door.sessions.of(caller, environment),
      calls: new CallQueue(),
      door: admitted && { admitted, key: this.door.authentication.doorKey() },
    };
    const kept = { visitor, token, end };
    this.kept.set(place, kept);
    return kept;
  }

  /** Ends the streams of callers whose token expired or was revoked, by any process. */
  endClosed(): void {
    const { authentication } = this.door;
    for (const [place, { token, end }] of this.kept) {
      if (token === undefined || authentication.findToken(token)) continue;
      this.kept.delete(place);
      end.abort();
    }
  }
}
