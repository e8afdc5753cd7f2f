import { randomBytes } from 'node:crypto';
import { AbilityError, usageError } from '../../contracts/problem.js';

/** Shortest secret in bytes, and the length of those that are made here. */
export const KEY_BYTES = 32;

/** A variable with keys of one purpose. */
export interface KeyVariable {
  name: string;
  /** The error for keys that are not usable. */
  code: string;
}

export const SEAL_KEYS: KeyVariable = { name: 'ABILITY_SEAL_KEYS', code: 'seal.no_key' };
/** Source: docs/operations.md#encrypted-payloads. */
export const PAYLOAD_KEYS: KeyVariable = { name: 'ABILITY_PAYLOAD_KEYS', code: 'payload.no_key' };

/** `id:secret,...`, each secret 32 bytes or more in base64url, in order. @throws AbilityError with the variable's code. */
export function readKeys(text: string, { name, code }: KeyVariable): ReadonlyMap<string, Uint8Array> {
  const unusable = (message: string): AbilityError =>
    new AbilityError({
      code,
      message,
      suggestion: 'Set the same keys wherever they are used: id:secret, as `ability keys create` makes them.',
    });
  const keys = new Map<string, Uint8Array>();
  for (const entry of entriesOf(text)) {
    const [, id, secret] = /^([A-Za-z0-9_-]+):([A-Za-z0-9_=-]+)$/.exec(entry) ?? [];
    const bytes = Buffer.from(secret ?? '', 'base64url');
    if (!id || bytes.length < KEY_BYTES) throw unusable(`An entry of ${name} is not of the form id:secret`);
    if (keys.has(id)) throw unusable(`${name} has two keys ${id}`);
    keys.set(id, bytes);
  }
  if (keys.size === 0) throw unusable(`${name} contains no key`);
  return keys;
}

function entriesOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

/**
 * Makes a key for a variable, alone or after current keys. There it only verifies or decrypts: once it is known wherever the
 * keys are used, {@link rotateKeys} puts it first. @param current value of the variable. @throws AbilityError `usage.invalid`
 * for an invalid or taken id; the variable's code for broken keys.
 */
export function createKey(id: string, variable: KeyVariable, current?: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) {
    throw usageError(`${id} cannot be the id of a key`, 'An id has up to 64 letters, digits, _ and -.');
  }
  const key = `${id}:${randomBytes(KEY_BYTES).toString('base64url')}`;
  if (current === undefined) return key;
  refuseUnset(current, variable, 'so there is nothing to add a key to', 'Leave out --add.');
  if (readKeys(current, variable).has(id)) {
    throw usageError(`${variable.name} has a key ${id} already`, 'Choose another id with --id.');
  }
  return [...entriesOf(current), key].join(',');
}

/** The same keys, with the last one, which all know by now, first. @throws AbilityError as {@link createKey}. */
export function rotateKeys(variable: KeyVariable, current: string): string {
  refuseUnset(current, variable, 'so there is nothing to rotate', 'Make keys with `ability keys create`.');
  const entries = entriesOf(current);
  if (readKeys(current, variable).size < 2) {
    throw usageError(
      `${variable.name} has one key`,
      'Add another: `ability keys create --add`, and set it everywhere first.',
    );
  }
  return [...entries.slice(-1), ...entries.slice(0, -1)].join(',');
}

function refuseUnset(current: string, { name }: KeyVariable, why: string, suggestion: string): void {
  if (current.trim() === '') throw usageError(`${name} is not set, ${why}`, suggestion);
}
