import type { z } from 'zod';
import { USER_CLAIM } from '../../contracts/access.js';
import type { Caller } from '../../contracts/callers.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { defined } from '../../text/defined.js';
import type { Operation } from '../operation.js';
import type { Operations } from '../operations.js';
import type { DoorLink } from './door-link.js';
import { readEvents } from './events.js';

/** What a caller says besides the input; the door decides what it believes. */
export interface Claims {
  user?: string | undefined;
  kind?: Caller | undefined;
  /** W3C `traceparent`. */
  trace?: string | null;
}

export type InputOf<Name extends keyof Operations> =
  Operations[Name] extends Operation<infer Input, infer _> ? z.input<Input> : never;

export type OutputOf<Name extends keyof Operations> =
  Operations[Name] extends Operation<infer _, infer Output> ? Output : never;

/** Operations that answer with events. */
export type Streaming = 'followEvents' | 'watchTask';

/** Calls an operation at a door. @throws AbilityError errors of the door, `door.unreachable`; the reason of the signal. */
export async function callDoor<Name extends Exclude<keyof Operations, Streaming>>(
  link: DoorLink,
  name: Name,
  input: InputOf<Name>,
  claims: Claims,
  signal: AbortSignal | undefined,
): Promise<OutputOf<Name>> {
  const { body } = await link.ask('POST', pathOf(name), {
    headers: claimHeaders(claims),
    body: input as JsonObject,
    signal,
  });
  return body as Json as OutputOf<Name>;
}

/** As {@link callDoor}, for events. */
export function streamDoor<Name extends Streaming>(
  link: DoorLink,
  name: Name,
  input: InputOf<Name>,
  claims: Claims,
  signal: AbortSignal | undefined,
): Promise<OutputOf<Name>> {
  return readEvents(link, pathOf(name), input as JsonObject, claimHeaders(claims), signal) as Promise<OutputOf<Name>>;
}

function pathOf(name: string): string {
  return `/v1/operations/${name}`;
}

/** With a token, a door refuses any name but that of its person; over a runtime's socket it is a claim. */
function claimHeaders({ user, kind, trace }: Claims): Record<string, string> {
  return defined({
    [USER_CLAIM.user]: user === undefined ? undefined : encodeURIComponent(user),
    [USER_CLAIM.caller]: kind,
    traceparent: trace ?? undefined,
  }) as Record<string, string>;
}
