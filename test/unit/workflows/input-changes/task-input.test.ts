import { expect, test } from 'vitest';
import type { InputChange } from '../../../../src/contracts/task.js';
import { TaskInput } from '../../../../src/workflows/input-changes/task-input.js';

const changeBy = (name: string, n: number): InputChange => ({
  by: { name, source: 'claimed' },
  at: new Date(n * 1000).toISOString(),
  fields: ['n'],
});

function noted(names: string[]): TaskInput {
  const input = new TaskInput({ input: {}, run: false });
  for (const [n, name] of names.entries()) input.note(changeBy(name, n));
  return input;
}

test('the first change and a hundred later ones are all reported', () => {
  const { changes, left } = noted(Array.from({ length: 101 }, () => 'ann'));
  expect(changes).toEqual(Array.from({ length: 101 }, (_, n) => changeBy('ann', n)));
  expect(left).toEqual({ count: 0, by: [] });
});

test('of ten thousand changes the first and the latest hundred are kept, and the others are counted', () => {
  const { changes, left } = noted(Array.from({ length: 10_000 }, () => 'ann'));
  expect(changes.map(({ at }) => Date.parse(at) / 1000)).toEqual([
    0,
    ...Array.from({ length: 100 }, (_, n) => 9900 + n),
  ]);
  expect(left).toEqual({ count: 9899, by: ['ann'] });
  expect(JSON.stringify(changes).length).toBeLessThan(16_000);
});

test('the author of each change is known', () => {
  const { changes, left } = noted(['ann', 'ben', 'cid', 'ben', ...Array.from({ length: 100 }, () => 'dora')]);
  expect(changes.map(({ by }) => by.name)).toEqual(['ann', ...Array.from({ length: 100 }, () => 'dora')]);
  expect(left).toEqual({ count: 3, by: ['ben', 'cid'] });
});
