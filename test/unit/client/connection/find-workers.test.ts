import { expect, test } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { refuseUnserved } from '../../../../src/client/connection/find-workers.js';

/** A server that lists a worker from this request on. */
function listingFrom(look: number): { connection: Connection; looks: () => number } {
  let looks = 0;
  const describeTaskQueue = async () => {
    looks += 1;
    return { pollers: looks < look ? [] : [{ lastAccessTime: { seconds: Date.now() / 1000 } }] };
  };
  const connection = { temporal: { workflowService: { describeTaskQueue } }, namespace: 'default', address: 'x:1' };
  return { connection: connection as unknown as Connection, looks: () => looks };
}

test('a worker that has just started is awaited, since it is listed with a delay', async () => {
  const { connection, looks } = listingFrom(3);
  await refuseUnserved(connection, 'p-dev-local');
  expect(looks()).toBe(3);
});

test('a queue without a worker is refused, with what to start', async () => {
  const { connection } = listingFrom(Number.POSITIVE_INFINITY);
  await expect(refuseUnserved(connection, 'p-dev-local')).rejects.toMatchObject({
    code: 'placement.no_worker',
    suggestion: 'Start one: ability worker --env NAME.',
  });
});
