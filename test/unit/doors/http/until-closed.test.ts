import { EventEmitter, getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { untilClosed } from '../../../../src/doors/http/connections.js';

const response = () => new EventEmitter() as EventEmitter & ServerResponse;

test('aborts when the client disconnects, or when one of the signals fires', () => {
  const closing = new AbortController();
  const [left, open] = [response(), response()];
  const [first, second] = [untilClosed(left, [closing.signal]), untilClosed(open, [closing.signal])];
  left.emit('close');
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
  closing.abort('stopped');
  expect(second.signal.reason).toBe('stopped');
});

test('removes its listeners at the release', () => {
  const closing = new AbortController();
  const one = response();
  untilClosed(one, [closing.signal]).release();
  expect(one.listenerCount('close')).toBe(0);
  expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
});

test('many open requests share one signal without a warning of a leak', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  const closing = new AbortController();
  for (let nth = 0; nth < 20; nth += 1) untilClosed(response(), [closing.signal]);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
