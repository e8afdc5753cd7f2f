import { defaultPayloadConverter } from '@temporalio/common';
import type { Json } from '../contracts/json.js';
import { AbilityError } from '../contracts/problem.js';
import type { TaskResult } from '../contracts/task.js';
import { mapLargeParts } from '../rules/tasks/stored-result.js';
import { INLINE_BYTES, SPILL_BYTES } from '../server/payloads/payload-codec.js';
import type { Store } from '../server/store/store.js';

/** Smaller parts do not justify an object of their own. */
const SMALL_BYTES = 4096;

/**
 * Stores a large answer while its activity can still report a failure, before the codec has to. @throws
 * AbilityError `output.too_large`; `store.full`, `store.not_shared` if it may not stay inline.
 */
export async function storeLarge(answer: unknown, limitBytes: number, store: Pick<Store, 'put'>): Promise<void> {
  const { data } = defaultPayloadConverter.toPayload(answer);
  if (!data || data.length <= SPILL_BYTES) return;
  if (data.length > limitBytes * 2) {
    throw new AbilityError({ code: 'output.too_large', message: `The answer of the call has ${data.length} bytes` });
  }
  try {
    await store.put(data);
  } catch (error) {
    if (data.length > INLINE_BYTES) throw error;
  }
}

/**
 * Moves large parts of a result to the store as references; its envelope stays inline. Source:
 * docs/operations.md#a-shared-store. @throws AbilityError `store.full`, `store.not_shared` as {@link storeLarge}.
 */
export async function shrink(result: TaskResult, store: Pick<Store, 'put'>): Promise<TaskResult> {
  const once = await withLargeStored(result, SPILL_BYTES, store);
  // Small parts may be large together.
  if (Buffer.byteLength(JSON.stringify(once)) <= SPILL_BYTES) return once;
  return withLargeStored(once, SMALL_BYTES, store);
}

async function withLargeStored(result: TaskResult, maxBytes: number, store: Pick<Store, 'put'>): Promise<TaskResult> {
  const parts: Promise<Json>[] = [];
  mapLargeParts(result, (part) => {
    parts.push(stored(part, maxBytes, store));
    return part;
  });
  const done = await Promise.all(parts);
  return mapLargeParts(result, () => done.shift() as Json);
}

async function stored(part: Json, maxBytes: number, store: Pick<Store, 'put'>): Promise<Json> {
  const text = JSON.stringify(part);
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return part;
  try {
    return { $ref: await store.put(Buffer.from(text)), bytes };
  } catch (error) {
    if (bytes <= INLINE_BYTES) return part;
    throw error;
  }
}
