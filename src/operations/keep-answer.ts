import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../disk/read-json.js';
import { writeWhole } from '../disk/write-files.js';
import { packageVersion } from '../server/installation.js';
import { attempt } from '../text/attempt.js';

interface Kept<T> {
  key: string;
  answer: T;
}

interface Place {
  root: string;
  /** Name of the file in `.system/cache`. */
  file: string;
  /** All that the answer depends on besides the definitions, and its form. */
  about: readonly string[];
}

/**
 * The stored answer if all bytes of the definitions are the same, else a new one; a change can keep sizes and times.
 * @param build reads nothing but the definitions; its answer is JSON.
 */
export async function keptAnswer<T>({ root, file: name, about }: Place, build: () => Promise<T>): Promise<T> {
  const key = keyOf(root, about);
  const file = join(root, '.system', 'cache', name);
  const kept = readJson<Kept<T>>(file);
  if (kept?.key === key) return kept.answer;
  const answer = await build();
  // After an edit meanwhile, the answer would be stored under the wrong key.
  if (keyOf(root, about) === key) writeKept(file, { key, answer });
  return answer;
}

function keyOf(root: string, about: readonly string[]): string {
  const hash = createHash('sha256').update(`${packageVersion()}\0${JSON.stringify(about)}\0`);
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
  return attempt(() => readlinkSync(path), '');
}

/** After a failure the next call builds the answer again: an unwritable folder only makes it slower. */
function writeKept(file: string, kept: Kept<unknown>): void {
  attempt(() => writeWhole(file, JSON.stringify(kept), 0o600));
}
