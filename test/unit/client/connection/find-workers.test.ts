import { describe, expect, test } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { placementWithWorker, refuseUnserved } from '../../../../src/client/connection/find-workers.js';
import { AbilityError } from '../../../../src/contracts/problem.js';

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

describe('a placement with a worker', () => {
  const over = (served: string, definitions?: object): Connection => {
    const describeTaskQueue = async ({ taskQueue }: { taskQueue: { name: string } }) => ({
      pollers: taskQueue.name === served ? [{ lastAccessTime: { seconds: Date.now() / 1000 } }] : [],
    });
    const connection = { temporal: { workflowService: { describeTaskQueue } }, namespace: 'default', address: 'x:1' };
    return { ...connection, project: 'p', definitions } as unknown as Connection;
  };
  const knowing = Object.assign(() => undefined, { placements: () => ['local', 'cloud', 'near-db'] });

  test('may be one of the project', async () => {
    expect(await placementWithWorker(over('p-dev-near-db', knowing), 'dev')).toBe('near-db');
  });

  test('is refused with the queues of all that are known here', async () => {
    await expect(placementWithWorker(over('none', knowing), 'dev')).rejects.toMatchObject({
      message: 'No worker serves p-dev-local nor p-dev-cloud nor p-dev-near-db on Temporal at x:1',
    });
    await expect(placementWithWorker(over('p-dev-near-db'), 'dev')).rejects.toMatchObject({
      message: 'No worker serves p-dev-local nor p-dev-cloud on Temporal at x:1',
    });
  });

  test('is one of the usual two while the definitions here cannot be read', async () => {
    const broken = Object.assign(() => undefined, {
      placements: () => {
        throw new AbilityError({ code: 'definition.invalid', message: 'broken' });
      },
    });
    expect(await placementWithWorker(over('p-dev-cloud', broken), 'dev')).toBe('cloud');
  });
});
