import { createReadStream } from 'node:fs';
import type { JsonObject } from '../../contracts/json.js';
import { TaskFileStore } from '../../server/store/task-file-store.js';
import { mediaTypeOf } from '../../text/file-name.js';
import type { Connection } from '../connection/connect.js';
import { filesAsInput, type GivenFiles } from './files-as-input.js';

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
    const input = await filesAsInput({ paths, maxBytes }, async (path, name) => {
      const { sha256, bytes } = await files.keep(async () => createReadStream(path), task, maxBytes, signal);
      kept.add(sha256);
      return { $file: sha256, name, bytes, media_type: mediaTypeOf(name) };
    });
    return { input, undo };
  } catch (error) {
    await undo();
    throw error;
  }
}
