import { randomUUID } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Payload } from '@temporalio/common';
import type { Plan } from '../../contracts/plan.js';
import type { PackedPlan } from '../../contracts/task.js';

/** Maximum size of an inflated plan, against malicious payloads. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Together at most 4 MiB. */
const MAX_RESULTS = 64;
const MAX_RESULT_BYTES = 64 * 1024;

/** Cache of a pure function's recent results, by their input bytes. */
export class RecentBytes {
  private readonly known = new Map<string, Uint8Array>();

  /** The result for these bytes. It is shared, so it must not be modified. @throws errors of `make`. */
  of(bytes: Uint8Array, make: () => Uint8Array): Uint8Array {
    if (bytes.length > MAX_RESULT_BYTES) return make();
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const known = this.known.get(key);
    if (known) return known;
    const made = make();
    if (made.length > MAX_RESULT_BYTES) return made;
    if (this.known.size >= MAX_RESULTS) this.known.delete(this.known.keys().next().value as string);
    this.known.set(key, made);
    return made;
  }
}

/** Many tasks have the same plan. */
const inflated = new RecentBytes();
const packed = new Map<string, PackedPlan>();

/** Only this process can write it, so no data of users is taken for a plan. */
const SECRET = randomUUID();
const BEGIN = '"plan":{"$deflated":"';
const MARK = Buffer.from(`${BEGIN}${SECRET}:`);
const END = '"}}';

/**
 * What a preflight returns in place of its plan, as the last member of its answer: {@link packPlan} writes it so that
 * the rest of the answer can be read in the Temporal UI. @param digest of the plan.
 */
export function packedPlan(plan: Plan, digest: string): PackedPlan {
  const known = packed.get(digest);
  if (known) return known;
  const made = { $deflated: `${SECRET}:${deflateRawSync(JSON.stringify(plan)).toString('base64')}` };
  if (packed.size >= MAX_RESULTS) packed.delete(packed.keys().next().value as string);
  packed.set(digest, made);
  return made;
}

/** The first member of what one run hands to the next. */
const CONTINUED = Buffer.from('{"$plan":');
const WHOLE = 'binary/ability-plan';

/** Keeps plans small on their way into the history; leaves everything else alone. */
export function packPlan(payload: Payload): Payload {
  // Without data, a decoded payload may have a list in its place.
  if (!payload.data?.length) return payload;
  const data = Buffer.from(payload.data.buffer, payload.data.byteOffset, payload.data.length);
  if (data.subarray(0, CONTINUED.length).equals(CONTINUED)) {
    return { metadata: { encoding: bytesOf(WHOLE) }, data: deflateRawSync(data) };
  }
  const at = data.lastIndexOf(MARK);
  if (at < 0) return payload;
  const rest = data.subarray(at + MARK.length);
  return {
    metadata: { ...payload.metadata, plan: bytesOf('deflated') },
    data: Buffer.concat([data.subarray(0, at), Buffer.from(BEGIN), rest]),
  };
}

/** Reverses {@link packPlan}. @throws Error if the bytes are invalid. */
export function unpackPlan(payload: Payload): Payload {
  const { plan, ...metadata } = payload.metadata ?? {};
  const data = payload.data ?? new Uint8Array();
  if (textOf(metadata.encoding) === WHOLE)
    return { metadata: { encoding: bytesOf('json/plain') }, data: inflate(data) };
  if (textOf(plan) !== 'deflated') return payload;
  const text = textOf(data);
  const at = text.lastIndexOf(BEGIN);
  if (at < 0 || !text.endsWith(END)) throw new Error('The plan of a task is not where its preflight wrote it');
  const bytes = Buffer.from(text.slice(at + BEGIN.length, -END.length), 'base64');
  return { metadata, data: bytesOf(`${text.slice(0, at)}"plan":${textOf(inflate(bytes))}}`) };
}

function inflate(bytes: Uint8Array): Uint8Array {
  return inflated.of(bytes, () => inflateRawSync(bytes, { maxOutputLength: MAX_BYTES }));
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return bytes ? new TextDecoder().decode(bytes) : '';
}
