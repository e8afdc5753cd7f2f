import { expect, test } from 'vitest';
import { CallsMade } from '../../../../src/workflows/calls/calls-made.js';

function made(earlier: CallsMade | undefined, count: number, from: number): CallsMade {
  const calls = new CallsMade(from, earlier?.carry());
  for (let n = from; n < from + count; n += 1)
    calls.begin(`each/${n}/op`, 'op', { n, text: 'x'.repeat(3000) }).gave({ n });
  return calls;
}

test('R-000-86: the calls of all runs of a task are listed, and unlisted calls are counted', () => {
  const second = made(made(undefined, 3, 0), 2, 3);
  expect(second.report()?.listed.map(({ path }) => path)).toEqual([0, 1, 2, 3, 4].map((n) => `each/${n}/op`));
  expect(second.report()?.left_out).toBe(0);
  const third = made(made(made(undefined, 60, 0), 60, 60), 60, 120);
  expect(third.report()?.listed).toHaveLength(100);
  expect(third.report()?.left_out).toBe(80);
});

test('a run passes on no more than 8 KiB of their values, and the length of each', () => {
  const carried = made(undefined, 100, 0).carry();
  expect(JSON.stringify(carried).length).toBeLessThan(20 * 1024);
  expect(carried?.listed.at(-1)?.given[1]).toBeGreaterThan(3000);
});

test('failures of earlier runs count towards those that are listed in addition', () => {
  const first = made(undefined, 100, 0);
  for (let n = 0; n < 150; n += 1) first.begin(`more/${n}`, 'op', {}).failed({ code: 'x', message: 'x' });
  const second = new CallsMade(250, first.carry());
  second.begin('last', 'op', {}).failed({ code: 'x', message: 'x' });
  expect(second.report()).toMatchObject({ listed: { length: 200 }, left_out: 51 });
});

test('a call of a task is listed with that task, its input, and its output or its error', () => {
  const calls = new CallsMade();
  calls.begin('a', 'op', { n: 1 }).gave(null);
  calls.begin('b', 'inner', {}, 't-1/b').failed({ code: 'a.b', message: 'x'.repeat(3000), details: { n: 1 } });
  calls.begin('c', 'op', {});
  expect(calls.report()?.listed).toStrictEqual([
    { path: 'a', call: 'op', given: ['{"n":1}', 7], gave: ['null', 4] },
    {
      path: 'b',
      call: 'inner',
      task: 't-1/b',
      given: ['{}', 2],
      error: { code: 'a.b', message: 'x'.repeat(2000) },
    },
    { path: 'c', call: 'op', given: ['{}', 2] },
  ]);
});

test('what agents used is counted with their turns, from what earlier runs used', () => {
  const used = { turns: 2, calls: 1, input_tokens: 10, output_tokens: 1 };
  const calls = new CallsMade();
  calls.countAgent(used);
  calls.countAgent(used);
  expect(calls.agents).toEqual({ turns: 4, calls: 2, input_tokens: 20, output_tokens: 2 });
});

test('a run without calls passes on nothing', () => {
  expect(new CallsMade(0).carry()).toBeUndefined();
  expect(new CallsMade(0).report()).toBeUndefined();
});
