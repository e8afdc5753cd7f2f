import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileValue } from '../../contracts/files.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { formatBytes } from '../../text/byte-size.js';
import { safeFileName } from '../../text/file-name.js';

/** Files that a caller gives as input. */
export interface GivenFiles {
  /** Input name to absolute paths; several paths become a list. */
  paths: Readonly<Record<string, readonly string[]>>;
  /** The maximum size of each file. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

/**
 * The values of files, as an input has them. @param keep stores a file of that name. @throws AbilityError `input.invalid`
 * (unreadable), `file.too_large`.
 */
export async function filesAsInput(
  { paths, maxBytes }: Pick<GivenFiles, 'paths' | 'maxBytes'>,
  keep: (path: string, name: string, bytes: number) => Promise<FileValue>,
): Promise<JsonObject> {
  const entries: [string, Json][] = [];
  for (const [name, given] of Object.entries(paths)) {
    const values: FileValue[] = [];
    for (const path of given) {
      const bytes = await sizeOfReadable(name, path, maxBytes);
      values.push(await keep(path, safeFileName(basename(path)), bytes));
    }
    entries.push([name, values.length === 1 ? (values[0] as FileValue) : values]);
  }
  return Object.fromEntries(entries);
}

async function sizeOfReadable(name: string, path: string, maxBytes: number): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(name, path, error);
  });
  if (!found.isFile()) {
    const message = `${path}, given as \`${name}\`, is no file`;
    throw new AbilityError({ code: 'input.invalid', message, suggestion: 'Pack a folder into one archive.' });
  }
  if (found.size > maxBytes) {
    throw new AbilityError({
      code: 'file.too_large',
      message: `${path} is ${formatBytes(found.size)}, and the maximum for a file is ${formatBytes(maxBytes)}`,
      suggestion: 'Make it smaller, or raise `policy.max_file` in ability.yaml.',
    });
  }
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(name, path, error);
  });
  await handle.close();
  return found.size;
}

function unreadable(name: string, path: string, cause: unknown): AbilityError {
  const reason = reasonOf(cause);
  return new AbilityError(
    { code: 'input.invalid', message: `${path}, given as \`${name}\`, cannot be read: ${reason}` },
    { cause },
  );
}
