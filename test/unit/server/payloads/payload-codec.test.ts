import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Plan } from '../../../../src/contracts/plan.js';
import { packedPlan } from '../../../../src/server/payloads/pack-plan.js';
import { INLINE_BYTES, SPILL_BYTES, SpillingCodec } from '../../../../src/server/payloads/payload-codec.js';
import { FolderStore } from '../../../../src/server/store/folder-store.js';
import { errorOfAsync } from '../../error-of.js';

let folder: string;
let codec: SpillingCodec;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-test-codec-'));
  codec = new SpillingCodec(new FolderStore(join(folder, 'store')), null);
});
afterEach(() => rmSync(folder, { recursive: true }));

const payload = (bytes: number): Payload => ({
  metadata: { encoding: Buffer.from('json/plain'), extra: Buffer.from('kept') },
  data: Buffer.alloc(bytes, 'a'),
});
const sizeOf = (payloads: Payload[]): number => payloads[0]?.data?.length ?? -1;
const stored = (): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((f) => f.isFile()).length;

test('the limits are those of the design', () => {
  expect([SPILL_BYTES, INLINE_BYTES]).toEqual([128 * 1024, 1024 * 1024]);
});

test('a payload up to the limit stays unchanged', async () => {
  const small = payload(SPILL_BYTES);
  expect(await codec.encode([small])).toEqual([small]);
  expect(stored()).toBe(0);
});

test('a larger payload leaves only its digest in the history', async () => {
  const encoded = await codec.encode([payload(SPILL_BYTES + 1)]);
  expect(sizeOf(encoded)).toBeLessThan(100);
  expect(stored()).toBe(1);
});

test('decoding restores the whole value with its metadata', async () => {
  const mixed = [payload(10), payload(SPILL_BYTES + 1), payload(3 * SPILL_BYTES)];
  const decoded = await codec.decode(await codec.encode(mixed));
  expect(decoded.map(({ data }) => Buffer.from(data ?? []).equals(Buffer.alloc(data?.length ?? 0, 'a')))).toEqual([
    true,
    true,
    true,
  ]);
  expect(decoded.map(({ data }) => data?.length)).toEqual(mixed.map(({ data }) => data?.length));
  expect(decoded.map(({ metadata }) => metadata)).toEqual(mixed.map(({ metadata }) => metadata));
});

test('a value survives converter and codec', async () => {
  const value = { rows: Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}` })) };
  const [decoded] = await codec.decode(await codec.encode([defaultPayloadConverter.toPayload(value)]));
  expect(defaultPayloadConverter.fromPayload(decoded as Payload)).toEqual(value);
});

test('the answer of a preflight whose plan is large goes to the store, and is read with the whole plan', async () => {
  // Random bytes cannot be deflated.
  const plan = { text: randomBytes(SPILL_BYTES).toString('base64') } as unknown as Plan;
  const answer = { seal: { key_id: 'k', mac: 'm' }, plan: packedPlan(plan, 'large') };
  const encoded = await codec.encode([defaultPayloadConverter.toPayload(answer)]);
  expect(sizeOf(encoded)).toBeLessThan(100);
  const [decoded] = await codec.decode(encoded);
  expect(defaultPayloadConverter.fromPayload(decoded as Payload)).toEqual({ ...answer, plan });
});

test('a payload without data or metadata passes', async () => {
  const empty: Payload[] = [{}, { metadata: { encoding: Buffer.from('binary/null') } }];
  expect(await codec.decode(await codec.encode(empty))).toEqual(empty);
});

test('the same value is encoded to the same bytes, so that a replay agrees', async () => {
  expect(await codec.encode([payload(SPILL_BYTES + 1)])).toEqual(await codec.encode([payload(SPILL_BYTES + 1)]));
});

describe('a store that cannot be written', () => {
  const blocked = (): SpillingCodec => {
    writeFileSync(join(folder, 'file'), '');
    return new SpillingCodec(new FolderStore(join(folder, 'file')), null);
  };

  test('keeps up to one MiB inline, so that no completed work is lost', async () => {
    expect(sizeOf(await blocked().encode([payload(INLINE_BYTES)]))).toBe(INLINE_BYTES);
  });

  test('fails with store.full above that', async () => {
    expect((await errorOfAsync(() => blocked().encode([payload(INLINE_BYTES + 1)]))).code).toBe('store.full');
  });
});

test('a value that is in another store fails with store.not_shared', async () => {
  const encoded = await codec.encode([payload(SPILL_BYTES + 1)]);
  const elsewhere = new SpillingCodec(new FolderStore(join(folder, 'elsewhere')), null);
  expect((await errorOfAsync(() => elsewhere.decode(encoded))).code).toBe('store.not_shared');
});
