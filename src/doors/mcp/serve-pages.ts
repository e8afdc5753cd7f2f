import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { findDocuments } from '../../authoring/routing-documents/find-documents.js';
import type { McpDoor } from './mcp-door.js';

const SCHEME = 'ability:///';

/** Serves each `ABILITY.md` of the project as it is now, at `ability:///` and its path. Source: R-000-01. */
export function servePages(mcp: McpServer, door: Pick<McpDoor, 'registry'>): void {
  const pages = (): string[] => findDocuments(door.registry().root);
  const list = () => ({
    resources: pages().map((path) => ({ uri: `${SCHEME}${encodeURI(path)}`, name: path, mimeType: 'text/markdown' })),
  });
  mcp.registerResource('pages', new ResourceTemplate(`${SCHEME}{+path}`, { list }), {}, ({ href }) => {
    const path = pages().find((page) => `${SCHEME}${encodeURI(page)}` === href);
    if (path === undefined) throw new ResourceNotFoundError(href);
    const text = readFileSync(join(door.registry().root, path), 'utf8');
    return { contents: [{ uri: href, mimeType: 'text/markdown', text }] };
  });
}
