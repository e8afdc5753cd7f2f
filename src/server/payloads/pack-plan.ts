import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Payload } from '@temporalio/common';

/** Only the payload of a plan begins so. Source: {@link PackedPlan}. */
const BEGIN = new TextEncoder().encode('{"$plan":');
const ENCODING = 'binary/ability-plan';
/** Maximum size of an inflated plan, against malicious payloads. */
const MAX_BYTES = 64 * 1024 * 1024;

const PACKED = { encoding: new TextEncoder().encode(ENCODING) };
const JSON_PLAIN = { encoding: new TextEncoder().encode('json/plain') };

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
const deflated = new RecentBytes();
const inflated = new RecentBytes();

/** Deflates a plan on its way into the history, to less than half; leaves everything else alone. */
export function packPlan(payload: Payload): Payload {
  const { data } = payload;
  if (!data || !BEGIN.every((byte, at) => data[at] === byte)) return payload;
  return { metadata: PACKED, data: deflated.of(data, () => deflateRawSync(data)) };
}

/** Reverses {@link packPlan}. @throws Error if the bytes are invalid. */
export function unpackPlan(payload: Payload): Payload {
  const encoding = payload.metadata?.encoding;
  if (encoding?.length !== PACKED.encoding.length || new TextDecoder().decode(encoding) !== ENCODING) return payload;
  const data = payload.data ?? new Uint8Array();
  return {
    metadata: JSON_PLAIN,
    data: inflated.of(data, () => inflateRawSync(data, { maxOutputLength: MAX_BYTES })),
  };
}
