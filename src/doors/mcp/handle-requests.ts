import { createMcpHandler, type McpHttpHandler, type McpRequestContext } from '@modelcontextprotocol/server';
import { oneLine } from '../../rules/shown-text.js';
import { createServer } from './create-server.js';
import { watchExposed } from './expose-abilities.js';
import type { McpDoor, Visitor } from './mcp-door.js';
import { MAX_ARGUMENTS } from './read-arguments.js';

/** Room for arguments of the largest size, escaped, and for the message around them. */
const MOST_BODY_BYTES = 2 * MAX_ARGUMENTS;

/** A door for web requests. */
export interface RequestHandler extends McpHttpHandler {
  /** Ends what looks for changes, and open streams. */
  close(): Promise<void>;
}

/**
 * Serves callers of a door over HTTP, a server for each request.
 *
 * Whose a request is, its mounting has to prove before, as well as that Host and Origin are its own: nothing here does.
 *
 * Before 2026-07-28 a change of the tools is heard on a stream of a session; without sessions it is not promised.
 *
 * @param visitorOf the caller of a request; the same one for the same token, since a session belongs to it.
 */
export function handleRequests(door: McpDoor, visitorOf: (context: McpRequestContext) => Visitor): RequestHandler {
  const handler = createMcpHandler((context) => createServer(door, visitorOf(context), context.era === 'modern'), {
    maxRequestBodySize: MOST_BODY_BYTES,
    onerror: (error) => door.note(oneLine(error.message)),
  });
  const stopWatching = watchExposed(door, () => handler.notify.toolsChanged());
  return {
    ...handler,
    close: () => {
      stopWatching();
      return handler.close();
    },
  };
}
