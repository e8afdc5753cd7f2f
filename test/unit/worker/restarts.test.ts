import { expect, test } from 'vitest';
import { Restarts } from '../../../src/worker/own-server.js';

/** A server that lives for this many milliseconds, again and again. */
function live(times: number, ms: number): (number | undefined)[] {
  let now = 0;
  const restarts = new Restarts(() => now);
  return Array.from({ length: times }, () => {
    restarts.started();
    now += ms;
    return restarts.ended();
  });
}

test('a server that is killed now and then is restarted, however often', () => {
  expect(live(50, 5000)).toEqual(Array(50).fill(100));
});

test('a server that ends at once is restarted a little later each time, and then not any more', () => {
  expect(live(7, 200)).toEqual([100, 200, 300, 400, 500, undefined, undefined]);
});

test('a successful start resets the delays', () => {
  let now = 0;
  const restarts = new Restarts(() => now);
  const lives = (ms: number) => {
    restarts.started();
    now += ms;
    return restarts.ended();
  };
  expect([100, 100, 100, 100].map(lives)).toEqual([100, 200, 300, 400]);
  expect(lives(60_000)).toBe(100);
  expect(lives(100)).toBe(200);
});
