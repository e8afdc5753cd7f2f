import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FileValue } from '../../contracts/files.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { TaskFileStore } from '../../server/store/task-file-store.js';
import { formatBytes } from '../../text/byte-size.js';
import { mediaTypeOf, safeFileName } from '../../text/file-name.js';
import type { Connection } from '../connection/connect.js';

/** Files that a caller gives as input. */
export interface GivenFiles {
  /** Input name to absolute paths; several paths become a list. */
  paths: Readonly<Record<string, readonly string[]>>;
  /** The maximum size of each file. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

export interface KeptInput {
  /** Input name to file values. */
  input: JsonObject;
  /** Releases the files that were not held before, if no task was created. */
  undo(): Promise<void>;
}

/**
 * Stores an input's files for the future task; preflight refuses if the workers do not see that store.
 * @throws AbilityError `input.invalid` (unreadable), `file.too_large`, `store.full`, `store.not_shared`.
 */
export async function giveFiles(
  { store, project }: Pick<Connection, 'store' | 'project'>,
  task: string,
  { paths, maxBytes, signal }: GivenFiles,
): Promise<KeptInput> {
  const files = new TaskFileStore(store, project);
  const before = new Set(await files.holds.heldBy(task));
  const kept = new Set<string>();
  const undo = async (): Promise<void> => {
    for (const digest of kept) if (!before.has(digest)) await files.holds.letGo(task, digest).catch(() => {});
  };
  try {
    const entries: [string, Json][] = [];
    for (const [name, given] of Object.entries(paths)) {
      const values: FileValue[] = [];
      for (const path of given) {
        await refuseUnreadable(name, path, maxBytes);
        const { sha256, bytes } = await files.keep(async () => createReadStream(path), task, maxBytes, signal);
        kept.add(sha256);
        const shown = safeFileName(basename(path));
        values.push({ $file: sha256, name: shown, bytes, media_type: mediaTypeOf(shown) });
      }
      entries.push([name, values.length === 1 ? (values[0] as FileValue) : values]);
    }
    return { input: Object.fromEntries(entries), undo };
  } catch (error) {
    await undo();
    throw error;
  }
}

async function refuseUnreadable(name: string, path: string, maxBytes: number): Promise<void> {
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
}

function unreadable(name: string, path: string, cause: unknown): AbilityError {
  const reason = reasonOf(cause);
  return new AbilityError(
    { code: 'input.invalid', message: `${path}, given as \`${name}\`, cannot be read: ${reason}` },
    { cause },
  );
}
