import { expect, test } from 'vitest';
import type { SessionCall } from '../../../../src/contracts/session.js';
import { CallLedger, MAX_CALLS } from '../../../../src/rules/sessions/call-ledger.js';

function call(id: string): Omit<SessionCall, 'status'> {
  return { id, ability: 'pay.refund', effects: 'write_additive', environment: 'dev', input: null };
}

/** A ledger whose list is full: the next call is only counted. */
function fullLedger(): CallLedger {
  const ledger = new CallLedger();
  for (let n = 0; n < MAX_CALLS; n += 1) ledger.enter(call(`c${n}`));
  return ledger;
}

test('a listed call that is entered again counts once', () => {
  const ledger = new CallLedger();
  ledger.enter(call('1'));
  ledger.enter(call('1'));
  expect(ledger.calls).toHaveLength(1);
  expect(ledger.counts).toMatchObject({ write_additive: 1, total: 1 });
});

test('a call beyond the list that is entered again counts once', () => {
  const ledger = fullLedger();
  expect(ledger.isWhole).toBe(true);
  ledger.enter(call('x'));
  ledger.enter(call('x'));
  expect(ledger.leftOut).toBe(1);
  expect(ledger.isWhole).toBe(false);
  expect(ledger.counts.total).toBe(MAX_CALLS + 1);
});

test('a call beyond the list that was denied is not counted', () => {
  const ledger = fullLedger();
  ledger.enter(call('x'));
  ledger.end('x', 'denied');
  expect([ledger.leftOut, ledger.isWhole, ledger.has('x')]).toEqual([0, true, false]);
  expect(ledger.counts).toMatchObject({ write_additive: MAX_CALLS, total: MAX_CALLS });
});

test('a call beyond the list that ended stays counted, and ends once', () => {
  const ledger = fullLedger();
  ledger.enter(call('x'));
  ledger.end('x', 'failed');
  ledger.end('x', 'denied');
  expect(ledger.counts.total).toBe(MAX_CALLS + 1);
  expect(ledger.isWhole).toBe(false);
});

test('after an unlisted call no call is listed, even if the list has room', () => {
  const ledger = fullLedger();
  ledger.enter(call('x'));
  ledger.end('c0', 'denied');
  ledger.enter(call('y'));
  expect(ledger.calls).toHaveLength(MAX_CALLS - 1);
  expect(ledger.leftOut).toBe(2);
});

test('a ledger that is carried over continues where it was, and does not change its source', () => {
  const before = fullLedger();
  before.enter(call('x'));
  const carried = { calls: before.calls, counts: before.counts, unlisted: before.unlisted, left_out: before.leftOut };
  const ledger = new CallLedger(carried);
  ledger.end('x', 'denied');
  ledger.end('c0', 'denied');
  expect(ledger.counts.total).toBe(MAX_CALLS - 1);
  expect([before.calls.length, before.counts.total, before.has('x')]).toEqual([MAX_CALLS, MAX_CALLS + 1, true]);
});

test('a limit is raised once by each approval, for one hook, and never lowered', () => {
  const ledger = new CallLedger();
  ledger.raise('notes', 'a-1', 2);
  ledger.raise('notes', 'a-1', 2);
  ledger.raise('notes', 'a-2', 0.5);
  for (const by of [-1, 0, Number.NaN, Number.POSITIVE_INFINITY]) ledger.raise('notes', `not ${by}`, by);
  expect([ledger.raisedOf('notes'), ledger.raisedOf('other'), ledger.raisedOf('constructor')]).toEqual([2.5, 0, 0]);
  const { calls, counts, unlisted, leftOut: left_out, raised } = ledger;
  const next = new CallLedger(JSON.parse(JSON.stringify({ calls, counts, unlisted, left_out, raised })));
  next.raise('notes', 'a-1', 2);
  expect(next.raisedOf('notes')).toBe(2.5);
});
