import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ProvedDecision, ProvedStart, Starter, StartProof } from '../../contracts/approvals.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import { canonicalJson, digestOf } from '../../rules/canonical.js';
import { attempt } from '../../text/attempt.js';
import { createPrivateFile, whyNotPrivate } from './private-file.js';
import { makeNonce, NONCE, provedText } from './proof-key.js';

/** What comes before the 32 bytes of an Ed25519 key in PKCS #8 and in SubjectPublicKeyInfo. Source: RFC 8410, section 7. */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const FORM = /^([A-Za-z][A-Za-z0-9_-]{0,63}):([A-Za-z0-9_-]{43})$/;

/** The id of the key in the project's own `.system`, which only its own runtime knows; no other key can have it. */
export const OWN_DOOR = '.own';

/** The key with which a door signs who decided. */
export interface DoorKey {
  id: string;
  key: KeyObject;
}

/** Public keys by the ids of doors: 32 bytes, base64url. */
export type DoorKeys = Readonly<Record<string, string>>;

/** @returns a key as ABILITY_DOOR_KEY has it, `id:secret`, and its public half for `doors` in ability.yaml. */
export function createDoorKey(id: string): { value: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '' } = privateKey.export({ format: 'jwk' });
  const value = `${id}:${d}`;
  return { value, publicKey: publicKeyOf(readDoorKey(value)) };
}

/** @throws AbilityError `usage.invalid` for another form. */
export function readDoorKey(text: string): DoorKey {
  const [, id = '', secret = ''] = FORM.exec(text.trim()) ?? [];
  if (id !== '') return { id, key: privateKeyOf(secret) };
  throw usageError('ABILITY_DOOR_KEY is not of the form id:secret', 'Make one with `ability keys create --for-door`.');
}

/**
 * The key of the doors of the project's own runtime, created once. @throws AbilityError `approval.unproved` if others may
 * read it; errors of the file system.
 */
export function ownDoorKey(path: string): DoorKey {
  const known = readOwn(path);
  if (known) return known;
  const { d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  createPrivateFile(path, `${d}\n`);
  const made = readOwn(path);
  if (made) return made;
  const message = `${path} is no key of this user alone`;
  throw new AbilityError({ code: 'approval.unproved', message, suggestion: 'Remove it; a door makes another one.' });
}

/** The public half of {@link ownDoorKey}; empty if no door has made it. */
export function ownDoorKeys(path: string): DoorKeys {
  const own = readOwn(path);
  return own ? { [own.id]: publicKeyOf(own) } : {};
}

function readOwn(path: string): DoorKey | undefined {
  return attempt(() => {
    if (whyNotPrivate(path) !== undefined) return undefined;
    return { id: OWN_DOOR, key: privateKeyOf(readFileSync(path, 'utf8').trim()) };
  });
}

/** 32 bytes, base64url, as in `doors` of ability.yaml. */
export function publicKeyOf({ key }: DoorKey): string {
  return String(createPublicKey(key).export({ format: 'jwk' }).x);
}

/** Signs a decision of a person whom the door admitted, or a start: the same one alike. @param project whose it is. */
export function proveAtDoor<By extends Starter>(
  door: DoorKey,
  project: string,
  act: ProvedDecision | ProvedStart,
  admitted: By,
): By & StartProof {
  const nonce = 'task' in act ? digestOf(act).slice(0, 32) : makeNonce();
  const proof = { nonce, door: door.id, ...admitted };
  return { ...proof, signature: sign(null, signedText(project, act, proof), door.key).toString('base64url') };
}

/** Why a door's signature does not prove a decision, or a start; undefined if it does. */
export function whyDoorProvesNot(
  doors: DoorKeys,
  project: string,
  act: ProvedDecision | ProvedStart,
  { signature, ...proof }: StartProof,
): string | undefined {
  const known = Object.hasOwn(doors, proof.door) ? doors[proof.door] : undefined;
  if (known === undefined) return 'its door is not known here: `doors` in ability.yaml does not have its key';
  const isValid =
    NONCE.test(proof.nonce) &&
    attempt(() => {
      const key = createPublicKey({
        key: Buffer.concat([PUBLIC_PREFIX, Buffer.from(known, 'base64url')]),
        format: 'der',
        type: 'spki',
      });
      return verify(null, signedText(project, act, proof), key, Buffer.from(signature, 'base64url'));
    }, false);
  return isValid ? undefined : `its proof is not valid for this ${'task' in act ? 'task' : 'decision'}`;
}

function privateKeyOf(secret: string): KeyObject {
  const key = Buffer.concat([PRIVATE_PREFIX, Buffer.from(secret, 'base64url')]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

function signedText(
  project: string,
  act: ProvedDecision | ProvedStart,
  { nonce, door, source, issuer, subject, groups }: Omit<StartProof, 'signature'>,
): Buffer {
  const said = { project, door, source, issuer, subject, groups };
  if ('task' in act) return Buffer.from(canonicalJson({ format: 1, start: act, nonce, ...said }));
  return Buffer.from(provedText(act, nonce, said));
}
