import { createHash } from 'node:crypto';
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { isInside } from '../../definitions/read-files.js';
import type { Registry } from '../../definitions/registry.js';
import { memoize } from '../../text/memoize.js';

/** A file of the project that is run, read or imported, in the state in which it was read. */
export interface ScriptFile {
  /** As it is named, relative to the project root, without detours. */
  path: string;
  /** The place of its bytes, relative to the project root: symlinks resolved. */
  real: string;
  /** SHA-256 of its bytes. */
  digest: string;
  /** Its bytes; undefined for a file too large to be written by hand. */
  bytes: Buffer | undefined;
  /** Whether the system can run it by itself: it has a run bit, and a shebang or a binary's magic. */
  isProgram: boolean;
}

/** Why a path is no script: it does not exist, is outside the project, or its bytes may not be read, or are too many. */
export type Unusable = 'missing' | 'outside' | 'unreadable' | 'too_large';

/** Larger files are not pinned: the store would hold each version of them. */
export const MAX_BYTES = 256 * 1024 * 1024;

/** Larger files are not read for imports. */
const MAX_TEXT = 4 * 1024 * 1024;

/** One pass over the files of a project: each is read once, for any number of plans. */
export class ProjectFiles {
  private readonly seen = new Map<string, ScriptFile | Unusable>();

  constructor(readonly root: string) {}

  /** Reads a file, or says why that cannot be. A file outside the project is never opened. */
  read(path: string): ScriptFile | Unusable {
    const seen = this.seen.get(path);
    if (seen !== undefined) return seen;
    const read = this.readNow(resolve(this.root, path));
    this.seen.set(path, read);
    return read;
  }

  /** A path relative to the project root, with forward slashes. */
  within(path: string): string {
    return relative(this.root, resolve(this.root, path)).split(sep).join('/');
  }

  private readNow(path: string): ScriptFile | Unusable {
    if (!isInside(this.root, path)) return realPathOf(path) === undefined ? 'missing' : 'outside';
    const real = realPathOf(path);
    if (real === undefined) return 'missing';
    if (!isInside(this.root, real)) return 'outside';
    try {
      if (statSync(real).size > MAX_BYTES) return 'too_large';
      const bytes = readFileSync(real);
      return {
        path: this.within(path),
        real: this.within(real),
        digest: createHash('sha256').update(bytes).digest('hex'),
        bytes: bytes.length > MAX_TEXT ? undefined : bytes,
        isProgram: isExecutable(real) && hasMagic(bytes),
      };
    } catch {
      return 'unreadable';
    }
  }
}

/** The files of a registry's project, as they are when they are first read for it. */
export const projectFilesOf = memoize((registry: Registry) => new ProjectFiles(registry.root));

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

function hasMagic(bytes: Buffer): boolean {
  return bytes.subarray(0, 2).toString('latin1') === '#!' || bytes.subarray(0, 4).equals(ELF);
}

const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
