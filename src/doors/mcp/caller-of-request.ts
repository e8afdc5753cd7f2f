import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../contracts/json.js';
import { oneLine, startOf } from '../../rules/shown-text.js';

const MOST_NAME = 64;

/** The capabilities that came with a request; undefined with the protocols before 2026-07-28, which have them once. */
export function capabilitiesOf({ mcpReq }: ServerContext): unknown {
  return (mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
}

/** How the client calls itself, as one line: a claim. */
export function agentOf({ mcpReq }: ServerContext, server: Server): string {
  const info = (mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  const name = isJsonObject(info) ? info.name : server.getClientVersion()?.name;
  return (typeof name === 'string' && oneLine(startOf(name, MOST_NAME))) || 'unnamed';
}
