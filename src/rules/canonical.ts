import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalize } from 'json-canonicalize';

/** Canonical JSON (RFC 8785): equal values give equal text, regardless of their key order. */
export function canonicalJson(value: unknown): string {
  return canonicalize(value);
}

/** SHA-256 of the canonical JSON of a value, as 64 hex digits. Works in a workflow, where Node's crypto does not. */
export function digestOf(value: unknown): string {
  return sha256Of(canonicalJson(value));
}

/** As 64 hex digits. */
export function sha256Of(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
