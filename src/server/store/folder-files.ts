import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AbilityError } from '../../contracts/problem.js';
import { isAbsent } from '../../disk/disk-errors.js';
import { syncFolder } from '../../disk/write-files.js';
import { unlessAborted } from '../../rules/unless-aborted.js';
import { Measured, Verified } from './checked-stream.js';
import type { KeepOptions, KeptFile, StoredFile } from './store.js';
import { absent, damaged, entriesOf, notKept, notRead, notRemoved } from './store-errors.js';

const SHA256 = /^[0-9a-f]{64}$/;

/** Files by their SHA-256, in `<folder>/files/<two digits>/<digest>`; files being written are in `<folder>/new`. */
export class FolderFiles {
  private readonly files: string;
  private readonly fresh: string;

  constructor(private readonly folder: string) {
    this.files = join(folder, 'files');
    this.fresh = join(folder, 'new');
  }

  /** Hashes while copying beside the target, then moves the copy there once it is on disk. */
  async keep(source: string | Readable, { maxBytes, signal }: KeepOptions): Promise<KeptFile> {
    const own = join(this.fresh, randomUUID());
    const from = typeof source === 'string' ? createReadStream(source) : source;
    let unread: unknown;
    from.once('error', (error: unknown) => {
      unread = error;
    });
    const refused: AbilityError[] = [];
    try {
      const measured = new Measured(maxBytes);
      const writeTo = (file: FileHandle) =>
        pipeline(from, measured, (bytes: AsyncIterable<Buffer>) => this.writeAll(bytes, file, refused), { signal });
      // From Node 22 on, an aborted pipeline waits until its source has closed, which a stalled one never does.
      await this.write(own, (file) => unlessAborted(writeTo(file), signal));
      const sha256 = measured.sha256();
      await this.moveTo(this.pathOf(sha256), own);
      return { sha256, bytes: measured.bytes };
    } catch (error) {
      from.destroy();
      await rm(own, { force: true }).catch(() => {});
      if (signal?.aborted) throw error;
      // A failed write closes the source, whose error may arrive first.
      if (refused[0]) throw refused[0];
      if (error === unread || error instanceof AbilityError) throw error;
      throw notKept('A file', this.folder, error);
    }
  }

  async open(sha256: string): Promise<Readable> {
    const file = await open(this.pathOf(sha256)).catch((error: unknown) => {
      throw isAbsent(error) ? absent('file', sha256, this.folder) : notRead(`The file ${sha256}`, this.folder, error);
    });
    const verified = new Verified(sha256, () => damaged('file', sha256, this.folder));
    const bytes = file.createReadStream();
    // Errors of either stream reach the caller through the returned one.
    pipeline(bytes, verified).catch(() => {});
    return verified;
  }

  async sizeOf(sha256: string): Promise<number | undefined> {
    try {
      const found = await stat(this.pathOf(sha256));
      return found.isFile() ? found.size : undefined;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw notRead(`The file ${sha256}`, this.folder, error);
    }
  }

  async remove(sha256: string): Promise<void> {
    try {
      await rm(this.pathOf(sha256), { force: true });
    } catch (error) {
      if (!isAbsent(error)) throw notRemoved(`The file ${sha256}`, this.folder, error);
    }
  }

  async *list(): AsyncIterable<StoredFile> {
    for (const { name: two } of await entriesOf(this.files)) {
      for (const { name } of await entriesOf(join(this.files, two))) {
        const found = SHA256.test(name) ? await stat(this.pathOf(name)).catch(() => undefined) : undefined;
        if (found?.isFile()) yield { sha256: name, bytes: found.size, keptAt: found.mtime };
      }
    }
  }

  async removeHalfWritten(before: Date): Promise<void> {
    for (const { name } of await entriesOf(this.fresh)) {
      const path = join(this.fresh, name);
      const found = await stat(path).catch(() => undefined);
      if (found && found.mtime < before) await rm(path, { force: true });
    }
  }

  private async write(own: string, fill: (to: FileHandle) => Promise<void>): Promise<void> {
    await mkdir(this.fresh, { recursive: true });
    const file = await open(own, 'wx', 0o444);
    try {
      await fill(file);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Errors of the disk must not look like errors of the source, which is closed with it. */
  private async writeAll(bytes: AsyncIterable<Buffer>, file: FileHandle, refused: AbilityError[]): Promise<void> {
    for await (const chunk of bytes) {
      await file.writeFile(chunk).catch((error: unknown) => {
        refused.push(notKept('A file', this.folder, error));
        throw refused[0];
      });
    }
  }

  /** Replaces an existing copy, which may be damaged. */
  private async moveTo(path: string, own: string): Promise<void> {
    const folder = dirname(path);
    await mkdir(folder, { recursive: true });
    const now = new Date();
    // Before it appears: a file that looks old and has no hold may be removed at once.
    await utimes(own, now, now);
    await rename(own, path);
    for (const each of [folder, this.files]) await syncFolder(each);
  }

  private pathOf(sha256: string): string {
    if (!SHA256.test(sha256)) throw new Error(`${JSON.stringify(sha256)} is no SHA-256`);
    return join(this.files, sha256.slice(0, 2), sha256);
  }
}
