import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { unlessAborted } from '../../../rules/unless-aborted.js';
import { Measured, tooLarge, Verified } from '../checked-stream.js';
import type { KeepOptions, KeptFile, StoredFile } from '../store.js';
import { absent, damaged } from '../store-errors.js';
import { readObject, type S3Objects } from './s3-objects.js';

const SHA256 = /^[0-9a-f]{64}$/;
const MIB = 1024 * 1024;
/** S3's minimum size of a part. */
const PART_BYTES = 5 * MIB;
/** An upload may have 10,000 parts. */
const MAX_PARTS = 9000;
/** Maximum size that S3 copies in one request. */
const MAX_COPIED = 5 * 1024 * MIB;
/** A file that was kept longer ago is uploaded again, so that it counts as kept now. */
const FRESH_MS = 12 * 60 * 60 * 1000;

/** Files by their SHA-256, as `files/<two digits>/<digest>`; uploads with an unknown digest are `new/<id>`. */
export class S3Files {
  /** Found damaged by this process although the metadata matches; keeping such a file again repairs it. */
  private readonly damaged = new Set<string>();

  constructor(private readonly objects: S3Objects) {}

  async keep(source: string | Readable, options: KeepOptions): Promise<KeptFile> {
    const kept = await (typeof source === 'string' ? this.keepPath(source, options) : this.keepStream(source, options));
    this.damaged.delete(kept.sha256);
    return kept;
  }

  async open(sha256: string): Promise<Readable> {
    const name = nameOf(sha256);
    const body = await this.objects.get(name);
    const { where } = this.objects.place;
    if (!body) throw absent('file', sha256, where);
    const verified = new Verified(sha256, () => {
      this.damaged.add(sha256);
      return damaged('file', sha256, where);
    });
    // Errors of either stream reach the caller through the returned one.
    pipeline(readObject(this.objects, name, body), verified).catch(() => {});
    return verified;
  }

  async sizeOf(sha256: string): Promise<number | undefined> {
    return (await this.objects.look(nameOf(sha256)))?.bytes;
  }

  remove(sha256: string): Promise<void> {
    return this.objects.remove(nameOf(sha256));
  }

  async *list(): AsyncIterable<StoredFile> {
    for await (const { name, bytes, modified } of this.objects.list('files/')) {
      const sha256 = name.slice(name.lastIndexOf('/') + 1);
      if (SHA256.test(sha256)) yield { sha256, bytes, keptAt: modified };
    }
  }

  async removeHalfWritten(before: Date): Promise<void> {
    for await (const { name, modified } of this.objects.list('new/')) {
      if (modified < before) await this.objects.remove(name);
    }
    await this.objects.abortUploads(before);
  }

  /** Reads the file twice: for its digest, then to upload it unless it exists. */
  private async keepPath(path: string, { maxBytes, signal }: KeepOptions): Promise<KeptFile> {
    const { size } = await stat(path);
    if (size > maxBytes) throw tooLarge(maxBytes);
    const measured = new Measured(maxBytes);
    await pipeline(createReadStream(path), measured, drain, { signal });
    const kept = { sha256: measured.sha256(), bytes: measured.bytes };
    if (!(await this.isFresh(kept))) {
      const unchanged = new Verified(kept.sha256, () => new Error(`${path} was changed while it was kept`));
      const name = nameOf(kept.sha256);
      await passing(createReadStream(path), unchanged, signal, async () => {
        const { whole, parts } = await beginParts(chunksOf(unchanged), partBytes(kept.bytes));
        await (whole ? this.objects.put(name, whole, kept.sha256) : this.objects.upload(name, parts, kept.sha256));
      });
    }
    return kept;
  }

  /** Hashes a file of one part before its upload; the digest of a larger one is known after its last part. */
  private async keepStream(source: Readable, { maxBytes, signal }: KeepOptions): Promise<KeptFile> {
    const max = Math.min(maxBytes, MAX_COPIED);
    const own = `new/${randomUUID()}`;
    const measured = new Measured(max);
    return passing(source, measured, signal, async () => {
      const { whole, parts } = await beginParts(chunksOf(measured), partBytes(max));
      if (whole) return this.keepBytes(whole, measured.sha256());
      await this.objects.upload(own, parts);
      const kept = { sha256: measured.sha256(), bytes: measured.bytes };
      if (await this.isFresh(kept)) await this.objects.remove(own);
      else await this.objects.move(own, nameOf(kept.sha256), kept.sha256);
      return kept;
    });
  }

  private async keepBytes(content: Buffer, sha256: string): Promise<KeptFile> {
    const kept = { sha256, bytes: content.length };
    if (!(await this.isFresh(kept))) await this.objects.put(nameOf(sha256), content, sha256);
    return kept;
  }

  /** Whether this exact file exists and was kept within {@link FRESH_MS}. */
  private async isFresh({ sha256, bytes }: KeptFile): Promise<boolean> {
    if (this.damaged.has(sha256)) return false;
    const found = await this.objects.look(nameOf(sha256));
    if (found?.sha256 !== sha256 || found.bytes !== bytes) return false;
    return Date.now() - found.modified.getTime() < FRESH_MS;
  }
}

function nameOf(sha256: string): string {
  if (!SHA256.test(sha256)) throw new Error(`${JSON.stringify(sha256)} is no SHA-256`);
  return `files/${sha256.slice(0, 2)}/${sha256}`;
}

function partBytes(maxTotal: number): number {
  return Math.max(PART_BYTES, Math.ceil(maxTotal / MAX_PARTS));
}

/** Pipes a source through a stream that `action` reads. Any failure ends all; the source's takes priority. */
async function passing<T>(
  source: Readable,
  through: NodeJS.ReadWriteStream & { destroy(error?: Error): void },
  signal: AbortSignal | undefined,
  action: () => Promise<T>,
): Promise<T> {
  let broken: { error: unknown } | undefined;
  // From Node 22 on, an aborted pipeline waits until its source has closed, which a stalled one never does.
  const passed = unlessAborted(pipeline(source, through, { signal }), signal).catch((error: unknown) => {
    broken ??= { error: signal?.aborted ? signal.reason : error };
  });
  try {
    return await action();
  } catch (error) {
    // A failure of the source is known before that of its reader.
    const { error: first } = broken ?? { error };
    through.destroy();
    source.destroy();
    throw first;
  } finally {
    await passed;
  }
}

/** A reader that stops leaves the stream to {@link passing}. */
function chunksOf(stream: Transform): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer> };
}

async function drain(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of bytes) {
    // Only the digest is needed.
  }
}

/**
 * Cuts a stream into parts of the given size; the last may be smaller, and an empty stream has none. To save
 * memory two buffers alternate: a part is valid until the next but one is requested.
 */
export async function* readParts(chunks: AsyncIterable<Buffer>, partBytes: number): AsyncGenerator<Buffer, void> {
  const buffers: Buffer[] = [];
  let turn = 0;
  let filled = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      buffers[turn] ??= Buffer.allocUnsafeSlow(partBytes);
      const buffer = buffers[turn] as Buffer;
      const copied = chunk.copy(buffer, filled, from);
      from += copied;
      filled += copied;
      if (filled < partBytes) continue;
      yield buffer;
      turn = 1 - turn;
      filled = 0;
    }
  }
  if (filled > 0) yield (buffers[turn] as Buffer).subarray(0, filled);
}

/** A stream after its first reads: its only part, or all its parts, see {@link readParts}. */
type BegunParts = { whole: Buffer; parts?: undefined } | { whole?: undefined; parts: AsyncGenerator<Buffer> };

/** Reads a stream until it is known whether it is more than one part. */
export async function beginParts(chunks: AsyncIterable<Buffer>, partBytes: number): Promise<BegunParts> {
  const rest = readParts(chunks, partBytes);
  const first = await rest.next();
  if (first.done) return { whole: Buffer.alloc(0) };
  const second = await rest.next();
  return second.done ? { whole: first.value } : { parts: joined(first.value, second.value, rest) };
}

async function* joined(first: Buffer, second: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield second;
  yield* rest;
}
