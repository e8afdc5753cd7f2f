import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLockState, readSlotReference, readSlotRequest, Slots } from '../../../../src/rules/concurrency/slots.js';

const entry = { task: 'a', run: 'r', limit: 1, on_busy: 'wait', token: 't' } as const;

test('a lock begins with its lists unchanged, and with empty lists if there are none', () => {
  const state = {
    key: 'k',
    holders: [{ ...entry, told: true }],
    line: [{ ...entry, task: 'b', settled: true, superseded: true }],
  };
  expect(readLockState(state)).toEqual(state);
  expect(readLockState({ key: 'k' })).toEqual({ key: 'k', holders: [], line: [] });
  for (const junk of [undefined, null, 5, 'x', [], { key: 5, holders: 'x', line: {} }]) {
    expect(readLockState(junk)).toEqual({ key: '', holders: [], line: [] });
  }
});

test('an invalid entry is omitted, and so is a second entry of the same task', () => {
  const line = [null, 5, 'a', {}, { ...entry, limit: 0 }, { ...entry, on_busy: 'x' }, { ...entry, more: 1 }, entry];
  expect(readLockState({ key: 'k', holders: [{ ...entry, task: 'h' }], line })).toEqual({
    key: 'k',
    holders: [{ ...entry, task: 'h' }],
    line: [entry],
  });
  expect(readLockState({ holders: [entry], line: [entry] }).line).toEqual([]);
});

test('marks of an entry are booleans, and other values are omitted', () => {
  const [read] = readLockState({ holders: [{ ...entry, settled: 1, told: 'yes', superseded: null }] }).holders;
  expect(read).toStrictEqual(entry);
});

test.each([
  [{ task: 'a', run: 'r' }, true],
  [{ task: '', run: 'r' }, false],
  [{ task: 5, run: 'r' }, false],
  [{ run: 'r' }, false],
  [{ task: 'a' }, false],
  [{ task: 'a', run: 5 }, false],
  [null, false],
  ['a', false],
])('%j names a task and its run: %s', (value, is) => {
  expect(readSlotReference(value)).toEqual(is ? value : undefined);
});

test.each([
  { task: '' },
  { run: undefined },
  { limit: 0 },
  { limit: -1 },
  { limit: 1.5 },
  { limit: '1' },
  { limit: Number.NaN },
  { on_busy: undefined },
  { on_busy: 'x' },
])('a request with %j is invalid', (change) => {
  expect(readSlotRequest({ ...entry, ...change })).toBeUndefined();
});

test('a token is a short text, and a request without one is invalid', () => {
  for (const token of ['t', 'x'.repeat(100)]) expect(readSlotRequest({ ...entry, token })).toEqual({ ...entry, token });
  for (const token of [undefined, 5, '', {}, 'x'.repeat(101)]) {
    expect(readSlotRequest({ ...entry, token })).toBeUndefined();
    expect(readLockState({ line: [{ ...entry, token }] }).line).toEqual([]);
  }
});

test.each(['wait', 'refuse', 'cancel_older', 'newest'])('a request may ask to %s', (on_busy) => {
  expect(readSlotRequest({ ...entry, on_busy })).toEqual({ ...entry, on_busy });
  expect(readLockState({ line: [{ ...entry, on_busy }] }).line).toEqual([{ ...entry, on_busy }]);
});

test('only `true` marks a request as repeated', () => {
  expect(readSlotRequest({ ...entry, again: true })).toEqual({ ...entry, again: true });
  for (const no of [1, 'true', null, {}, false]) expect(readSlotRequest({ ...entry, again: no })).toEqual(entry);
});

test('a lock keeps working, whatever it is started with or sent', () => {
  const anything = fc.oneof(
    fc.anything(),
    fc.record({ key: fc.anything(), holders: fc.array(fc.anything()), line: fc.array(fc.constant(entry)) }),
  );
  fc.assert(
    fc.property(anything, fc.anything(), (state, message) => {
      const slots = new Slots(readLockState(state));
      const request = readSlotRequest(message);
      if (request) slots.enter(request);
      const reference = readSlotReference(message);
      if (reference) slots.leave(reference);
      slots.enter({ ...entry, task: 'z' });
      slots.admit();
      expect(slots.isEmpty).toBe(false);
    }),
  );
});
