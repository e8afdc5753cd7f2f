import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { DecisionProof, ProvedDecision } from '../contracts/approvals.js';
import { AbilityError } from '../contracts/problem.js';
import { provedText } from '../rules/proved-text.js';

const KEY_BYTES = 32;
const NONCE = /^[0-9a-f]{32}$/;
const MAC = /^[0-9a-f]{64}$/;

/**
 * Makes the key of a project with which its runtime's owner proves who decides, where there is none yet.
 *
 * It appears whole or not at all, and never in place of another one.
 */
export function createProofKey(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A name with a dot is none of a seal key.
  const own = `${path}.${randomUUID()}`;
  try {
    writeFileSync(own, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' });
    // Earlier versions take each file of the folder for a seal key, and sign with the newest.
    utimesSync(own, 0, 0);
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** The key, of whoever asks: another user's, one that others may read, and one of another length are none. @throws AbilityError `approval.unproved`. */
export function readProofKey(path: string): Uint8Array {
  try {
    const { mode, uid, isFile } = readStatus(path);
    if (!isFile) throw unproved(`${path} is no file`);
    if (uid !== (process.getuid?.() ?? uid)) throw unproved('the runtime of this project belongs to another user');
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw unproved(`others may read ${path}`);
    const key = readFileSync(path);
    if (key.length !== KEY_BYTES) throw unproved(`${path} holds no key`);
    return key;
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    throw unproved(`${path} cannot be read`, error);
  }
}

function readStatus(path: string): { mode: number; uid: number; isFile: boolean } {
  const status = lstatSync(path);
  return { mode: status.mode, uid: status.uid, isFile: status.isFile() };
}

/** The one person whom a key can prove: the user of the operating system whose process this is. */
export function provableUser(): string {
  return userInfo().username;
}

/** Signs a decision. */
export function proveDecision(key: Uint8Array, decision: ProvedDecision): DecisionProof {
  const nonce = randomBytes(KEY_BYTES / 2).toString('hex');
  return { nonce, mac: macOf(key, decision, nonce).toString('hex') };
}

/** Why a decision is not proved; undefined: it is. @param user whom the key proves. */
export function whyNotProved(
  key: Uint8Array,
  user: string,
  decision: ProvedDecision,
  { nonce, mac }: DecisionProof,
): string | undefined {
  if (decision.by !== user) return `its proof can only be that of ${user}, who owns the runtime`;
  if (!NONCE.test(nonce) || !MAC.test(mac)) return 'its proof is of another form';
  const isSame = timingSafeEqual(macOf(key, decision, nonce), Buffer.from(mac, 'hex'));
  return isSame ? undefined : 'its proof is not one of this decision';
}

function macOf(key: Uint8Array, decision: ProvedDecision, nonce: string): Buffer {
  return createHmac('sha256', key).update(provedText(decision, nonce)).digest();
}

function unproved(why: string, cause?: unknown): AbilityError {
  return new AbilityError(
    {
      code: 'approval.unproved',
      message: `The approval asks for proof of who decides, and ${why}`,
      suggestion: 'Decide as the user who owns the runtime of the project, on its machine.',
    },
    { cause },
  );
}
