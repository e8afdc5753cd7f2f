import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { AbilityError } from '../../contracts/problem.js';

/** Passes bytes on, and counts and hashes them. */
export class Measured extends Transform {
  private readonly hash = createHash('sha256');
  bytes = 0;

  /** @param maxBytes if exceeded, the stream fails with `file.too_large`. */
  constructor(private readonly maxBytes: number) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    if (this.bytes > this.maxBytes) {
      done(tooLarge(this.maxBytes));
      return;
    }
    this.hash.update(chunk);
    done(null, chunk);
  }

  /** Digest of all bytes that passed; to be called once, at the end. */
  sha256(): string {
    return this.hash.digest('hex');
  }
}

/** Passes a file's bytes through, and fails before the end if they do not match its digest. */
export class Verified extends Transform {
  private readonly hash = createHash('sha256');
  /** Held back, so that no reader has all bytes of a damaged file. */
  private last: Buffer | undefined;

  /** @param otherwise the error if the bytes do not match. */
  constructor(
    private readonly sha256: string,
    private readonly otherwise: () => Error,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.hash.update(chunk);
    const before = this.last;
    this.last = chunk;
    done(null, before);
  }

  override _flush(done: TransformCallback): void {
    if (this.hash.digest('hex') === this.sha256) done(null, this.last);
    else done(this.otherwise());
  }
}

export function tooLarge(maxBytes: number): AbilityError {
  return new AbilityError({
    code: 'file.too_large',
    message: `The file has more than ${maxBytes} bytes`,
    suggestion: 'Write less, or raise the limit.',
  });
}
