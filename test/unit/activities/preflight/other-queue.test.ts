import { expect, test } from 'vitest';
import { otherQueue } from '../../../../src/activities/preflight/other-queue.js';
import type { Plan } from '../../../../src/contracts/plan.js';

const PLAN = {
  project: 'p',
  ability: { id: 'dump' },
  placement: 'cloud',
  environment: { name: 'dev' },
} as unknown as Plan;

test('a worker that the server lists only a moment later takes the task', async () => {
  let looks = 0;
  const isServed = async () => {
    looks += 1;
    return looks > 3;
  };
  expect(await otherQueue(PLAN, 'p-dev-local', { isServed })).toBe('p-dev-cloud');
});

test('a queue that no worker serves is refused', async () => {
  const never = { isServed: async () => false };
  await expect(otherQueue(PLAN, 'p-dev-local', never)).rejects.toMatchObject({ code: 'placement.no_worker' });
  expect(await otherQueue(PLAN, 'p-dev-cloud', never)).toBeUndefined();
});
