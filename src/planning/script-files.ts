import { createHash } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isInside } from '../definitions/read-files.js';
import type { Registry } from '../definitions/registry.js';

/** A file of the project that is run, as it was when its registry was read. */
export interface ScriptFile {
  /** Symlinks resolved. */
  real: string;
  /** SHA-256 of its bytes. */
  digest: string;
  /** Whether the system can run it by itself: it has a run bit, and a shebang or a binary's magic. */
  isProgram: boolean;
}

/** A registry is one look at the files, so each script is read once for it, however many plans name it. */
const known = new WeakMap<Registry, Map<string, ScriptFile | Unusable>>();

/** Why a path is no script: nothing is there, it is outside the project, or its bytes may not be read. */
export type Unusable = 'missing' | 'outside' | 'unreadable';

/** Reads a script of the project, or tells why that cannot be. A file outside is never opened. */
export function readScript(registry: Registry, path: string): ScriptFile | Unusable {
  let files = known.get(registry);
  if (!files) {
    files = new Map();
    known.set(registry, files);
  }
  const seen = files.get(path);
  if (seen !== undefined) return seen;
  const read = readNow(registry.root, resolve(registry.root, path));
  files.set(path, read);
  return read;
}

function readNow(root: string, path: string): ScriptFile | Unusable {
  const real = realPathOf(path);
  if (real === undefined) return 'missing';
  if (!isInside(root, path) || !isInside(root, real)) return 'outside';
  try {
    const digest = createHash('sha256').update(readFileSync(real)).digest('hex');
    return { real, digest, isProgram: isExecutable(real) && hasMagic(real) };
  } catch {
    return 'unreadable';
  }
}

function realPathOf(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return (statSync(file).mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

function hasMagic(file: string): boolean {
  const handle = openSync(file, 'r');
  try {
    const start = Buffer.alloc(4);
    readSync(handle, start, 0, 4, 0);
    return start.subarray(0, 2).toString('latin1') === '#!' || start.equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46]));
  } finally {
    closeSync(handle);
  }
}
