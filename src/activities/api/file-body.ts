import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { FileValue } from '../../contracts/files.js';
import type { CallFiles } from '../files/call-files.js';

/** A body with files of the task in it, in the order in which its parts are sent. */
export interface FileBody {
  parts: (Buffer | FileValue)[];
}

/** A body that may be sent several times, as redirects ask for it. */
export interface SendableBody {
  /** Undefined: its length says enough. */
  headers: Record<string, string>;
  open(): string | Buffer | Readable | null;
}

/** Whether a body has to be read from files. */
export function hasFiles(body: string | Buffer | FileBody | undefined): body is FileBody {
  return typeof body === 'object' && !Buffer.isBuffer(body);
}

/**
 * Makes copies of the files of a body, so that a file that may not be sent, or is not there, is known before anything is.
 *
 * @throws what {@link CallFiles.copyOf} throws.
 */
export async function prepareBody(
  body: string | Buffer | FileBody | undefined,
  files: Pick<CallFiles, 'copyOf'>,
): Promise<SendableBody> {
  if (!hasFiles(body)) return { headers: {}, open: () => body ?? null };
  const parts: (Buffer | string)[] = [];
  let length = 0;
  for (const part of body.parts) {
    length += Buffer.isBuffer(part) ? part.length : part.bytes;
    parts.push(Buffer.isBuffer(part) ? part : await files.copyOf(part));
  }
  return { headers: { 'content-length': String(length) }, open: () => Readable.from(read(parts)) };
}

async function* read(parts: readonly (Buffer | string)[]): AsyncIterable<Buffer> {
  for (const part of parts) {
    if (Buffer.isBuffer(part)) yield part;
    else for await (const chunk of createReadStream(part)) yield chunk as Buffer;
  }
}
