import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Flows, startFlows, statuses } from '../fixtures/flows.js';

let flows: Flows;

beforeAll(async () => {
  flows = await startFlows();
});
afterAll(() => flows.project.stop());

describe('foreach', () => {
  test('gives each item its last output, in the order of the list', async () => {
    const result = await flows.run(
      `
steps:
  - id: all
    foreach: input.names
    as: name
    index: i
    steps:
      - { id: first, call: util.echo, with: { text: "\${{ name }}" } }
      - { id: second, let: { text: "\${{ steps.first.output.text + string(i) }}" } }
output: "\${{ steps.all.output }}"`,
      { names: ['a', 'b', 'c'] },
    );
    expect(result).toMatchObject({ status: 'succeeded', output: [{ text: 'a0' }, { text: 'b1' }, { text: 'c2' }] });
    expect(result.steps).toMatchObject([
      { path: 'all', status: 'succeeded' },
      { path: 'all/*/first', status: 'succeeded', turns: 3, attempts: 3 },
      { path: 'all/*/second', status: 'succeeded', turns: 3 },
    ]);
  });

  test('accepts a literal list, and an empty one', async () => {
    const yaml = (list: string) =>
      `steps: [{ id: all, foreach: ${list}, as: x, steps: [{ id: a, let: { x: "\${{ x }}" } }] }]\noutput: "\${{ steps.all.output }}"`;
    expect((await flows.run(yaml('[eu, { deep: "${{ 1 + 1 }}" }]'))).output).toEqual([{ x: 'eu' }, { x: { deep: 2 } }]);
    expect((await flows.run(yaml('[]'))).output).toEqual([]);
  });

  test('sequential turns see the turn before; parallel turns see only their own', async () => {
    const yaml = (most: number) => `
steps:
  - id: all
    foreach: [1, 2, 3]
    as: n
    max_parallel: ${most}
    steps:
      - id: before
        let: { seen: "\${{ steps.mine.status == 'succeeded' ? steps.mine.output.n : 0 }}" }
      - { id: mine, call: util.echo, with: { n: "\${{ n }}" } }
      - { id: both, let: { seen: "\${{ steps.before.output.seen }}", own: "\${{ steps.mine.output.n }}" } }
output: "\${{ steps.all.output }}"`;
    expect((await flows.run(yaml(1))).output).toEqual([
      { seen: 0, own: 1 },
      { seen: 1, own: 2 },
      { seen: 2, own: 3 },
    ]);
    expect((await flows.run(yaml(3))).output).toEqual([1, 2, 3].map((own) => ({ seen: 0, own })));
  });

  test('runs only a limited number at once, which may be an expression', async () => {
    const result = await flows.run(
      `
steps:
  - id: all
    foreach: input.items
    as: n
    max_parallel: "\${{ input.most }}"
    steps: [{ id: slow, call: util.slow, with: { ms: 500 } }]`,
      { items: [1, 2, 3, 4], most: 2 },
    );
    expect(result.status).toBe('succeeded');
    const took = result.steps[0]?.duration_ms as number;
    expect(took).toBeGreaterThan(1000);
    const { task_key } = result;
    const history = await flows.project.connection.temporal.workflow.getHandle(task_key as string).fetchHistory();
    let open = 0;
    let most = 0;
    for (const event of history.events ?? []) {
      if (event.activityTaskScheduledEventAttributes) open += 1;
      if (event.activityTaskCompletedEventAttributes) open -= 1;
      most = Math.max(most, open);
    }
    expect(most).toBe(2);
  });

  const failing = (more: string) => `
steps:
  - id: all
    foreach: [1, 2, 3]
    as: n
    ${more}
    steps:
      - { id: bad, if: n == 1, call: util.fail, with: {} }
      - { id: noted, call: util.note, with: { file: "\${{ input.file }}", text: "\${{ string(n) }}" } }`;

  test('starts nothing new once an item has failed, unless it is set to finish', async () => {
    const stopped = await flows.run(failing(''), { file: flows.file('stopped') });
    expect(stopped).toMatchObject({ status: 'failed', error: { code: 'script.exit', step: 'bad' } });
    expect(flows.lines('stopped')).toEqual([]);
    const finished = await flows.run(failing('on_failure: finish'), { file: flows.file('finished') });
    expect(finished).toMatchObject({ status: 'failed', error: { code: 'script.exit', step: 'bad' } });
    expect(flows.lines('finished')).toEqual(['2', '3']);
  });

  test('`cancel` ends the calls of other items as well', async () => {
    const started = performance.now();
    const result = await flows.run(`
steps:
  - id: all
    foreach: [1, 2]
    as: n
    max_parallel: 2
    on_failure: cancel
    steps:
      - { id: slow, if: n == 2, call: util.slow, with: { ms: 30000 } }
      - { id: bad, if: n == 1, call: util.fail, with: {} }`);
    expect(result).toMatchObject({ status: 'failed', error: { step: 'bad' } });
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test('over something that is not a list fails, and reports this', async () => {
    const result = await flows.run('steps: [{ id: all, foreach: input.x, as: x, steps: [{ id: a, let: {} }] }]', {
      x: 'text',
    });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'expression.not_list', step: 'all' } });
  });
});

describe('repeat', () => {
  test('runs until its condition holds, and its last turn can be read afterwards', async () => {
    const result = await flows.run(
      `
steps:
  - id: ready
    repeat: { until: steps.probe.output.n >= 3, every: 10ms, max: 10 }
    index: turn
    steps:
      - { id: probe, call: util.count, with: { file: "\${{ input.file }}" } }
      - { id: reported, let: { turn: "\${{ turn }}" } }
output: { last: "\${{ steps.ready.output }}", n: "\${{ steps.probe.output.n }}" }`,
      { file: flows.file('probe') },
    );
    expect(result).toMatchObject({ status: 'succeeded', output: { last: { turn: 2 }, n: 3 } });
    expect(result.steps[1]).toMatchObject({ path: 'ready/*/probe', turns: 3, attempts: 3 });
  });

  test('whose condition never holds is repeat.exhausted', async () => {
    const result = await flows.run(
      'steps: [{ id: never, repeat: { until: "false", max: 2 }, steps: [{ id: a, let: {} }] }]',
    );
    expect(result).toMatchObject({ status: 'failed', error: { code: 'repeat.exhausted', step: 'never' } });
  });
});

describe('switch', () => {
  const yaml = `
steps:
  - id: pick
    switch:
      - if: input.n > 20
        steps: [{ id: many, let: { size: many } }]
      - if: input.n > 10
        steps: [{ id: some, let: { size: some } }]
ELSE
output: "\${{ steps.pick.output }}"`;

  test('runs the first case that holds; the others are skipped', async () => {
    const result = await flows.run(yaml.replace('ELSE', '      - else: [{ id: few, let: { size: few } }]'), { n: 30 });
    expect(result).toMatchObject({ status: 'succeeded', output: { size: 'many' } });
    expect(statuses(result)).toEqual({
      pick: 'succeeded',
      'pick/many': 'succeeded',
      'pick/some': 'skipped',
      'pick/few': 'skipped',
    });
    const other = await flows.run(yaml.replace('ELSE', '      - else: [{ id: few, let: { size: few } }]'), { n: 1 });
    expect(other.output).toEqual({ size: 'few' });
  });

  test('nested steps in a case not taken, or under a false `if`, are skipped as well', async () => {
    const result = await flows.run(
      `
steps:
  - id: pick
    switch:
      - if: input.n > 1
        steps: [{ id: group, steps: [{ id: deep, let: {} }] }]
  - { id: other, if: "false", steps: [{ id: inner, let: {} }] }
output: ["\${{ steps.deep.status }}", "\${{ steps.inner.status }}"]`,
      { n: 1 },
    );
    expect(result).toMatchObject({ status: 'succeeded', output: ['skipped', 'skipped'] });
  });

  test('without a match yields null', async () => {
    expect(await flows.run(yaml.replace('ELSE', ''), { n: 1 })).toMatchObject({ status: 'succeeded', output: null });
  });
});

describe('the limit of calls', () => {
  test('ends a task that makes more', async () => {
    const result = await flows.run(`
limits: { max_calls: 2 }
steps: [{ id: all, foreach: [1, 2, 3], as: n, steps: [{ id: a, call: util.echo, with: {} }] }]`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'limit.max_calls', step: 'a' } });
    expect(result.steps[1]).toMatchObject({ turns: 3, attempts: 2 });
  });
});
