import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { retryTask } from '../../src/client/index.js';
import { retryBy } from '../fixtures/caller.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { operation } from '../fixtures/project-folder.js';
import { newRunAfter, startTemporal, type TestServer } from '../fixtures/temporal-server.js';

/** Events after which the server suggests a new run, so that loops continue from one run into the next. */
const EVENTS = 40;

let server: TestServer;
let flows: Flows;

beforeAll(async () => {
  server = await startTemporal({ settings: newRunAfter(EVENTS) });
  flows = await startFlows(
    operation(
      'util.gate',
      'const again = existsSync(input.file); appendFileSync(input.file, "x"); if (!again) process.exit(3);',
      { effects: 'write_additive' },
    ),
    server,
  );
});
afterAll(async () => {
  await flows.project.stop();
  await server.stop();
});

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const sumTo = (n: number) => (n * (n + 1)) / 2;
const SUM = 'steps.add.output == null ? 0 : steps.add.output.sum';
const add = (item: string, more = '') =>
  `{ id: add, ${more}call: util.echo, with: { sum: "\${{ (${SUM}) + ${item} }}" } }`;

/** How many runs a task took. */
async function countRuns(id: string): Promise<number> {
  const { temporal } = flows.project.connection;
  let runId: string | undefined =
    (await temporal.workflow.getHandle(id).describe()).raw.workflowExecutionInfo?.firstRunId ?? undefined;
  let runs = 0;
  for (; runId; runs += 1) {
    const { events } = await temporal.workflow.getHandle(id, runId).fetchHistory();
    runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return runs;
}

describe('across continue-as-new, a step in a loop sees its own last turn', () => {
  test('in a `foreach`, even if it was skipped in between', async () => {
    const result = await flows.run(
      `
steps:
  - id: each
    foreach: input.list
    as: n
    steps:
      - ${add('n', 'if: n % 10 == 1, ')}
      - { id: filled, call: util.echo, with: {} }
  - { id: whole, let: { sums: "\${{ steps.each.output }}" } }
  - id: total
    foreach: input.list
    as: m
    steps: [{ id: sum, let: { sum: "\${{ (steps.sum.output == null ? 0 : steps.sum.output.sum) + m }}" } }, { id: reported, call: util.echo, with: { sum: "\${{ steps.sum.output.sum }}" } }]
output: "\${{ steps.total.output[39] }}"`,
      { list: numbers(40) },
    );
    expect(result).toMatchObject({ status: 'succeeded', output: { sum: sumTo(40) } });
    expect(await countRuns(result.task_key as string)).toBeGreaterThan(3);
  });

  test('in a `foreach` whose sum is its output', async () => {
    const result = await flows.run(
      `
steps:
  - id: each
    foreach: input.list
    as: n
    steps: [${add('n', 'if: n % 10 != 5, ')}, { id: reported, let: { sum: "\${{ ${'steps.add.output == null ? -1 : steps.add.output.sum'} }}" } }]
output: "\${{ steps.each.output.map(item, item.sum) }}"`,
      { list: numbers(30) },
    );
    let sum = 0;
    const sums = numbers(30).map((n) => (n % 10 === 5 ? -1 : (sum += n)));
    expect(result).toMatchObject({ status: 'succeeded', output: sums });
    expect(await countRuns(result.task_key as string)).toBeGreaterThan(2);
  });

  test('in a `repeat`, also inside another loop, where it starts over', async () => {
    const result = await flows.run(
      `
steps:
  - id: each
    foreach: [1, 100]
    as: n
    steps:
      - id: inner
        index: i
        repeat: { until: i == 14, max: 20 }
        steps:
          - { id: before, let: { was: "\${{ ${SUM} }}" } }
          - ${add('n')}
          - { id: both, let: { was: "\${{ steps.before.output.was }}", sum: "\${{ steps.add.output.sum }}" } }
output: "\${{ steps.each.output }}"`,
    );
    expect(result).toMatchObject({
      status: 'succeeded',
      output: [
        { was: 14, sum: 15 },
        { was: 1400, sum: 1500 },
      ],
    });
    expect(await countRuns(result.task_key as string)).toBeGreaterThan(2);
  });

  test('and other steps see the turn before, and the last turn of a finished `repeat`', async () => {
    const result = await flows.run(
      `
steps:
  - id: probing
    index: i
    repeat: { until: i == 2 }
    steps: [{ id: probe, call: util.echo, with: { i: "\${{ i }}" } }]
  - id: each
    foreach: input.list
    as: n
    steps:
      - { id: before, let: { was: "\${{ steps.mine.output == null ? 0 : steps.mine.output.n }}" } }
      - { id: mine, call: util.echo, with: { n: "\${{ n }}" } }
      - { id: both, let: { was: "\${{ steps.before.output.was }}" } }
output: { was: "\${{ steps.each.output.map(item, item.was) }}", probe: "\${{ steps.probe.output }}" }`,
      { list: numbers(30) },
    );
    expect(result).toMatchObject({
      status: 'succeeded',
      output: { was: numbers(30).map((n) => n - 1), probe: { i: 2 } },
    });
    expect(await countRuns(result.task_key as string)).toBeGreaterThan(2);
  });
});

describe('`task retry`', () => {
  const again = async (id: string, from: string | null = null) => {
    const second = await retryTask(flows.project.connection, id, {
      ...retryBy(),
      run: true,
      ...(from !== null && { from }),
    });
    const end = await flows.project.wait(second.id);
    if (end.kind !== 'ended') throw new Error(end.kind);
    return end.result;
  };

  /** The sum is reported after the step that fails at first, so that a repeated addition would count twice. */
  const yaml = `
steps:
  - { id: probing, repeat: { until: "true" }, steps: [{ id: probe, let: { n: 7 } }] }
  - id: each
    foreach: input.list
    as: n
    steps:
      - ${add('n')}
      - { id: gate, if: n == 3, call: util.gate, with: { file: "\${{ input.file }}" } }
      - { id: reported, let: { sum: "\${{ steps.add.output.sum }}" } }
output: { sums: "\${{ steps.each.output.map(item, item.sum) }}", probe: "\${{ steps.probe.output.n }}" }`;

  test('continues in a `foreach` from the last finished turn', async () => {
    const input = { list: numbers(5), file: flows.file('gate') };
    const { id } = await flows.project.create(flows.define(yaml), input);
    const first = await flows.project.wait(id);
    expect(first).toMatchObject({ kind: 'ended', result: { status: 'failed', error: { step: 'gate' } } });
    expect(await again(id)).toMatchObject({ status: 'succeeded', output: { sums: [1, 3, 6, 10, 15], probe: 7 } });
  });

  test('from a step inside the loop repeats the loop from its first turn', async () => {
    const input = { list: numbers(4), file: flows.file('gate-from') };
    const { id } = await flows.project.create(flows.define(yaml), input);
    expect(await flows.project.wait(id)).toMatchObject({ kind: 'ended', result: { status: 'failed' } });
    expect(await again(id, 'add')).toMatchObject({ status: 'succeeded', output: { sums: [1, 3, 6, 10], probe: 7 } });
  });
});

test('a called workflow starts with a first turn each time', async () => {
  const called = flows.define(
    `steps: [{ id: each, foreach: [1, 2, 3], as: n, steps: [${add('n + input.from')}] }]\noutput: "\${{ steps.each.output[2].sum }}"`,
  );
  const calls = `{ id: all, foreach: [0, 10], as: from, steps: [{ id: add, call: ${called}, with: { from: "\${{ from }}" } }] }`;
  expect(await flows.run(`steps: [${calls}]\noutput: "\${{ steps.all.output }}"`)).toMatchObject({ output: [6, 36] });
});

test('a field of a value that is null in the first turn is an error that names the path', async () => {
  const result = await flows.run(
    'steps: [{ id: each, foreach: [1, 2], as: n, steps: [{ id: add, let: { sum: "${{ steps.add.output.sum + n }}" } }] }]',
  );
  expect(result).toMatchObject({ status: 'failed', error: { step: 'add', details: { path: 'each/0/add' } } });
  expect(result.error?.message).toContain('steps.add.output.sum');
});
