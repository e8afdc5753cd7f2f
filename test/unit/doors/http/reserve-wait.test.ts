import { expect, test } from 'vitest';
import type { HttpCaller } from '../../../../src/doors/http/authenticate.js';
import { type HttpDoor, USUAL_LIMITS } from '../../../../src/doors/http/http-door.js';
import { reserveWait } from '../../../../src/doors/http/reserve-wait.js';

const caller = (name: string): HttpCaller => ({
  name,
  person: { name, source: 'claimed' },
  rights: {},
  admitted: null,
});
const door = (listeners: number, listenersInAll: number) =>
  ({ limits: { ...USUAL_LIMITS, listeners, listenersInAll } }) as HttpDoor;
const refused = expect.objectContaining({ code: 'door.too_many', details: { retry_after: 5 } });

test('a caller has a limited number of simultaneous listeners, and may listen again after one has left', () => {
  const one = door(2, 10);
  const leave = reserveWait(one, caller('a'));
  reserveWait(one, caller('a'));
  expect(() => reserveWait(one, caller('a'))).toThrow(refused);
  expect(() => reserveWait(one, caller('b'))).not.toThrow();
  leave();
  expect(() => reserveWait(one, caller('a'))).not.toThrow();
  expect(() => reserveWait(one, caller('a'))).toThrow(refused);
});

test('all callers share a limit of simultaneous listeners, since workers poll the same server; each door has its own', () => {
  const one = door(2, 3);
  const leaves = ['a', 'b', 'c'].map((name) => reserveWait(one, caller(name)));
  expect(() => reserveWait(one, caller('d'))).toThrow(refused);
  expect(() => reserveWait(door(2, 3), caller('d'))).not.toThrow();
  for (const leave of leaves) leave();
  expect(() => reserveWait(one, caller('d'))).not.toThrow();
});

test('listeners to the same task share one poll, but each counts as a request', () => {
  const one = { limits: { ...USUAL_LIMITS, listeners: 1, listenersInAll: 2, streams: 2, streamsInAll: 3 } } as HttpDoor;
  const leaves = [reserveWait(one, caller('a'), 'task'), reserveWait(one, caller('a'), 'task')];
  expect(() => reserveWait(one, caller('a'), 'task')).toThrow(refused);
  expect(() => reserveWait(one, caller('a'), 'other')).toThrow(refused);
  leaves.push(reserveWait(one, caller('b'), 'task'));
  expect(() => reserveWait(one, caller('c'), 'task')).toThrow(refused);
  for (const leave of leaves) leave();
  leaves.splice(0, 3, reserveWait(one, caller('a'), 'task'), reserveWait(one, caller('b'), 'other'));
  expect(() => reserveWait(one, caller('c'), 'third')).toThrow(refused);
  expect(() => reserveWait(one, caller('c'), 'other')).not.toThrow();
});
