import { expect, test } from 'vitest';
import type { ChangesLeft, InputChange } from '../../../../src/contracts/task.js';
import { noteChange } from '../../../../src/workflows/input-changes/note-change.js';

const changeBy = (name: string, n: number): InputChange => ({
  by: { name, source: 'claimed' },
  at: new Date(n * 1000).toISOString(),
  fields: ['n'],
});

function noted(names: string[]): { told: InputChange[]; left: ChangesLeft } {
  const told: InputChange[] = [];
  const left: ChangesLeft = { count: 0, by: [] };
  for (const [n, name] of names.entries()) noteChange(told, left, changeBy(name, n));
  return { told, left };
}

test('the first change and a hundred later ones are all told', () => {
  const { told, left } = noted(Array.from({ length: 101 }, () => 'ann'));
  expect(told).toEqual(Array.from({ length: 101 }, (_, n) => changeBy('ann', n)));
  expect(left).toEqual({ count: 0, by: [] });
});

test('of ten thousand the first and the latest hundred are kept, and the others are counted', () => {
  const { told, left } = noted(Array.from({ length: 10_000 }, () => 'ann'));
  expect(told.map(({ at }) => Date.parse(at) / 1000)).toEqual([0, ...Array.from({ length: 100 }, (_, n) => 9900 + n)]);
  expect(left).toEqual({ count: 9899, by: ['ann'] });
  expect(JSON.stringify(told).length).toBeLessThan(16_000);
});

test('who made a change is known of each', () => {
  const { told, left } = noted(['ann', 'ben', 'cid', 'ben', ...Array.from({ length: 100 }, () => 'dora')]);
  expect(told.map(({ by }) => by.name)).toEqual(['ann', ...Array.from({ length: 100 }, () => 'dora')]);
  expect(left).toEqual({ count: 3, by: ['ben', 'cid'] });
});
