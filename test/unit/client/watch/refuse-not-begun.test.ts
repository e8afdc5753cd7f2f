import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UNSERVED_MS } from '../../../../src/client/start/start-request.js';
import { notTakenUp, refuseNotBegun } from '../../../../src/client/watch/refuse-stuck.js';

const NOW = Date.UTC(2030, 0, 1);
/** Its start, and the workflow task that waits for a worker. */
const WAITING = 2;

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const looked = (historyLength: unknown, waitedMs: number) => () =>
  refuseNotBegun('t-1', { workflowExecutionInfo: { historyLength } } as never, NOW - waitedMs);

describe('the wait for a task', () => {
  test('ends if no worker has taken it up in time, and the task will run nothing', () => {
    expect(looked(WAITING, UNSERVED_MS + 2001)).toThrow(notTakenUp('t-1'));
    expect(notTakenUp('t-1')).toMatchObject({
      code: 'worker.unavailable',
      message: 'No worker has taken t-1 up within a minute; it runs nothing',
    });
  });

  test('goes on a little longer than the limit of the task, which the server measures', () => {
    expect(looked(WAITING, UNSERVED_MS + 2000)).not.toThrow();
    expect(looked(WAITING, 0)).not.toThrow();
  });

  test('goes on if a worker has taken it up', () => {
    expect(looked(WAITING + 1, 10 * UNSERVED_MS)).not.toThrow();
  });

  test('goes on if the server does not say how far it is', () => {
    expect(() => refuseNotBegun('t-1', {} as never, 0)).not.toThrow();
  });
});
