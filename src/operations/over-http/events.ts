import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { type DoorLink, errorOf } from './door-link.js';

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
export async function readEvents(
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
