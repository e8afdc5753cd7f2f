import { isJsonObject, type Json } from '../../contracts/json.js';
import { unusable } from './unusable.js';

/** Bytes of an input. */
export interface FileValue {
  bytes: Buffer;
  filename?: string;
  contentType?: string;
}

const MEMBERS: ReadonlySet<string> = new Set(['base64', 'filename', 'content_type']);
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Whether a value is meant as a file: a map with `base64`, and with nothing else but a name and a type. */
export function isFile(value: Json): value is { [key: string]: Json } {
  if (!isJsonObject(value)) return false;
  return Object.hasOwn(value, 'base64') && Object.keys(value).every((key) => MEMBERS.has(key));
}

/**
 * Reads `{ base64, filename, content_type }`, or base64 alone.
 *
 * @throws CallFailure `input.invalid` for anything else, also for base64 that is not whole.
 */
export function readFile(name: string, value: Json): FileValue {
  if (typeof value === 'string') return { bytes: decode(name, value) };
  const form = 'Write base64, or { base64, filename, content_type }.';
  if (!isFile(value)) throw unusable(name, 'is no file', form);
  const { base64, filename = null, content_type: contentType = null } = value;
  if (typeof base64 !== 'string' || !isTextOrNull(filename) || !isTextOrNull(contentType)) {
    throw unusable(name, 'is no file', form);
  }
  if (contentType !== null && !/^[\x21-\x7e]+\/[\x20-\x7e]+$/.test(contentType)) {
    throw unusable(name, 'has a content type that is none', 'Write such as image/png.');
  }
  return {
    bytes: decode(name, base64),
    ...(filename !== null && { filename }),
    ...(contentType !== null && { contentType }),
  };
}

function isTextOrNull(value: Json): value is string | null {
  return value === null || typeof value === 'string';
}

/** Buffer skips what is no base64, so that half a file would be sent unnoticed. */
function decode(name: string, text: string): Buffer {
  const plain = text.replaceAll(/[\r\n]/g, '');
  if (!BASE64.test(plain) || !isWhole(plain)) throw unusable(name, 'is no base64', 'Write A-Z, a-z, 0-9, + and /.');
  return Buffer.from(plain, 'base64');
}

/** Four letters are three bytes; what is padded is padded to four. */
function isWhole(base64: string): boolean {
  return base64.endsWith('=') ? base64.length % 4 === 0 : base64.length % 4 !== 1;
}
