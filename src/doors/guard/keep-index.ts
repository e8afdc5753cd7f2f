import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageVersion } from '../../server/installation.js';
import type { GuardIndex } from './guard-index.js';

/** Changes when an index of an earlier build must not be read. */
const FORM = 1;

/** A stored index, and its sources. */
interface Kept {
  key: string;
  index: GuardIndex;
}

/**
 * The index of a project: the stored one if every byte of its sources is the same, else a new one.
 *
 * The digest is over the bytes of all definitions, read now, and not over their sizes and times, which a change can keep. The values of
 * addresses and credentials in the environment are no part of the index; they are looked up when needed.
 *
 * @param build makes a new one; loads what it needs.
 */
export async function keptIndex(
  root: string,
  environment: string | undefined,
  build: () => Promise<GuardIndex>,
): Promise<GuardIndex> {
  const key = keyOf(root, environment);
  const folder = join(root, '.system', 'cache');
  const file = join(folder, 'guard.json');
  const kept = readKept(file);
  if (kept?.key === key) return kept.index;
  const index = await build();
  // Made from files that were edited meanwhile, it would be kept under the wrong key.
  if (keyOf(root, environment) === key) writeKept(folder, file, { key, index });
  return index;
}

/** SHA-256 of all that an index is made from. */
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

/** Whole or not at all; where it cannot be kept, the next call makes it again. */
function writeKept(folder: string, file: string, kept: Kept): void {
  const part = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(part, JSON.stringify(kept), { mode: 0o600 });
    renameSync(part, file);
  } catch {
    // A folder that cannot be written to makes the guard slower, and decides nothing.
  }
}
