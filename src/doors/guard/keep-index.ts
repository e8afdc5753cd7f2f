import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../disk/write-whole.js';
import { packageVersion } from '../../server/installation.js';
import type { GuardIndex } from './guard-index.js';

/** Change it when indexes of earlier builds must not be read. */
const FORM = 1;

interface Kept {
  key: string;
  index: GuardIndex;
}

/**
 * The stored index if all bytes of its sources are the same, else a new one; a change can keep sizes and times.
 * Addresses and credentials of the environment are looked up when needed, not stored.
 */
export async function keptIndex(
  root: string,
  environment: string | undefined,
  build: () => Promise<GuardIndex>,
): Promise<GuardIndex> {
  const key = keyOf(root, environment);
  const file = join(root, '.system', 'cache', 'guard.json');
  const kept = readKept(file);
  if (kept?.key === key) return kept.index;
  const index = await build();
  // After an edit meanwhile, the index would be stored under the wrong key.
  if (keyOf(root, environment) === key) writeKept(file, { key, index });
  return index;
}

function keyOf(root: string, environment: string | undefined): string {
  const hash = createHash('sha256').update(`${FORM}\0${packageVersion()}\0${environment ?? ''}\0`);
  const add = (path: string): void => {
    hash.update(`${path}\0`);
    try {
      const bytes = readFileSync(join(root, path));
      hash.update(`${bytes.length}\0`).update(bytes);
    } catch (error) {
      hash.update(`${(error as NodeJS.ErrnoException).code}\0`);
    }
  };
  add('ability.yaml');
  for (const folder of ['registry', '.system/registry', '.system/hooks', 'modules/overview']) {
    for (const path of filesBelow(root, folder)) add(path);
  }
  return hash.digest('hex');
}

function filesBelow(root: string, folder: string): string[] {
  let entries: import('node:fs').Dirent[];
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A missing folder differs from an unreadable one.
    return code === 'ENOENT' ? [] : [`${folder}/${code}`];
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'schemas' && folder === 'registry' ? [] : filesBelow(root, path);
      return entry.isSymbolicLink() ? [path, `${path}\0${linkOf(join(root, path))}`] : [path];
    });
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function readKept(file: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

/** After a failure the next call builds the index again: an unwritable folder only makes the guard slower. */
function writeKept(file: string, kept: Kept): void {
  try {
    writeWhole(file, JSON.stringify(kept), 0o600);
  } catch {
    // See above.
  }
}
