import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Json, JsonObject } from '../../../../src/contracts/json.js';
import { runTree } from '../../../property/run-tree.js';
import { type Account, type Attempt, Script } from '../../../property/script.js';
import { planOf } from '../../../property/trees.js';
import { lowLevel, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

vi.mock('@temporalio/workflow', async () => (await import('../../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** Each call takes a millisecond and ends as set for its path, or else with `{ v: <its number> }`. */
class FixedEnds extends Script {
  private count = 0;

  constructor(private readonly ends: Record<string, Json | Error>) {
    super(1, {}, {}, undefined);
  }

  override attempt(path: string, nth: number): Attempt {
    this.count += 1;
    const end = this.ends[`${path}#${nth}`] ?? this.ends[path];
    if (end instanceof Error) return { ms: 1, code: end.message };
    return { ms: 1, output: end ?? { v: this.count } };
  }
}

/** Runs the workflow with these lines. */
async function run(
  yaml: string,
  { input = {}, ends = {} }: { input?: JsonObject; ends?: Record<string, Json | Error> } = {},
): Promise<Account> {
  const { task } = await import('../../../../src/workflows/task.js');
  const head = yaml.startsWith('id: ') ? '' : 'id: w\ntype: workflow\nversion: 1\nsummary: s\n';
  const called = [...yaml.matchAll(/\bcall: ([a-z][a-z0-9_.]*)/g)].map(([, key = '']) => lowLevel(key, SCRIPT));
  const files = Object.assign({ 'registry/high-level/w.yaml': head + yaml }, SCRIPT_FILE, ...called);
  const id = /^id: (.*)$/m.exec(head + yaml)?.[1] ?? '';
  const { steps, finally: cleanup, on_error, output, operations } = resolved(files, id).plan;
  const flow = { steps, finally: cleanup, ...(on_error && { on_error }), ...(output !== undefined && { output }) };
  const known = planOf([]);
  const plan = { ...known, ...flow, operations: { ...operations, ...known.operations } };
  return runTree(task, { plan, input, script: new FixedEnds(ends) });
}

const SUM = 'steps.add.output == null ? 0 : steps.add.output.sum';
const add = (more = '') => `{ id: add, ${more}let: { sum: "\${{ (${SUM}) + n }}" } }`;
const each = (inner: string, more = '') =>
  `steps: [{ id: each, foreach: input.list, as: n, ${more}steps: [${inner}] }]\noutput: "\${{ steps.each.output }}"`;
const sums = (...list: number[]) => list.map((sum) => ({ sum }));

describe('a step in a loop sees its own last turn', () => {
  test('in a `foreach`: a running sum', async () => {
    expect((await run(each(add()), { input: { list: [1, 2, 3, 4] } })).output).toEqual(sums(1, 3, 6, 10));
  });

  test.each(['steps["add"].output', 'steps[input.id].output', 'steps.?add.output.value()', 'dyn(steps).add.output'])(
    'however it refers to itself: %s',
    async (own) => {
      const yaml = each(`{ id: add, let: { n: '\${{ n }}', was: '\${{ ${own} == null ? 0 : ${own}.n }}' } }`);
      expect((await run(yaml, { input: { list: [1, 2], id: 'add' } })).output).toEqual([
        { n: 1, was: 0 },
        { n: 2, was: 1 },
      ]);
    },
  );

  test('in a `repeat`: a poll that compares with the last answer', async () => {
    const yaml = `
steps:
  - id: settled
    repeat: { until: steps.seen.output.same, every: 1s, max: 9 }
    steps:
      - { id: probe, call: op.read, with: {} }
      - id: seen
        let:
          answer: "\${{ steps.probe.output }}"
          same: "\${{ steps.seen.output != null && steps.seen.output.answer == steps.probe.output }}"
output: "\${{ steps.settled.output.answer }}"`;
    const ends = { 'settled/0/probe': 1, 'settled/1/probe': 2, 'settled/2/probe': 3, 'settled/3/probe': 3 };
    const { output, effects } = await run(yaml, { ends });
    expect(output).toBe(3);
    expect(effects).toHaveLength(4);
  });

  test('as null and pending in the first turn, then with its output, status and error', async () => {
    const what =
      'o: "${{ steps.a.output }}", s: "${{ steps.a.status }}", e: "${{ steps.a.error == null ? null : steps.a.error.code }}"';
    const yaml = each(`{ id: a, call: op.add, with: { ${what} }, continue_on_error: true }`);
    const ends = { 'each/0/a': { x: 1 }, 'each/1/a': new Error('app.broken') };
    const { effects } = await run(yaml, { input: { list: [1, 2, 3, 4] }, ends });
    expect(effects.map((effect) => effect.with)).toEqual([
      { o: null, s: 'pending', e: null },
      { o: { x: 1 }, s: 'succeeded', e: null },
      { o: null, s: 'failed', e: 'app.broken' },
      { o: { v: 3 }, s: 'succeeded', e: null },
    ]);
  });

  test('in each of its expressions', async () => {
    const was = (other: string) => `\${{ steps.x.output == null ? ${other} : steps.x.output }}`;
    const turns = (step: string) => each(`{ id: x, ${step} }`);
    const list = { input: { list: [1, 2, 3] } };
    expect((await run(turns('if: "steps.x.output == null", let: { n: "${{ n }}" }'), list)).output).toEqual([
      { n: 1 },
      null,
      null,
    ]);
    const fail = turns(`fail: { code: app.broken, message: "${was("'first'")}" }, on_error: [{ output: again }]`);
    expect((await run(fail, list)).output).toEqual(['again', 'again', 'again']);
    const end = turns(`end: { output: "${was("'first'")}" }`);
    expect((await run(end, list)).output).toBe('first');
    const inner = turns(
      `foreach: "steps.x.output == null ? [n] : steps.x.output + [n]", as: m, steps: [{ id: y, let: { m: "\${{ m }}" } }]`,
    );
    const m = (...numbers: number[]) => numbers.map((one) => ({ m: one }));
    const seen = (await run(inner, list)).output as { m: Json }[][];
    expect(seen[0]).toEqual(m(1));
    expect(seen[1]).toEqual([{ m: { m: 1 } }, { m: 2 }]);
    const pick = turns(
      'switch: [{ if: "steps.x.output == null", steps: [{ id: y, let: { first: true } }] }, { else: [{ id: z, let: { first: false } }] }]',
    );
    expect((await run(pick, list)).output).toEqual([{ first: true }, { first: false }, { first: false }]);
    const wait = turns(
      "wait: \"${{ steps.x.status == 'pending' ? '1s' : '2s' }}\", finally: [{ id: y, call: op.read, with: {} }]",
    );
    const { effects } = await run(wait, list);
    expect(effects.map(({ at }) => at)).toEqual([1000, 3001, 5002]);
    const until = `steps: [{ id: each, foreach: input.list, as: n, steps: [{ id: x, index: i, repeat: { until: "i == 2 || (steps.x.output != null && i == steps.x.output.i)", max: 9 }, steps: [{ id: y, let: { i: "\${{ i - 1 }}" } }] }] }]\noutput: "\${{ steps.each.output }}"`;
    expect((await run(until, list)).output).toEqual([{ i: 1 }, { i: 0 }, { i: -1 }]);
  });

  test('in the output of its handler, next to the failure of this turn: the last good answer', async () => {
    const handler =
      'on_error: [{ output: { v: "${{ steps.a.output == null ? 0 : steps.a.output.v }}", why: "${{ steps.a.error.code }}" } }]';
    const yaml = each(`{ id: a, call: op.add, with: {}, ${handler} }`);
    const broken = new Error('app.broken');
    const { output } = await run(yaml, {
      input: { list: [1, 2, 3] },
      ends: { 'each/0/a': broken, 'each/2/a': broken },
    });
    expect(output).toEqual([{ v: 0, why: 'app.broken' }, { v: 2 }, { v: 2, why: 'app.broken' }]);
  });

  test('but takes back the call of this turn', async () => {
    const undo = 'undo: { call: op.add, with: { of: "${{ steps.a.output.v }}", was: "${{ steps.a.status }}" } }';
    const yaml = `${each(`{ id: a, call: op.add, with: { was: "\${{ steps.a.output }}" }, ${undo} }`).split('\n')[0]?.replace(/\]$/, ', { id: bad, fail: { code: app.broken, message: no } }]')}`;
    const { effects } = await run(yaml, { input: { list: [1, 2] } });
    expect(effects.map((effect) => effect.with)).toEqual([
      { was: null },
      { was: { v: 1 } },
      { of: 2, was: 'succeeded' },
      { of: 1, was: 'succeeded' },
    ]);
  });

  test('beyond turns in which it was skipped, which other steps see as skipped', async () => {
    const before = '{ id: before, let: { s: "${{ steps.add.status }}", o: "${{ steps.add.output }}" } }';
    const yaml = each(
      `${before}, ${add('if: "n % 2 == 1", ')}, { id: both, let: { b: "\${{ steps.before.output }}", a: "\${{ steps.add.output }}" } }`,
    );
    expect((await run(yaml, { input: { list: [1, 2, 3] } })).output).toEqual([
      { b: { s: 'pending', o: null }, a: { sum: 1 } },
      { b: { s: 'succeeded', o: { sum: 1 } }, a: null },
      { b: { s: 'skipped', o: null }, a: { sum: 4 } },
    ]);
  });

  test('and not a failed attempt of this turn', async () => {
    const group = `{ id: g, retry: { attempts: 2, first: 1s }, steps: [${add()}, { id: post, call: op.add, with: {}, retry: { attempts: 1 } }, { id: sum, let: { sum: "\${{ steps.add.output.sum }}" } }] }`;
    const ends = { 'each/1/g/post#0': new Error('script.exit') };
    const { output, effects } = await run(each(group), { input: { list: [1, 2, 3] }, ends });
    expect(effects).toHaveLength(4);
    expect(output).toEqual(sums(1, 3, 6));
  });

  test('only in this run of the loop: an inner loop starts over in each outer turn', async () => {
    const inner = `{ id: inner, foreach: n, as: m, steps: [{ id: add, let: { sum: "\${{ (${SUM}) + m }}" } }] }`;
    const { output } = await run(each(inner), {
      input: {
        list: [
          [1, 2],
          [10, 20],
        ],
      },
    });
    expect(output).toEqual([sums(1, 3), sums(10, 30)]);
    const repeat = `{ id: inner, index: i, repeat: { until: i == 1, max: 3 }, steps: [{ id: seen, let: { b: "\${{ steps.add.status }}" } }, { id: add, let: { b: "\${{ steps.add.output == null ? [steps.seen.output.b] : steps.add.output.b + [steps.seen.output.b] }}", sum: "\${{ (${SUM}) + n }}" } }] }`;
    expect((await run(each(repeat), { input: { list: [1, 10] } })).output).toEqual([
      { b: ['pending', 'succeeded'], sum: 2 },
      { b: ['pending', 'succeeded'], sum: 20 },
    ]);
  });

  test('also as a branch, in a case, in a handler and in a clean-up', async () => {
    const counted = (id: string) => `{ id: ${id}, call: op.add, with: { was: "\${{ steps.${id}.output }}" } }`;
    const yaml = each(`
      { id: p, parallel: { branch: { call: op.add, with: { was: "\${{ steps.branch.output }}" } }, other: { wait: 9ms } } },
      { id: pick, switch: [{ if: "true", steps: [${counted('cased')}] }] },
      { id: bad, fail: { code: app.broken, message: no }, on_error: [{ steps: [${counted('handled')}] }], finally: [${counted('cleaned')}] }`);
    const { effects } = await run(yaml, { input: { list: [1, 2] } });
    expect(effects.map((effect) => effect.with)).toEqual([
      ...Array.from({ length: 4 }, () => ({ was: null })),
      ...[1, 2, 3, 4].map((v) => ({ was: { v } })),
    ]);
  });

  test('and so does a loop inside another loop', async () => {
    const inner =
      '{ id: inner, foreach: "steps.inner.output == null ? [n] : steps.inner.output.map(one, one.m) + [n]", as: m, steps: [{ id: a, let: { m: "${{ m }}" } }] }';
    const m = (...numbers: number[]) => numbers.map((one) => ({ m: one }));
    expect((await run(each(inner), { input: { list: [1, 2, 3] } })).output).toEqual([m(1), m(1, 2), m(1, 2, 3)]);
  });

  test('whatever failed items have done', async () => {
    const steps = `${add()}, { id: bad, if: n == 2, fail: { code: app.broken, message: no } }, { id: sum, let: { sum: "\${{ steps.add.output.sum }}" } }`;
    const yaml = `steps:\n  - { id: each, foreach: input.list, as: n, on_failure: finish, continue_on_error: true, steps: [${steps}, { id: after, call: op.read, with: { sum: "\${{ steps.add.output.sum }}" } }] }`;
    const { effects } = await run(yaml, { input: { list: [1, 2, 3] } });
    expect(effects.map((effect) => effect.with)).toEqual(sums(1, 4));
  });
});

describe('a step sees nothing of itself', () => {
  test('in concurrent items', async () => {
    const { output } = await run(each(add(), 'max_parallel: 2, '), { input: { list: [1, 2, 3] } });
    expect(output).toEqual(sums(1, 2, 3));
  });

  test('outside a loop', async () => {
    const yaml = 'steps: [{ id: a, call: op.read, with: { o: "${{ steps.a.output }}", s: "${{ steps.a.status }}" } }]';
    expect((await run(yaml)).effects.map((effect) => effect.with)).toEqual([{ o: null, s: 'running' }]);
  });

  test('and reading a field of itself is an error that names the path', async () => {
    const { error } = await run(each('{ id: add, let: { sum: "${{ steps.add.output.sum + n }}" } }'), {
      input: { list: [1] },
    });
    expect(error).toMatchObject({ step: 'add', path: 'each/0/add' });
    expect(error?.code).toMatch(/^expression\./);
  });
});

describe('the examples of docs/workflow-language.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/workflow-language.md'), 'utf8');
  const example = (id: string): string =>
    new RegExp(`^\`\`\`yaml\\n(id: ${id}\\n[\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';

  test('a running sum', async () => {
    const ends = { 'queues/0/depth': { count: 2 }, 'queues/1/depth': { count: 5 }, 'queues/2/depth': { count: 1 } };
    const { status, output } = await run(example('backlog'), { input: { queues: ['a', 'b', 'c'] }, ends });
    expect({ status, output }).toEqual({ status: 'succeeded', output: { sums: [2, 7, 8] } });
  });

  test('a poll that compares with the last answer', async () => {
    const counts = [9, 4, 9, 9, 9];
    const ends = Object.fromEntries(counts.map((count, turn) => [`steady/${turn}/probe`, { count }]));
    const { status, output, effects } = await run(example('settled'), { input: { queue: 'a' }, ends });
    expect({ status, output }).toEqual({ status: 'succeeded', output: { count: 9 } });
    expect(effects).toHaveLength(4);
  });
});

test.each([
  ['one after the other', ''],
  ['some of which fail', 'on_failure: finish, '],
  ['until one fails', 'on_failure: stop, '],
  ['at once', 'max_parallel: 2, on_failure: finish, '],
])('a finished `foreach` holds no values of its items: %s', async (_, more) => {
  const { StepValues } = await import('../../../../src/workflows/steps/step-values.js');
  const held = new Set<string>();
  let most = 0;
  const { enter, leave } = StepValues.prototype;
  vi.spyOn(StepValues.prototype, 'enter').mockImplementation(function (this: object, ...args) {
    held.add(args[0]);
    most = Math.max(most, held.size);
    return enter.apply(this as never, args);
  });
  vi.spyOn(StepValues.prototype, 'leave').mockImplementation(function (this: object, prefix) {
    held.delete(prefix);
    return leave.call(this as never, prefix);
  });
  const bad = more === '' ? '' : '{ id: bad, if: "n in [2, 4, 6]", fail: { code: bad, message: bad } }, ';
  const { status } = await run(each(`${bad}{ id: seen, let: { n: "\${{ n }}" } }`, more), {
    input: { list: [1, 2, 3, 4, 5, 6] },
  });
  vi.restoreAllMocks();
  expect(status).toBe(more === '' ? 'succeeded' : 'failed');
  expect(most).toBe(2);
  expect([...held]).toEqual([]);
});
