import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { KeyProof, ProvedDecision } from '../../contracts/approvals.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { canonicalJson, digestOf } from '../../rules/canonical.js';
import { createPrivateFile, whyNotPrivate } from './private-file.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 16;
export const NONCE = /^[0-9a-f]{32}$/;
const MAC = /^[0-9a-f]{64}$/;

/** Creates the key with which the runtime's owner proves decisions: atomically, and only if none exists. */
export function createProofKey(path: string): void {
  createPrivateFile(path, randomBytes(KEY_BYTES));
}

/** Reads this user's key. @throws AbilityError `approval.unproved` if its owner, mode or length is wrong. */
export function readProofKey(path: string): Uint8Array {
  try {
    const open = whyNotPrivate(path);
    if (open !== undefined) throw unproved(open);
    const key = readFileSync(path);
    if (key.length !== KEY_BYTES) throw unproved(`${path} contains no key`);
    return key;
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    throw unproved(`${path} cannot be read`, error);
  }
}

/** The only person whom a key can prove: the operating system's user of this process. */
export function provableUser(): string {
  return userInfo().username;
}

export function makeNonce(): string {
  return randomBytes(NONCE_BYTES).toString('hex');
}

/** Signs a decision. @param token id of the token with the key; omitted: the key of the runtime's owner. */
export function proveDecision(key: Uint8Array, decision: ProvedDecision, token?: string): KeyProof {
  const nonce = makeNonce();
  const proof = { nonce, ...(token !== undefined && { token }) };
  return { ...proof, mac: macOf(key, decision, proof).toString('hex') };
}

/** Why a decision is not proved; undefined if it is. @param user whom the key proves. */
export function whyNotProved(
  key: Uint8Array,
  user: string,
  decision: ProvedDecision,
  proof: KeyProof,
): string | undefined {
  if (decision.by !== user) return `its proof can only be that of ${user}, who owns the runtime`;
  return isMacOf(key, decision, proof) ? undefined : 'its proof is not valid for this decision';
}

export function isMacOf(key: Uint8Array, decision: ProvedDecision, proof: KeyProof): boolean {
  if (!NONCE.test(proof.nonce) || !MAC.test(proof.mac)) return false;
  return timingSafeEqual(macOf(key, decision, proof), Buffer.from(proof.mac, 'hex'));
}

function macOf(key: Uint8Array, decision: ProvedDecision, { nonce, token }: Omit<KeyProof, 'mac'>): Buffer {
  return createHmac('sha256', key)
    .update(provedText(decision, nonce, { ...(token !== undefined && { token }) }))
    .digest();
}

function unproved(why: string, cause?: unknown): AbilityError {
  const message = `The approval asks for proof of who decides, and ${why}`;
  const suggestion = 'Decide as the user who owns the runtime of the project, on its machine.';
  return new AbilityError({ code: 'approval.unproved', message, suggestion }, { cause });
}

/**
 * The signed text of a proof. `raised_at` identifies the run of the task, since approval ids recur in tasks of the
 * same key; what else the kind of proof says is included, so that none passes for another.
 */
export function provedText(
  { approval_id, raised_at, verdict, by, comment, fields, grant, denied_items }: ProvedDecision,
  nonce: string,
  more: JsonObject,
): string {
  const said = digestOf({ comment, fields, ...(grant && { grant }), ...(denied_items && { denied_items }) });
  return canonicalJson({
    format: 1,
    approval_id,
    raised_at,
    verdict,
    by,
    said,
    nonce,
    ...more,
  });
}
