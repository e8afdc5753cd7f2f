import { createMcpHandler, type McpHttpHandler, type McpRequestContext } from '@modelcontextprotocol/server';
import { oneLine } from '../../rules/shown-text.js';
import { createServer } from './create-server.js';
import { watchExposed } from './expose-abilities.js';
import type { McpDoor, Visitor } from './mcp-door.js';
import { MAX_ARGUMENTS } from './read-arguments.js';

/** Room for escaped arguments of maximum size, and the message around them. */
const MAX_BODY_BYTES = 2 * MAX_ARGUMENTS;

export interface RequestHandler extends McpHttpHandler {
  /** Stops watching for changes, and ends open streams. */
  close(): Promise<void>;
}

/**
 * Does not prove the caller, Host or Origin: mounting must. Before 2026-07-28 a change of tools needs a session's
 * stream, so it is not promised. @param visitorOf the same one for the same token, since a session belongs to it.
 */
export function handleRequests(door: McpDoor, visitorOf: (context: McpRequestContext) => Visitor): RequestHandler {
  const handler = createMcpHandler((context) => createServer(door, visitorOf(context), context.era === 'modern'), {
    maxRequestBodySize: MAX_BODY_BYTES,
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
