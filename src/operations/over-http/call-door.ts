import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { USER_CLAIM } from '../../contracts/access.js';
import type { Caller } from '../../contracts/callers.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { defined } from '../../text/defined.js';
import type { Operation } from '../operation.js';
import type { Operations } from '../operations.js';
import { type DoorLink, errorOf } from './door-link.js';

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

/** The maximum number of interruptions without an event in between. */
const MAX_BREAKS = 5;

/** What all events have that a stream resumes after. */
interface Event {
  id?: string;
  type: string;
  /** Of the event `error`, the last one. */
  problem?: JsonObject;
}

/** The events of an operation; a stream that breaks resumes after its last event with an id. */
async function readEvents(
  link: DoorLink,
  path: string,
  input: JsonObject,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<Event, void>> {
  const open = (after: string | undefined): Promise<IncomingMessage> =>
    link.listen(path, { body: { ...input, ...(after !== undefined && { after }) }, headers, signal });
  return readStreams(open, await open(undefined), signal);
}

async function* readStreams(
  open: (last: string | undefined) => Promise<IncomingMessage>,
  first: IncomingMessage,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void> {
  let [stream, last, breaks]: [IncomingMessage, string | undefined, number] = [first, undefined, 0];
  for (;;) {
    try {
      for await (const event of eventsIn(stream)) {
        if (event.type === 'error') throw errorOf(event.problem);
        last = event.id ?? last;
        breaks = 0;
        yield event;
        if (event.type === 'task.ended' || event.type === 'end') return;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof AbilityError) throw error;
    }
    if (signal?.aborted) return;
    breaks += 1;
    // What has no position cannot be resumed.
    if (last === undefined || breaks > MAX_BREAKS) {
      throw new AbilityError({
        code: 'door.unreachable',
        message: 'The events break off again and again',
        suggestion: 'Ask again with the id of the last event.',
      });
    }
    try {
      stream = await open(last);
    } catch (error) {
      if (signal?.aborted) return;
      throw error;
    }
  }
}

async function* eventsIn(stream: IncomingMessage): AsyncGenerator<Event, void> {
  let rest = '';
  stream.setEncoding('utf8');
  for await (const piece of stream as AsyncIterable<string>) {
    rest += piece;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as Event;
    }
  }
}
