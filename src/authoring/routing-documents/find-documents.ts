import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FILE } from '../../definitions/find-project.js';

/** What every routing document is called. Source: R-000-01. */
export const DOCUMENT_NAME = 'ABILITY.md';

/** Holds other people's projects. */
const DEPENDENCIES = 'node_modules';

/**
 * The routing documents below a folder, relative to the root of the project, with forward slashes, in order of path.
 *
 * Hidden folders, dependencies and projects within the project are left alone, and links to folders are not followed.
 */
export function findDocuments(root: string, below = ''): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name === DOCUMENT_NAME && !entry.isDirectory()) found.push(path);
    else if (entry.isDirectory() && isOurs(root, path, entry.name)) found.push(...findDocuments(root, path));
  }
  return found.sort();
}

function isOurs(root: string, path: string, name: string): boolean {
  return !name.startsWith('.') && name !== DEPENDENCIES && !existsSync(join(root, path, PROJECT_FILE));
}
