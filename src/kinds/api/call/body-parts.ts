import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { CallFiles } from '../../../activities/files/call-files.js';
import { type FileValue, isFileValue } from '../../../contracts/files.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { defined } from '../../../text/defined.js';
import { unusable } from './write-values.js';

export interface InlineFile {
  bytes: Buffer;
  filename?: string;
  contentType?: string;
}

const MEMBERS: ReadonlySet<string> = new Set(['base64', 'filename', 'content_type']);
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Whether a value is meant as a file: a map with `base64`, and with nothing else but a name and a type. */
function isInlineFile(value: Json): value is JsonObject {
  return isJsonObject(value) && Object.hasOwn(value, 'base64') && Object.keys(value).every((key) => MEMBERS.has(key));
}

/** Reads `{ base64, filename, content_type }` or base64. @throws CallFailure `input.invalid` otherwise. */
export function readInlineFile(name: string, value: Json): InlineFile {
  if (typeof value === 'string') return { bytes: decode(name, value) };
  const form = 'Write base64, or { base64, filename, content_type }.';
  if (!isInlineFile(value)) throw unusable(name, 'is no file', form);
  const { base64, filename = null, content_type: contentType = null } = value;
  if (typeof base64 !== 'string' || !isTextOrNull(filename) || !isTextOrNull(contentType)) {
    throw unusable(name, 'is no file', form);
  }
  if (contentType !== null && !/^[\x21-\x7e]+\/[\x20-\x7e]+$/.test(contentType)) {
    throw unusable(name, 'has an invalid content type', 'Use a media type such as image/png.');
  }
  return {
    bytes: decode(name, base64),
    ...defined({ filename: filename ?? undefined, contentType: contentType ?? undefined }),
  };
}

function isTextOrNull(value: Json): value is string | null {
  return value === null || typeof value === 'string';
}

/** Buffer skips characters outside base64, so an incomplete file would be sent unnoticed. */
function decode(name: string, text: string): Buffer {
  const plain = text.replaceAll(/[\r\n]/g, '');
  // Four characters encode three bytes; padding completes a group of four.
  if (!BASE64.test(plain) || !(plain.endsWith('=') ? plain.length % 4 === 0 : plain.length % 4 !== 1))
    throw unusable(name, 'is no base64', 'Use only A-Z, a-z, 0-9, + and /, padded with = if necessary.');
  return Buffer.from(plain, 'base64');
}

/** A body with files of the task in it, in the order in which its parts are sent. */
export interface FileBody {
  parts: (Buffer | FileValue)[];
}

/** A body that can be sent several times, as redirects require. */
export interface SendableBody {
  /** Empty unless the length of the body has to be stated. */
  headers: Record<string, string>;
  open(): string | Buffer | Readable | null;
}

function hasFiles(body: string | Buffer | FileBody | undefined): body is FileBody {
  return typeof body === 'object' && !Buffer.isBuffer(body);
}

/** Copies files first: a missing or forbidden one fails before sending. @throws as {@link CallFiles.copyOf}. */
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

/**
 * Writes fields as a multipart body: texts as they are, files with name and type, other maps as JSON; lists repeat
 * their field, null omits it. Source: OpenAPI Specification 3.1.1, "Encoding Object"; RFC 7578.
 * @throws CallFailure `input.invalid` for an invalid file.
 */
export function writeMultipart(
  fields: JsonObject,
  contentType = 'multipart/form-data',
): { content: Buffer | FileBody; contentType: string } {
  const boundary = `ability-${randomUUID()}`;
  const parts: (Buffer | FileValue)[] = [];
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === null) continue;
      const { head, bytes } = partOf(name, item);
      parts.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), bytes, Buffer.from('\r\n'));
    }
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  const content = parts.every((part) => Buffer.isBuffer(part)) ? Buffer.concat(parts) : { parts };
  return { content, contentType: `${contentType}; boundary=${boundary}` };
}

function partOf(name: string, value: Json): { head: string; bytes: Buffer | FileValue } {
  const disposition = `Content-Disposition: form-data; name="${quoted(name)}"`;
  if (isFileValue(value)) {
    const { name: filename, media_type } = value;
    const type = media_type.replaceAll(/[\r\n]/g, ' ');
    return { head: `${disposition}; filename="${quoted(filename)}"\r\nContent-Type: ${type}`, bytes: value };
  }
  if (isInlineFile(value)) {
    const { bytes, filename = name, contentType = 'application/octet-stream' } = readInlineFile(name, value);
    return { head: `${disposition}; filename="${quoted(filename)}"\r\nContent-Type: ${contentType}`, bytes };
  }
  if (value !== null && typeof value === 'object') {
    return { head: `${disposition}\r\nContent-Type: application/json`, bytes: Buffer.from(JSON.stringify(value)) };
  }
  return { head: disposition, bytes: Buffer.from(String(value)) };
}

/** Quotes a name as browsers do; it cannot end the line. Source: HTML, "multipart form data". */
function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
