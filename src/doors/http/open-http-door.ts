import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Right } from '../../contracts/access.js';
import { AbilityError } from '../../contracts/problem.js';
import { packageVersion } from '../../server/installation.js';
import { attempt } from '../../text/attempt.js';
import { readInput } from '../../text/lossless-json/read-json.js';
import { ANYONE, admit, type HttpCaller, refusedFrom } from './authenticate.js';
import { checkOrigin } from './check-origin.js';
import { untilClosed } from './connections.js';
import type { HttpDoor } from './http-door.js';
import { httpProblem } from './http-problem.js';
import { metricsOf } from './metrics/door-metrics.js';
import { mountMcp } from './mount-mcp.js';
import { openApiDocument } from './openapi-document.js';
import { mountPage, opensView } from './page/mount-page.js';
import { RateLimit } from './rate-limit.js';
import { defineRoute, FILE_TYPE, FORM_TYPE, type Route, readParts } from './route.js';
import { ROUTES } from './routes/all.js';
import { letUiDecode } from './routes/codec.js';

/** A certificate and its key, PEM. */
export interface Tls {
  cert: string | Buffer;
  key: string | Buffer;
}

const HEADERS_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
/** How often Node checks for requests that take too long. */
const LOOK_MS = 5000;
/** How long a client that sent no request may take to read the answer and to close the connection. */
const LINGER_MS = 1000;

/** Builds the server of a door; `listen` opens it. Every check that needs no body comes before the body is read. */
export function openHttpDoor(door: HttpDoor, tls?: Tls): FastifyInstance {
  const { bytes, requestMs } = door.limits;
  const looks = { connectionsCheckingInterval: Math.min(LOOK_MS, requestMs) };
  const app = fastify({
    // HTTPS has another type of server, with the same interface.
    ...(tls ? { https: { ...tls, ...looks } } : { http: looks }),
    bodyLimit: bytes,
    requestTimeout: requestMs,
    clientErrorHandler: (error, socket) => answerBroken(error, socket),
    frameworkErrors: (error, request, reply) => answerProblem(door, error, request, reply),
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1000 },
  }) as FastifyInstance;
  app.server.headersTimeout = Math.min(HEADERS_MS, requestMs);
  takeJsonAlone(app);
  app.setErrorHandler((error, request, reply) => answerProblem(door, error, request, reply));
  app.setNotFoundHandler((request, reply) => answerProblem(door, noRoute(request), request, reply));
  const rates = new RateLimit(door.limits.rate);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    refuseEncoded(request);
    const isUi = await letUiDecode(door, request, reply);
    checkOrigin(request, door.isOwnHost, isUi || (door.page !== undefined && opensView(request)));
    // Its browser asks first.
    return isUi && request.method === 'OPTIONS' ? reply.code(204).send() : undefined;
  });
  metricsOf(door).watch(app);
  const routes = [...ROUTES, descriptionOf(ROUTES)];
  for (const route of routes.filter(({ takes }) => !takes)) mount(app, door, route, rates);
  for (const [kind, take] of Object.entries(RAW)) {
    app.register(async (within) => {
      within.removeAllContentTypeParsers();
      take(within);
      for (const route of routes.filter(({ takes }) => takes === kind)) mount(within, door, route, rates);
    });
  }
  if (door.page) mountPage(app, door, door.page, rates);
  if (door.mcp) mountMcp(app, door, door.mcp, rates);
  return app;
}

function descriptionOf(routes: readonly Route[]): Route {
  const body = openApiDocument(routes, packageVersion());
  return defineRoute({
    name: 'describeDoor',
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'This description.',
    right: null,
    answers: { 200: { means: 'OpenAPI 3.1.' } },
    handle: async () => ({ status: 200, body }),
  });
}

function mount(app: FastifyInstance, door: HttpDoor, route: Route, rates: RateLimit): void {
  const callers = new WeakMap<FastifyRequest, HttpCaller>();
  app.route({
    method: route.answersHead ? [route.method, 'HEAD'] : route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(route.bytes !== undefined && { bodyLimit: route.bytes }),
    onRequest: async (request) => {
      const { headers, params } = request;
      const right = typeof route.right === 'function' ? rightFor(route.right, params) : route.right;
      if (right !== null) callers.set(request, admit(door.authentication, right, request, rates));
      else if (!route.countsItself) rates.take(`anyone ${request.ip}`);
      route.refuseUnread?.({ door, headers, params, count: countIn(rates, request) });
    },
    handler: async (request, reply) => {
      const { params, query, body } = readParts(route, request);
      const { headers } = request;
      const caller = callers.get(request) ?? ANYONE;
      const count = countIn(rates, request);
      const { signal, release } = untilClosed(reply.raw, [door.closing]);
      try {
        const answer = await route.handle({
          door,
          caller,
          params,
          query,
          body,
          headers,
          signal,
          count,
          raw: reply.raw,
        });
        if (!answer) return reply.hijack();
        return reply
          .code(answer.status)
          .headers(answer.headers ?? {})
          .send(answer.body);
      } finally {
        release();
      }
    },
  });
}

/** Who may not even name an operation needs a token first. */
function rightFor(rightOf: (params: unknown) => Right, params: unknown): Right {
  return attempt(() => rightOf(params), 'read');
}

function countIn(rates: RateLimit, request: FastifyRequest): (sender: string | null) => void {
  return (sender) => rates.take(sender ?? refusedFrom(request));
}

/** Accepts only JSON: pages of other sites can send other types without a CORS check. */
function takeJsonAlone(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, bytes: Buffer, done) => {
    try {
      done(null, bytes.length === 0 ? undefined : readInput(bytes, { what: 'The body', broken: 'door.bad_request' }));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Bodies are checked, and their signatures, as they are sent. @throws AbilityError `door.media_type`. */
function refuseEncoded({ headers: { 'content-encoding': encoding = 'identity' } }: FastifyRequest): void {
  if (encoding === 'identity') return;
  throw new AbilityError({
    code: 'door.media_type',
    message: `The body is encoded: ${encoding.slice(0, 50)}`,
    suggestion: 'Send it without `content-encoding`.',
  });
}

const RAW: Record<NonNullable<Route['takes']>, (app: FastifyInstance) => void> = {
  /** Signatures cover the bytes. */
  bytes: (app) =>
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, bytes, done) => done(null, bytes)),
  form: (app) => app.addContentTypeParser(FORM_TYPE, { parseAs: 'buffer' }, (_, bytes, done) => done(null, bytes)),
  /** The handler limits what it reads. */
  stream: (app) => app.addContentTypeParser(FILE_TYPE, (_, body, done) => done(null, body)),
};

function noRoute({ method, url }: FastifyRequest): AbilityError {
  return new AbilityError({
    code: 'door.no_route',
    message: `There is no ${method} ${url.split('?', 1)[0]}`,
    suggestion: 'Look at `GET /v1/openapi.json`.',
  });
}

/** Our codes for requests that fastify itself refuses. */
const FRAMEWORK_CODES: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'door.too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'door.media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'door.bad_request',
};

function answerProblem(door: HttpDoor, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = httpProblem(asAbilityError(error, request.routeOptions.bodyLimit ?? door.limits.bytes), door.log);
  // Work fails when its caller has left or the door closes: that is no fault.
  const isCut = reply.raw.destroyed || door.closing.aborted;
  if (problem.status >= 500 && problem.code === 'internal.error' && !isCut) {
    door.note(`${request.method} ${request.url.split('?', 1)[0]} failed: ${stackOf(error)}`);
  }
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  if (problem.code === 'door.unauthenticated') reply.header('www-authenticate', 'Bearer');
  const wait = (problem.details as { retry_after?: unknown } | undefined)?.retry_after;
  if (problem.status === 429 && typeof wait === 'number') reply.header('retry-after', String(wait));
  if (problem.status === 413) {
    reply.removeHeader('connection');
    readOn(request.raw);
  }
  reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem));
}

/** An oversized body is not read to its end. But who still writes when its connection is closed may not get to read the answer. */
function readOn(body: IncomingMessage): void {
  if (body.readableEnded) return;
  const { socket } = body;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  body.once('close', () => clearTimeout(timer));
  body.resume();
}

function answerBroken({ code }: { code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const message = isLate ? 'The request was not sent in time' : 'What was sent is no HTTP request';
  const problem = {
    ...httpProblem(new AbilityError({ code: 'door.bad_request', message })),
    status: isLate ? 408 : 400,
  };
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${isLate ? 'Request Timeout' : 'Bad Request'}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Destroyed at once, a connection with unread input would be reset before the client has the answer.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

function asAbilityError(error: unknown, bodyLimit: number): unknown {
  if (error instanceof AbilityError || !(error instanceof Error)) return error;
  const { code = '', statusCode } = error as Error & { code?: string; statusCode?: number };
  const ours = FRAMEWORK_CODES[code] ?? (statusCode !== undefined && statusCode < 500 ? 'door.bad_request' : undefined);
  if (ours === undefined) return error;
  const message = ours === 'door.too_large' ? `A body may have at most ${bodyLimit} bytes` : error.message;
  return new AbilityError({ code: ours, message }, { cause: error });
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
