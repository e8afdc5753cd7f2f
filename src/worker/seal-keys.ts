import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SealKeys } from '../activities/seal.js';
import { AbilityError } from '../contracts/problem.js';
import { writeWhole } from '../disk/write-whole.js';
import { PROOF_KEY, type ProjectPaths } from '../server/project-paths.js';

const KEY_BYTES = 32;

/** `id:secret,...`, each secret 32 bytes or more in base64url. @throws AbilityError `seal.no_key` otherwise. */
export function keysFromEnvironment(text: string): SealKeys {
  const keys = new Map<string, Uint8Array>();
  for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
    const [, id, secret] = /^\s*([A-Za-z0-9_-]+):([A-Za-z0-9_=-]+)\s*$/.exec(entry) ?? [];
    const bytes = Buffer.from(secret ?? '', 'base64url');
    if (!id || bytes.length < KEY_BYTES) throw unusable('An entry of ABILITY_SEAL_KEYS is not of the form id:secret');
    keys.set(id, bytes);
  }
  if (keys.size === 0) throw unusable('ABILITY_SEAL_KEYS contains no key');
  return { keys };
}

/**
 * Makes a key for `ABILITY_SEAL_KEYS`, alone or after current keys. There it only verifies: once all workers know
 * it, it may come first, and no task meets a worker without its key. @param current value of `ABILITY_SEAL_KEYS`.
 * @throws AbilityError `usage.invalid` for an invalid or taken id, `seal.no_key` for broken ones.
 */
export function createSealKey(id: string, current?: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) {
    throw refused(`${id} cannot be the id of a key`, 'An id has up to 64 letters, digits, _ and -.');
  }
  const key = `${id}:${randomBytes(KEY_BYTES).toString('base64url')}`;
  if (current === undefined) return key;
  if (current.trim() === '') {
    throw refused('ABILITY_SEAL_KEYS is not set, so there is nothing to add a key to', 'Leave out --add.');
  }
  if (keysFromEnvironment(current).keys.has(id)) {
    throw refused(`ABILITY_SEAL_KEYS has a key ${id} already`, 'Choose another id with --id.');
  }
  return [
    ...current
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
    key,
  ].join(',');
}

function refused(message: string, suggestion: string): AbilityError {
  return new AbilityError({ code: 'usage.invalid', message, suggestion });
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

function unusable(message: string): AbilityError {
  return new AbilityError({
    code: 'seal.no_key',
    message,
    suggestion: 'Set the same keys for all workers of the environment: id:secret, as `ability keys create` makes them.',
  });
}
