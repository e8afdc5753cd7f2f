import { ApplicationFailure, type Payload, type PayloadCodec } from '@temporalio/common';
import { expect, test } from 'vitest';
import { AbilityError } from '../../../src/contracts/problem.js';
import { WorkerCodec } from '../../../src/worker/worker-codec.js';

const failing = (error: Error): PayloadCodec & { keys: null } => ({
  keys: null,
  encode: () => Promise.reject(error),
  decode: () => Promise.reject(error),
});
const PAYLOADS: Payload[] = [];

test.each(['encode', 'decode'] as const)(
  'a worker that cannot %s a payload fails with our code, so that another may retry',
  async (way) => {
    const problem = { code: 'store.not_shared', message: 'It is not there', suggestion: 'Share it.' };
    const error = await new WorkerCodec(failing(new AbilityError(problem)))[way](PAYLOADS).catch((reason) => reason);
    expect(error).toBeInstanceOf(ApplicationFailure);
    expect(error).toMatchObject({ type: 'store.not_shared', nonRetryable: false, details: [problem] });
  },
);

test('any other error passes unchanged', async () => {
  const mistake = new RangeError('too long');
  await expect(new WorkerCodec(failing(mistake)).decode(PAYLOADS)).rejects.toBe(mistake);
});
