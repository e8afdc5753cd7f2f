import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plan } from '../../contracts/plan.js';
import type { Registry } from '../../definitions/registry.js';
import { isInside, slashedPath } from '../../disk/paths.js';
import { attempt } from '../../text/attempt.js';
import { memoize } from '../../text/memoize.js';
import { scriptsOf } from '../hooks/hook-parts.js';
import { type FileStart, startOf } from './interpreter.js';

export interface ScriptFile {
  /** The normalized path that names it, relative to the project root. */
  path: string;
  /** Relative to the project root, with symlinks resolved. */
  real: string;
  /** SHA-256 of its bytes. */
  digest: string;
  /** Undefined for a file that is too large to search for imports. */
  bytes: Buffer | undefined;
  start: FileStart;
}

export type Unusable = 'missing' | 'outside' | 'unreadable' | 'too_large';

/** Larger files are not pinned: the store would hold each version of them. */
export const MAX_BYTES = 256 * 1024 * 1024;

/** Larger files are not read for imports. */
const MAX_TEXT = 4 * 1024 * 1024;

/** A cache of a project's files: each is read once, for any number of plans. */
export class ProjectFiles {
  private readonly seen = new Map<string, ScriptFile | Unusable>();

  constructor(readonly root: string) {}

  /** Whether any file was looked for. */
  get wasUsed(): boolean {
    return this.seen.size > 0;
  }

  /** Reads a file, or returns why it cannot. Never opens a file outside the project. */
  read(path: string): ScriptFile | Unusable {
    const seen = this.seen.get(path);
    if (seen !== undefined) return seen;
    const read = this.readNow(resolve(this.root, path));
    this.seen.set(path, read);
    return read;
  }

  /** A path relative to the project root, with forward slashes. */
  within(path: string): string {
    return slashedPath(this.root, resolve(this.root, path));
  }

  private readNow(path: string): ScriptFile | Unusable {
    if (!isInside(this.root, path)) return realPathOf(path) === undefined ? 'missing' : 'outside';
    const real = realPathOf(path);
    if (real === undefined) return 'missing';
    if (!isInside(this.root, real)) return 'outside';
    return attempt(() => {
      if (statSync(real).size > MAX_BYTES) return 'too_large';
      const bytes = readFileSync(real);
      return {
        path: this.within(path),
        real: this.within(real),
        digest: createHash('sha256').update(bytes).digest('hex'),
        bytes: bytes.length > MAX_TEXT ? undefined : bytes,
        start: startOf(bytes),
      };
    }, 'unreadable');
  }
}

/** One cache for each registry, so that its plans see the same state of a file. */
export const projectFilesOf = memoize((registry: Registry) => new ProjectFiles(registry.root));

function realPathOf(path: string): string | undefined {
  return attempt(() => {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : undefined;
  });
}

/** Scripts, and files they read or import, that are missing or changed here. @returns sorted relative paths. */
export function changedScripts(root: string, plan: Plan): string[] {
  const files = new ProjectFiles(root);
  const changed = scriptsOf(plan)
    .flatMap(({ path, digest, files: others = [] }) => [{ path, digest }, ...others])
    .filter(({ path, digest }) => {
      const here = files.read(path);
      return typeof here === 'string' || here.digest !== digest;
    });
  return [...new Set(changed.map(({ path }) => path))].sort();
}
