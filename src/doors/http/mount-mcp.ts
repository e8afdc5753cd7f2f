import type { AuthInfo, McpRequestContext } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { anySignal } from '../../rules/any-signal.js';
import { handleRequests } from '../mcp/handle-requests.js';
import type { Visitor } from '../mcp/mcp-door.js';
import { admit } from './admit.js';
import type { HttpCaller } from './caller.js';
import type { HttpDoor } from './http-door.js';
import { McpCallers, mcpDoorOn } from './mcp-callers.js';
import type { McpOptions } from './mcp-options.js';
import type { OpenRequests } from './open-requests.js';
import type { RateLimit } from './rate-limit.js';
import { takeListener } from './take-listener.js';

const PATH = '/mcp';

/**
 * Serves agents at `POST /mcp`, in the protocols of 2026-07-28 and 2025-11-25; there are no streams to `GET` and no sessions to
 * `DELETE`. Host and Origin are checked as those of every request are; a request takes the right `read`.
 */
export function mountMcp(
  app: FastifyInstance,
  door: HttpDoor,
  options: McpOptions,
  rates: RateLimit,
  open: OpenRequests,
): void {
  const mcp = mcpDoorOn(door, options);
  const callers = new McpCallers(door, mcp);
  const handler = handleRequests(mcp, visitorOf);
  const looking = lookAtTokens(door, callers, options.tokensMs);
  app.addHook('onClose', async () => {
    clearInterval(looking);
    await handler.close();
  });
  app.register(async (scope) => {
    // What is no message is answered in the words of the protocol.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_, text, done) => done(null, text));
    const admitted = new WeakMap<FastifyRequest, HttpCaller>();
    scope.route({
      method: ['POST', 'GET', 'DELETE'],
      url: PATH,
      onRequest: async (request) => {
        admitted.set(request, admit(door, 'read', request, rates));
      },
      handler: async (request, reply) => {
        const known = admitted.get(request) as HttpCaller;
        const caller = callers.of(known);
        const leave = takeListener(door, known);
        const { signal, done } = open.enter(reply.raw);
        const ends = anySignal([signal, caller.closed]);
        reply.raw.once('close', () => {
          leave();
          done();
          ends.release();
        });
        const asked = webRequest(request, ends.signal);
        return reply.send(await handler.fetch(asked, { authInfo: infoOf(known, caller.visitor) }));
      },
    });
  });
}

/** The SDK gives on what it is given here, whichever of its requests it makes of the one that came. */
function infoOf({ name, rights }: HttpCaller, visitor: Visitor): AuthInfo {
  return { token: '', clientId: name, scopes: [...rights], extra: { visitor } };
}

function visitorOf({ authInfo }: McpRequestContext): Visitor {
  const visitor = authInfo?.extra?.visitor;
  if (!visitor) throw new Error('A request came to the MCP door whose caller is not known');
  return visitor as Visitor;
}

/** What a caller began to hear ends with its token, and so does its session. */
function lookAtTokens(door: HttpDoor, callers: McpCallers, everyMs: number): NodeJS.Timeout {
  const look = (): void => {
    callers.endClosed();
    door.sessions
      .endClosed(door.authentication, () => door.ask((connection) => Promise.resolve(connection)))
      .catch((error: unknown) => door.note(`A session of a closed token did not end: ${String(error)}`));
  };
  return setInterval(look, everyMs).unref();
}

function webRequest({ method, headers, body, host }: FastifyRequest, signal: AbortSignal): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one]),
  );
  return new Request(`http://${host}${PATH}`, {
    method,
    headers: pairs,
    signal,
    ...(method === 'POST' && { body: typeof body === 'string' ? body : '' }),
  });
}
