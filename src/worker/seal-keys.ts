import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SealKeys } from '../activities/seal.js';
import { writeWhole } from '../disk/write-files.js';
import { KEY_BYTES, readKeys, SEAL_KEYS } from '../server/keys/key-list.js';
import { PROOF_KEY, type ProjectPaths } from '../server/project-paths.js';

/** @throws AbilityError `seal.no_key` for a variable that is no list of keys. */
export function keysFromEnvironment(text: string): SealKeys {
  return { keys: readKeys(text, SEAL_KEYS) };
}

/** The keys in the environment, else those of the folder. */
export function sealKeysOf(
  { keys: folder }: Pick<ProjectPaths, 'keys'>,
  { ABILITY_SEAL_KEYS: given }: NodeJS.ProcessEnv,
) {
  return given ? keysFromEnvironment(given) : new KeyFolder(folder);
}

/** The keys of a folder, read again when the folder changes, so that a key can be added to a running worker. */
export class KeyFolder implements SealKeys {
  private known: ReadonlyMap<string, Uint8Array> = new Map();
  private readAt = -1;

  constructor(private readonly folder: string) {}

  /** Newest first; the first key signs. */
  get keys(): ReadonlyMap<string, Uint8Array> {
    const changed = existsSync(this.folder) ? statSync(this.folder).mtimeMs : 0;
    if (changed !== this.readAt) {
      this.known = this.read();
      this.readAt = changed;
    }
    return this.known;
  }

  /** Only the process with the runtime lock may call it. Source: docs/operations.md#rotating-seal-keys. */
  createFirst(): void {
    if (this.keys.size > 0) return;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    writeWhole(join(this.folder, `k${Date.now()}`), randomBytes(KEY_BYTES), 0o600);
    this.readAt = -1;
  }

  private read(): ReadonlyMap<string, Uint8Array> {
    if (!existsSync(this.folder)) return new Map();
    const ids = readdirSync(this.folder).filter((name) => /^[A-Za-z0-9_-]+$/.test(name) && name !== PROOF_KEY);
    const dated = ids.map((id) => ({ id, made: statSync(join(this.folder, id)).mtimeMs }));
    dated.sort((a, b) => b.made - a.made || b.id.localeCompare(a.id));
    return new Map(
      dated
        .map(({ id }): [string, Uint8Array] => [id, readFileSync(join(this.folder, id))])
        .filter(([, bytes]) => bytes.length >= KEY_BYTES),
    );
  }
}
