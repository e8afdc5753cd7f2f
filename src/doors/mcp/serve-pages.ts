import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { findDocuments } from '../../authoring/routing-documents/find-documents.js';
import { readPage } from '../../operations/list-pages.js';
import { isAllowed } from '../../rules/rights.js';
import type { McpDoor, Visitor } from './mcp-door.js';

const SCHEME = 'ability:///';

/** Serves each `ABILITY.md` of the project, which are about all of its abilities, as it is now, at `ability:///` and its path. Source: R-000-01. */
export function servePages(
  mcp: McpServer,
  door: Pick<McpDoor, 'registry' | 'environment'>,
  { rights }: Pick<Visitor, 'rights'>,
): void {
  const pages = (): string[] => {
    const isReadable = isAllowed(rights, 'read', { ability: undefined, environment: door.environment });
    return isReadable ? findDocuments(door.registry().root) : [];
  };
  const list = () => ({
    resources: pages().map((path) => ({ uri: `${SCHEME}${encodeURI(path)}`, name: path, mimeType: 'text/markdown' })),
  });
  mcp.registerResource('pages', new ResourceTemplate(`${SCHEME}{+path}`, { list }), {}, ({ href }) => {
    const path = pages().find((page) => `${SCHEME}${encodeURI(page)}` === href);
    if (path === undefined) throw new ResourceNotFoundError(href);
    const { text } = readPage(door.registry().root, path);
    return { contents: [{ uri: href, mimeType: 'text/markdown', text }] };
  });
}
