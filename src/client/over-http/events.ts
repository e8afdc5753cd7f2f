import type { IncomingMessage } from 'node:http';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskEvent } from '../../contracts/task-events.js';
import type { HttpConnection } from './http-connection.js';
import { pathOf } from './tasks.js';

/** The maximum number of interruptions without an event in between. */
const MAX_BREAKS = 5;

/** As `followEvents`: a broken stream resumes after the last event. */
export async function followEvents(
  connection: HttpConnection,
  id: string,
  after: string | undefined,
  signal: AbortSignal,
): Promise<AsyncGenerator<TaskEvent, void>> {
  return readStreams(connection, id, await open(connection, id, after, signal), after, signal);
}

function open(
  { http }: HttpConnection,
  id: string,
  after: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers: Record<string, string> = after ? { 'last-event-id': after } : {};
  return http.listen(`${pathOf(id)}/events`, { headers, signal });
}

async function* readStreams(
  connection: HttpConnection,
  id: string,
  first: IncomingMessage,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<TaskEvent, void> {
  let [stream, last, breaks] = [first, after, 0];
  for (;;) {
    try {
      for await (const event of eventsIn(stream)) {
        last = event.id;
        breaks = 0;
        yield event;
        if (event.type === 'task.ended') return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof AbilityError) throw error;
    }
    if (signal.aborted) return;
    breaks += 1;
    if (breaks > MAX_BREAKS) {
      throw new AbilityError({
        code: 'door.unreachable',
        message: `The events of ${id} break off again and again`,
        suggestion: 'Ask again with the id of the last event.',
      });
    }
    try {
      stream = await open(connection, id, last, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
}

async function* eventsIn(stream: IncomingMessage): AsyncGenerator<TaskEvent, void> {
  let rest = '';
  stream.setEncoding('utf8');
  for await (const piece of stream as AsyncIterable<string>) {
    rest += piece;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield JSON.parse(data.slice('data: '.length)) as TaskEvent;
    }
  }
}
