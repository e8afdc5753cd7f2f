import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Payload } from '@temporalio/common';
import { RecentBytes } from './recent-bytes.js';

/** How the payload of a plan begins, and no other. Source: {@link PackedPlan}. */
const BEGIN = new TextEncoder().encode('{"$plan":');
const ENCODING = 'binary/ability-plan';
/** No plan is that large; whoever sends one wants to fill the memory. */
const MOST_BYTES = 64 * 1024 * 1024;

const PACKED = { encoding: new TextEncoder().encode(ENCODING) };
const JSON_PLAIN = { encoding: new TextEncoder().encode('json/plain') };

/** Many tasks have the same plan: what became of the last ones, by their bytes. */
const deflated = new RecentBytes();
const inflated = new RecentBytes();

/** Deflates a plan on its way into the history, to less than half; leaves everything else alone. */
export function packPlan(payload: Payload): Payload {
  const { data } = payload;
  if (!data || !BEGIN.every((byte, at) => data[at] === byte)) return payload;
  return { metadata: PACKED, data: deflated.of(data, () => deflateRawSync(data)) };
}

/** The plan as it was. @throws Error when the bytes are none that {@link packPlan} made. */
export function unpackPlan(payload: Payload): Payload {
  const encoding = payload.metadata?.encoding;
  if (encoding?.length !== PACKED.encoding.length || new TextDecoder().decode(encoding) !== ENCODING) return payload;
  const data = payload.data ?? new Uint8Array();
  return {
    metadata: JSON_PLAIN,
    data: inflated.of(data, () => inflateRawSync(data, { maxOutputLength: MOST_BYTES })),
  };
}
