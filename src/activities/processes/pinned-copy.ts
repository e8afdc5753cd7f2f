import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import type { PinnedFile } from '../../contracts/plan.js';

/** Returns the verified bytes of a pinned file. */
export type BytesOf = (file: PinnedFile) => Promise<Uint8Array>;

/** Files up to this size are read at once; larger ones in chunks, without blocking other calls. */
const AT_ONCE = 1024 * 1024;

/** Age after which a temporary file counts as left by a killed worker, not as one in use. */
const LEFT_MS = 60 * 60 * 1000;

/**
 * A copy of a script's pinned files, in the layout of the project. Every use verifies that each file has the bytes
 * of its digest, and that no other exists, such as a module that would be found first. Differences are repaired
 * file by file, each by one rename: several workers may repair at once, a killed one leaves nothing that passes
 * for complete, and a running script keeps finding its files.
 */
export class PinnedCopy {
  /** @param folder of the copy. @param waiting folder of temporary files, on the same disk. */
  constructor(
    private readonly root: string,
    readonly folder: string,
    private readonly waiting: string,
    private readonly files: readonly PinnedFile[],
  ) {}

  /** Repairs the copy. @throws errors of `bytesOf` and of the file system. */
  async mend(bytesOf: BytesOf): Promise<void> {
    const links = this.links();
    this.makeFolders('.');
    // First: no folder may be a link to one whose files look right.
    this.removeOthers(new Set([...this.files.map(({ path }) => path), ...links.keys()]));
    for (const [path, target] of links) if (this.targetOf(path) !== target) this.link(path, target);
    for (const file of this.files) {
      if (!links.has(file.path) && !(await this.isRight(file))) this.write(file, await bytesOf(file));
    }
  }

  /** Absolute paths of the installed packages that it links to. */
  packages(): string[] {
    return [...this.links().values()].filter(isAbsolute);
  }

  /** Links to installed packages, which are not part of a plan, and symbolic links of pinned files. */
  private links(): Map<string, string> {
    const folders = new Set(['']);
    for (const { path } of this.files) {
      for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
    }
    const found = new Map<string, string>();
    for (const folder of folders) {
      const modules = folder === '' ? modulesAbove(this.root) : join(this.root, folder, 'node_modules');
      if (modules !== undefined && existsSync(modules)) found.set(join(folder, 'node_modules'), modules);
    }
    for (const { path, real } of this.files) if (real !== undefined) found.set(path, relative(dirname(path), real));
    return found;
  }

  private async isRight({ path, digest }: PinnedFile): Promise<boolean> {
    const file = join(this.folder, path);
    const stat = look(file);
    // The owner may read and execute, not write.
    if (!stat?.isFile() || (stat.mode & 0o700) !== 0o500) return false;
    const hash = createHash('sha256');
    if (stat.size <= AT_ONCE) hash.update(readFileSync(file));
    else for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return hash.digest('hex') === digest;
  }

  private targetOf(path: string): string | undefined {
    const link = join(this.folder, path);
    return look(link)?.isSymbolicLink() ? readlinkSync(link) : undefined;
  }

  private write({ path }: PinnedFile, bytes: Uint8Array): void {
    // Written in one go: a program that another call starts meanwhile must not inherit the open file (ETXTBSY).
    this.place(path, (own) => {
      writeFileSync(own, bytes, { mode: 0o700 });
      chmodSync(own, 0o555 & ~UMASK);
    });
  }

  private link(path: string, target: string): void {
    this.place(path, (own) => symlinkSync(target, own));
  }

  private place(path: string, make: (own: string) => void): void {
    const to = join(this.folder, path);
    mkdirSync(this.waiting, { recursive: true });
    removeLeft(this.waiting);
    const own = join(this.waiting, randomUUID());
    try {
      make(own);
      this.makeFolders(dirname(path));
      if (look(to)?.isDirectory()) rmSync(to, { recursive: true, force: true });
      renameSync(own, to);
    } finally {
      rmSync(own, { force: true });
    }
  }

  /** Replaces everything that is no folder, such as a link to a folder elsewhere. */
  private makeFolders(path: string): void {
    const parts = path === '.' ? [] : path.split('/');
    for (let depth = 0; depth <= parts.length; depth += 1) {
      const folder = join(this.folder, ...parts.slice(0, depth));
      const stat = look(folder);
      if (stat && !stat.isDirectory()) rmSync(folder, { force: true });
      mkdirSync(folder, { recursive: true });
    }
  }

  private removeOthers(expected: ReadonlySet<string>, folder = ''): void {
    for (const entry of readdirSync(join(this.folder, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (expected.has(path)) continue;
      const isAbove = entry.isDirectory() && [...expected].some((file) => file.startsWith(`${path}/`));
      if (isAbove) this.removeOthers(expected, path);
      else rmSync(join(this.folder, path), { recursive: true, force: true });
    }
  }
}

/** Finds packages above the project too: a copy may be outside the project, as in test cases. */
function modulesAbove(folder: string): string | undefined {
  const modules = join(folder, 'node_modules');
  if (existsSync(modules)) return modules;
  return dirname(folder) === folder ? undefined : modulesAbove(dirname(folder));
}

/** Permissions that new files do not get. Reading the umask sets it, so it is read at import. */
const UMASK = process.umask();

function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function removeLeft(folder: string): void {
  for (const name of readdirSync(folder)) {
    const stat = look(join(folder, name));
    if (stat && Date.now() - stat.mtimeMs > LEFT_MS) rmSync(join(folder, name), { force: true });
  }
}
