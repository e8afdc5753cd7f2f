import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Right } from '../../contracts/access.js';
import { AbilityError } from '../../contracts/problem.js';
import { startOf } from '../../rules/shown-text.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import type { HttpCaller } from './authenticate.js';
import type { HttpDoor } from './http-door.js';

/** The type of a file that is sent or received; pages of other sites cannot send it without a CORS check. */
export const FILE_TYPE = 'application/octet-stream';

/** The type of a form, which pages of other sites can send as well: for routes that check a signature. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

type Parts = z.ZodObject;
const none = z.strictObject({});

/** One request that has passed every check of the door. */
export interface HttpCall<Params, Query, Body> {
  door: HttpDoor;
  caller: HttpCaller;
  params: Params;
  query: Query;
  body: Body;
  headers: Record<string, string | string[] | undefined>;
  /** Aborts when the client disconnects or the door closes. */
  signal: AbortSignal;
  /** Counts this request as one of a sender; null: a refused one. @throws AbilityError `door.too_many`. */
  count(sender: string | null): void;
  /** For streams; the handler then returns `undefined`. */
  raw: ServerResponse;
}

/** The response body; undefined if the handler has written it itself. */
export type HttpAnswer = { status: number; body: unknown; headers?: Record<string, string> } | undefined;

interface DescribedAnswer {
  means: string;
  schema?: z.ZodType;
  /** Default: `application/json`. */
  type?: string;
}

/** A route; the same formats check a request and describe it. */
export interface Route {
  /** Unique; the `operationId` of its description. */
  name: string;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With `{name}` for each parameter. */
  path: string;
  summary: string;
  /** The right that the caller needs, perhaps by the parameters of the path; null: none. @throws for wrong ones. */
  right: Right | null | ((params: unknown) => Right);
  params: Parts;
  query: Parts;
  /** Undefined if the route takes no body. */
  body?: z.ZodType;
  /**
   * The handler receives the body raw and checks it: as a `Buffer`, of JSON or of a form, or unread as a `Readable`; `body` only
   * describes it.
   */
  takes?: 'bytes' | 'form' | 'stream';
  /** Maximum size of its body; without it that of the door. */
  bytes?: number;
  /** Refuses a request before its body is read. `params` are not checked yet. */
  refuseUnread?: (request: Pick<HttpCall<unknown, unknown, never>, 'door' | 'headers' | 'params' | 'count'>) => void;
  /** HEAD gets the same without the body, as the checks of load balancers ask. */
  answersHead?: true;
  /** The handler counts its requests, once it knows their senders. */
  countsItself?: true;
  headers?: Record<string, string>;
  answers: Record<number, DescribedAnswer>;
  handle(call: HttpCall<unknown, unknown, unknown>): Promise<HttpAnswer>;
}

type RouteOf<P extends Parts, Q extends Parts, B extends z.ZodType> = Omit<
  Route,
  'params' | 'query' | 'body' | 'handle'
> & {
  params?: P;
  query?: Q;
  body?: B;
  handle(call: HttpCall<z.output<P>, z.output<Q>, z.output<B>>): Promise<HttpAnswer>;
};

/** Defines a route; its handler gets the parsed types of its formats. */
export function defineRoute<
  P extends Parts = typeof none,
  Q extends Parts = typeof none,
  B extends z.ZodType = z.ZodUndefined,
>({ params, query, handle, ...rest }: RouteOf<P, Q, B>): Route {
  return { ...rest, params: params ?? none, query: query ?? none, handle: handle as Route['handle'] };
}

/** @throws AbilityError `door.bad_request` with each place in the details. */
export function readParts(
  { params, query, body, takes }: Pick<Route, 'params' | 'query' | 'body' | 'takes'>,
  given: { params: unknown; query: unknown; body: unknown },
): { params: unknown; query: unknown; body: unknown } {
  if (!takes) {
    // Before the formats, which might drop such keys.
    refuseUnsafeKeys(given.body, 'door.bad_request');
    refuseUnsafeKeys(given.query, 'door.bad_request');
  }
  const parts = { params: read(params, given.params, 'path'), query: read(query, typed(query, given.query), 'query') };
  if (takes) return { ...parts, body: given.body };
  return { ...parts, body: body ? read(body, given.body ?? {}, 'body') : refuseBody(given.body) };
}

/** A query has texts only: those of numbers, of `true` and `false`, and of lists are read as such. */
function typed({ shape }: z.ZodObject, query: unknown): unknown {
  const given = Object.entries((query ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    given.map(([name, value]) => {
      const type = typeOf(shape[name] as z.ZodType | undefined);
      if (type === 'array') return [name, [value].flat()];
      if (type === 'boolean' && (value === 'true' || value === 'false')) return [name, value === 'true'];
      return [name, type === 'number' && /^\d{1,15}$/.test(String(value)) ? Number(value) : value];
    }),
  );
}

function typeOf(schema: z.ZodType | undefined): string | undefined {
  const { type, innerType } = (schema?.def ?? {}) as { type?: string; innerType?: z.ZodType };
  return innerType ? typeOf(innerType) : type;
}

/** @throws AbilityError `door.bad_request` with each place in the details. */
export function readInput(format: z.ZodType, body: unknown): Record<string, unknown> {
  return read(format, body, 'body') as Record<string, unknown>;
}

function read(format: z.ZodType, value: unknown, part: string): unknown {
  const { success, data, error } = format.safeParse(value);
  if (success) return data;
  const details = error.issues.map(({ path, message }) => ({
    at: [part, ...path].join('.'),
    message: startOf(message, 500),
  }));
  const [first] = details;
  throw badRequest(`${first?.at}: ${first?.message}`, details);
}

function refuseBody(body: unknown): undefined {
  if (body === undefined || body === null) return undefined;
  throw badRequest('This route accepts no body', [{ at: 'body', message: 'It must be empty' }]);
}

function badRequest(message: string, details: unknown): AbilityError {
  return new AbilityError({
    code: 'door.bad_request',
    message,
    details,
    suggestion: 'Compare the request with `GET /v1/openapi.json`.',
  });
}
