import { deflateRawSync } from 'node:zlib';
import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../../src/rules/canonical.js';
import { packedPlan, packPlan, unpackPlan } from '../../../../src/server/payloads/pack-plan.js';
import { examplePlan } from '../../rules/example-plan.js';

const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value);

const textOf = ({ data }: { data?: Uint8Array | null }): string => Buffer.from(data ?? []).toString();
const plan = examplePlan();
/** What a preflight answers. */
const formed = (more: object = {}) => ({
  input: { text: 'hello' },
  seal: { key_id: 'k', mac: 'm' },
  ...more,
  plan: packedPlan(plan, digestOf(plan)),
});

describe('the answer of a preflight', () => {
  test('has its plan deflated in the history, and all else as people can read it', () => {
    const packed = packPlan(payloadOf(formed()));
    expect(textOf(packed)).toMatch(
      /^\{"input":\{"text":"hello"\},"seal":\{"key_id":"k","mac":"m"\},"plan":\{"\$deflated":"[A-Za-z0-9+/=]+"\}\}$/,
    );
    expect(packed.data?.length).toBeLessThan(JSON.stringify(plan).length);
    expect(Buffer.from(packed.metadata?.encoding ?? []).toString()).toBe('json/plain');
  });

  test('is read with the whole plan', () => {
    const read = defaultPayloadConverter.fromPayload(unpackPlan(packPlan(payloadOf(formed()))));
    expect(read).toEqual({ ...formed(), plan });
    expect(Buffer.from(unpackPlan(packPlan(payloadOf(formed()))).metadata?.encoding ?? []).toString()).toBe(
      'json/plain',
    );
  });

  test.each<[string, object]>([
    ['looks like a deflated plan', { input: { plan: { $deflated: 'x' } } }],
    ['ends like one', { input: { a: { b: '"}}' } }, warnings: ['"}}'] }],
    ['has other characters', { input: { text: 'ü€"\\ "plan":{"$deflated":"' } }],
  ])('may have an input that %s', (_, more) => {
    const read = defaultPayloadConverter.fromPayload(unpackPlan(packPlan(payloadOf(formed(more)))));
    expect(read).toEqual({ ...formed(more), plan });
  });

  test('is the same for the same plan, which is deflated once', () => {
    expect(packedPlan(plan, 'd')).toBe(packedPlan(plan, 'd'));
    expect(packedPlan({ ...plan, project: 'other' }, 'e')).not.toEqual(packedPlan(plan, 'd'));
    expect(textOf(packPlan(payloadOf(formed())))).toBe(textOf(packPlan(payloadOf(formed()))));
  });

  test('is kept only for the last plans', () => {
    const first = packedPlan(plan, 'first');
    for (let n = 0; n < 64; n += 1) packedPlan(plan, `other ${n}`);
    expect(packedPlan(plan, 'first')).not.toBe(first);
    expect(packedPlan(plan, 'first')).toEqual(first);
  });
});

test.each<[string, unknown]>([
  ['an input', { plan: { $deflated: 'eyJh' } }],
  ['an answer', { seal: {}, plan: { $deflated: deflateRawSync('{}').toString('base64') } }],
  ['a text', '"plan":{"$deflated":"x"}}'],
])('%s of users that looks like a packed plan is left unchanged', (_, value) => {
  const payload = payloadOf(value);
  expect(packPlan(payload)).toBe(payload);
  expect(unpackPlan(payload)).toBe(payload);
});

test.each(['{}', '{"plan":{"$deflated":"x"}', '{"plan":{}}', ''])(
  'a packed answer without its plan is refused: %j',
  (text) => {
    const { metadata = {} } = packPlan(payloadOf(formed()));
    expect(() => unpackPlan({ metadata, data: Buffer.from(text) })).toThrow('is not where its preflight wrote it');
  },
);

test('a payload without data is left unchanged', () => {
  expect(packPlan({ metadata: {} })).toEqual({ metadata: {} });
  expect(unpackPlan({})).toEqual({});
});

test('a plan that a run hands to the next takes less than half of its size in a history, and is restored unchanged', () => {
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
  const answer = packPlan(payloadOf(formed()));
  const large = Buffer.from(`{"plan":{"$deflated":"${data.toString('base64')}"}}`);
  expect(() => unpackPlan({ metadata: answer.metadata ?? {}, data: large })).toThrow(/larger than/);
});
