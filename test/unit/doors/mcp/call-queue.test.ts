import { expect, test } from 'vitest';
import { CallQueue } from '../../../../src/doors/mcp/call-queue.js';

const never = new AbortController().signal;

/** Work that ends on request. */
function work() {
  let end = (): void => {};
  let begun = false;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    run: () => {
      begun = true;
      return ended;
    },
    end: () => end(),
    hasBegun: () => begun,
  };
}

test('runs a limited number of calls at once, queues a limited number in order, and refuses the rest', async () => {
  const queue = new CallQueue({ atOnce: 1, waiting: 2 });
  const works = [work(), work(), work(), work()];
  const runs = works.map((one) => queue.run(never, one.run));
  await expect(runs[3]).rejects.toMatchObject({ code: 'door.busy' });
  expect(works.map((one) => one.hasBegun())).toEqual([true, false, false, false]);
  expect(queue.isCrowded).toBe(true);
  works[0]?.end();
  await runs[0];
  await new Promise(setImmediate);
  expect(works.map((one) => one.hasBegun())).toEqual([true, true, false, false]);
  works[1]?.end();
  works[2]?.end();
  await Promise.all(runs.slice(0, 3));
  expect(queue.isCrowded).toBe(false);
});

test('a place becomes free when work fails', async () => {
  const queue = new CallQueue({ atOnce: 1, waiting: 0 });
  for (let turn = 0; turn < 3; turn += 1) {
    await expect(queue.run(never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  }
  expect(await queue.run(never, async () => 'yes')).toBe('yes');
});

test('a call that no one waits for any more is never started, and leaves the queue', async () => {
  const queue = new CallQueue({ atOnce: 1, waiting: 1 });
  const [first, second] = [work(), work()];
  const running = queue.run(never, first.run);
  const stop = new AbortController();
  const waiting = queue.run(stop.signal, second.run);
  stop.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  expect(queue.isCrowded).toBe(false);
  await expect(queue.run(stop.signal, second.run)).rejects.toThrow('gone');
  first.end();
  await running;
  expect(second.hasBegun()).toBe(false);
});
