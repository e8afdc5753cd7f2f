import { expect, test, vi } from 'vitest';
import { RecentBytes } from '../../../../src/server/payloads/pack-plan.js';

const twice = (bytes: Uint8Array) => vi.fn(() => Buffer.concat([bytes, bytes]));

test('the same bytes are processed once, wherever they are in memory', () => {
  const recent = new RecentBytes();
  const make = twice(Buffer.from('abc'));
  const inside = new Uint8Array(Buffer.from('xxabcxx')).subarray(2, 5);
  const results = [Buffer.from('abc'), inside].map((bytes) => Buffer.from(recent.of(bytes, make)).toString());
  expect(results).toEqual(['abcabc', 'abcabc']);
  expect(make).toHaveBeenCalledTimes(1);
});

test('different bytes have their own results', () => {
  const recent = new RecentBytes();
  for (const text of ['', 'a', '\u00ff', 'ÿ', '€']) {
    const bytes = Buffer.from(text);
    expect(recent.of(bytes, twice(bytes))).toEqual(Buffer.concat([bytes, bytes]));
  }
});

test('only a limited number of results is kept, and none of large inputs', () => {
  const recent = new RecentBytes();
  const large = Buffer.alloc(40_000);
  const makeLarge = twice(large);
  for (let n = 0; n < 2; n += 1) recent.of(large, makeLarge);
  expect(makeLarge).toHaveBeenCalledTimes(2);
  const makes = Array.from({ length: 100 }, (_, n) => ({ bytes: Buffer.from([n]), make: twice(Buffer.from([n])) }));
  for (const { bytes, make } of makes) recent.of(bytes, make);
  for (const { bytes, make } of makes.reverse()) recent.of(bytes, make);
  expect(makes.filter(({ make }) => make.mock.calls.length === 1).length).toBe(64);
});

test('a failure is not remembered', () => {
  const recent = new RecentBytes();
  const bytes = Buffer.from('bad');
  const fail = () => {
    throw new Error('no');
  };
  expect(() => recent.of(bytes, fail)).toThrow('no');
  expect(recent.of(bytes, twice(bytes)).length).toBe(6);
});
