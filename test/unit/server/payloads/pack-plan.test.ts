import { deflateRawSync } from 'node:zlib';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { packPlan, unpackPlan } from '../../../../src/server/payloads/pack-plan.js';
import { examplePlan } from '../../rules/example-plan.js';

const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value);

test('a plan takes less than half of its size in a history, and is restored unchanged', () => {
  const payload = payloadOf({ $plan: examplePlan() });
  const packed = packPlan(payload);
  expect(packed.data?.length).toBeLessThan((payload.data?.length ?? 0) / 2);
  expect(defaultPayloadConverter.fromPayload(unpackPlan(packed))).toEqual({ $plan: examplePlan() });
});

test.each([{ text: 'hello' }, 'x', 5, null, [], { plan: {} }])('%j is left unchanged', (value) => {
  const payload = payloadOf(value);
  expect(packPlan(payload)).toBe(payload);
  expect(unpackPlan(payload)).toBe(payload);
});

test('a few bytes that would expand to fill the memory are refused', () => {
  const metadata = packPlan(payloadOf({ $plan: {} })).metadata ?? {};
  const data = deflateRawSync(Buffer.alloc(65 * 1024 * 1024));
  expect(() => unpackPlan({ metadata, data })).toThrow(/larger than/);
});
