import { randomUUID } from 'node:crypto';
import { type FileValue, isFileValue } from '../../contracts/files.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { FileBody } from './file-body.js';
import { isFile, readFile } from './file-value.js';

/**
 * Writes fields as a multipart body: texts as they are, files with their name and type, other maps as JSON; lists
 * repeat their field, and null leaves it out. Source: OpenAPI Specification 3.1.1, "Encoding Object"; RFC 7578.
 *
 * @throws CallFailure `input.invalid` for a file that is none.
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
  if (isFile(value)) {
    const { bytes, filename = name, contentType = 'application/octet-stream' } = readFile(name, value);
    return { head: `${disposition}; filename="${quoted(filename)}"\r\nContent-Type: ${contentType}`, bytes };
  }
  if (value !== null && typeof value === 'object') {
    return { head: `${disposition}\r\nContent-Type: application/json`, bytes: Buffer.from(JSON.stringify(value)) };
  }
  return { head: disposition, bytes: Buffer.from(String(value)) };
}

/** As browsers write names, so that none ends its quotes or its line. Source: HTML, "multipart form data". */
function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
