import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { JsonObject } from '../contracts/json.js';
import { AbilityError } from '../contracts/problem.js';
import { refuseUnsafeKeys } from '../rules/unsafe-keys.js';
import { attempt } from '../text/attempt.js';
import { foldersOf } from './find-project.js';
import { type ImportState, importState } from './formats/import-state.js';

/** Far above a real one, which has some kilobytes per operation. */
const MAX_BYTES = 256 * 1024 * 1024;

function importsFolder(root: string): string {
  return join(foldersOf(root).registry, '.imports');
}

export function importFile(root: string, kind: ImportState['kind'], name: string): string {
  return join(importsFolder(root), `${kind}.${name}.json`);
}

/** The last import's state, if any. @throws AbilityError `import.state_broken`: it could not detect edits. */
export function readImport(root: string, kind: ImportState['kind'], name: string): ImportState | undefined {
  const path = importFile(root, kind, name);
  return existsSync(path) ? readState(root, path) : undefined;
}

/** The pinned definition of a SHA-256, from any import. Only for display, so unreadable files are skipped. */
export function findPinned(root: string, digest: string): JsonObject | undefined {
  const folder = importsFolder(root);
  if (!existsSync(folder)) return undefined;
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.json'))) {
    const pinned = cachedState(root, join(folder, name))?.pinned;
    if (pinned && Object.hasOwn(pinned, digest)) return pinned[digest];
  }
  return undefined;
}

/** Low-level definitions as last imported, by path. Skips unreadable state, which the next import reports. */
export function importedDefinitions(root: string): ReadonlyMap<string, JsonObject> {
  const folder = importsFolder(root);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const operations = names.flatMap((name) => Object.values(cachedState(root, join(folder, name))?.operations ?? {}));
  return new Map(operations.map(({ file, definition }) => [file, definition]));
}

const cache = new Map<string, { stamp: string; state: ImportState | undefined }>();

function cachedState(root: string, path: string): ImportState | undefined {
  const { mtimeNs, size, ino } = statSync(path, { bigint: true });
  const stamp = `${mtimeNs}:${size}:${ino}`;
  const known = cache.get(path);
  if (known?.stamp === stamp) return known.state;
  // The next import reports what cannot be read.
  const state = attempt(() => readState(root, path));
  cache.set(path, { stamp, state });
  return state;
}

function readState(root: string, path: string): ImportState {
  const file = relative(root, path).split(sep).join('/');
  try {
    if (statSync(path).size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    refuseUnsafeKeys(value, 'import.state_broken');
    const parsed = importState.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'wrong form'}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AbilityError(
      {
        code: 'import.state_broken',
        message: `The record of the last import cannot be read: ${reason}`,
        location: { file },
        suggestion:
          'Restore it from version control. Or delete it: files that people edited are then left as they are.',
      },
      { cause: error },
    );
  }
}
