import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelTask, decide, viewTask } from '../../src/client/index.js';
import { type Flows, startFlows, statuses } from '../fixtures/flows.js';

let flows: Flows;

beforeAll(async () => {
  flows = await startFlows();
});
afterAll(() => flows.project.stop());

const signal = (id: string, name: string, payload?: unknown) =>
  flows.project.connection.temporal.workflow.getHandle(id).signal(name, ...(payload === undefined ? [] : [payload]));
const ended = async (id: string) => {
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};
const untilWaiting = (id: string, path: string) =>
  expect
    .poll(async () => (await viewTask(flows.project.connection, id)).view?.progress[path]?.status, { timeout: 20_000 })
    .toBe('waiting');

describe('race', () => {
  test('the first branch to end wins, and the others are cancelled', async () => {
    const started = performance.now();
    const result = await flows.run(`
steps:
  - id: first
    race:
      slow: { call: util.slow, with: { ms: 30000 } }
      quick: { steps: [{ id: pause, wait: 100ms }, { id: noted, let: { text: quick } }] }
output: "\${{ steps.first.output }}"`);
    expect(result).toMatchObject({ status: 'succeeded', output: { winner: 'quick', output: { text: 'quick' } } });
    expect(statuses(result)).toMatchObject({ 'first/slow': 'cancelled', 'first/quick': 'succeeded' });
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test('fails if a failure comes first', async () => {
    const result = await flows.run(`
steps:
  - id: first
    race: { bad: { call: util.fail, with: {} }, ask: { approval: { title: Go on? } } }`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.exit', step: 'bad' } });
    expect(result.approvals).toMatchObject([{ status: 'cancelled' }]);
  });

  test('between an approval and a timer', async () => {
    const yaml = `
steps:
  - id: first
    race:
      human: { approval: { title: Go on? } }
      auto: { steps: [{ id: pause, wait: 60s }] }
output: "\${{ steps.first.output.winner }}"`;
    const { id } = await flows.project.create(flows.define(yaml));
    await untilWaiting(id, 'first/human');
    await decide(flows.project.connection, id, 'approve', { by: 'tester' });
    expect(await ended(id)).toMatchObject({ status: 'succeeded', output: 'human' });
  });
});

describe('wait', () => {
  test('for a time does not count as working time', async () => {
    const result = await flows.run(`
timeout: 1s
steps: [{ id: w, wait: "\${{ string(1) }}500ms" }, { id: e, call: util.echo, with: { a: 1 } }]
output: "\${{ steps.e.output }}"`);
    expect(result).toMatchObject({ status: 'succeeded', output: { a: 1 } });
  });

  test('until a moment, and not at all for a moment in the past', async () => {
    const result = await flows.run(`
steps:
  - { id: past, wait: { until: 'timestamp("2020-01-01T00:00:00Z")' } }
  - { id: soon, wait: { until: 'now() + duration("1s")' } }`);
    expect(result).toMatchObject({ status: 'succeeded', error: null });
    expect(result.steps[0]?.duration_ms).toBe(0);
    expect(result.steps[1]?.duration_ms).toBeGreaterThan(900);
  });

  test('until a condition is met by another branch', async () => {
    const result = await flows.run(`
steps:
  - id: p
    parallel:
      waits: { steps: [{ id: w, wait: { until: steps.brings.status == "succeeded" } }, { id: after, let: { n: "\${{ steps.brings.output.slept }}" } }] }
      brings: { call: util.slow, with: { ms: 300 } }
output: "\${{ steps.p.output.waits }}"`);
    expect(result).toMatchObject({ status: 'succeeded', output: { n: 300 } });
  });

  test('for an expression that is not a condition fails', async () => {
    const result = await flows.run('steps: [{ id: w, wait: { until: input.n } }]', { n: 3 });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'expression.not_boolean', step: 'w' } });
  });

  test('for a signal returns its payload; an earlier signal is kept, and others stay for other waits', async () => {
    const yaml = `
steps:
  - { id: start, wait: { signal: start } }
  - { id: good, wait: { signal: build_done, if: signal.ok } }
  - { id: bad, wait: { signal: build_done, if: "!signal.ok" } }
output: { good: "\${{ steps.good.output.n }}", bad: "\${{ steps.bad.output.n }}" }`;
    const { id } = await flows.project.create(flows.define(yaml));
    await signal(id, 'build_done', { ok: false, n: 1 });
    await signal(id, 'build_done', { ok: true, n: 2 });
    await signal(id, 'unexpected');
    await signal(id, 'start');
    const result = await ended(id);
    expect(result).toMatchObject({ status: 'succeeded', output: { good: 2, bad: 1 } });
    expect(result.warnings).toEqual([expect.stringMatching(/unexpected was ignored.*start, build_done/)]);
  });

  test('for a signal that does not arrive in time fails as timeout.signal', async () => {
    const result = await flows.run('steps: [{ id: w, wait: { signal: never, timeout: 300ms } }]');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'timeout.signal', step: 'w' } });
    expect(result.error?.suggestion).toMatch(/ability task signal .* never/);
  });

  test('ends when the task is cancelled', async () => {
    const { id } = await flows.project.create(flows.define('steps: [{ id: w, wait: { signal: never } }]'));
    await untilWaiting(id, 'w');
    await cancelTask(flows.project.connection, id);
    expect(await ended(id)).toMatchObject({ status: 'cancelled' });
  });

  test('for a built-in signal is refused', async () => {
    const id = flows.define('steps: [{ id: w, wait: { signal: approve } }]');
    await expect(flows.project.create(id)).rejects.toMatchObject({ code: 'definition.invalid' });
  });
});

describe('pause', () => {
  test('lets running calls end and starts nothing new until it is resumed', async () => {
    const yaml = `
steps:
  - { id: slow, call: util.slow, with: { ms: 800 } }
  - { id: next, call: util.echo, with: { a: 1 } }`;
    const { id } = await flows.project.create(flows.define(yaml));
    await expect
      .poll(async () => (await viewTask(flows.project.connection, id)).view?.progress.slow?.status, { timeout: 20_000 })
      .toBe('running');
    await signal(id, 'pause');
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const { view } = await viewTask(flows.project.connection, id);
    expect(view).toMatchObject({ paused: true, progress: { slow: { status: 'succeeded' } } });
    expect(view?.progress.next).toBeUndefined();
    await signal(id, 'resume');
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
  });
});

describe('the fields of an approval', () => {
  const yaml = `
steps:
  - id: ask
    approval: { title: Ticket?, comment: required, fields: { ticket: { type: string }, size: { type: integer, enum: [1, 2], optional: true } } }
output: "\${{ steps.ask.output.fields }}"`;

  test('must be filled in as declared', async () => {
    const { id } = await flows.project.create(flows.define(yaml));
    await untilWaiting(id, 'ask');
    const { connection } = flows.project;
    const decision = { by: 'tester', comment: 'fine' };
    for (const [fields, reason] of [
      [{}, /needs the field ticket/],
      [{ ticket: 3 }, /ticket must be of the type string/],
      [{ ticket: 'T-1', size: 5 }, /size must be one of 1, 2/],
      [{ ticket: 'T-1', other: 1 }, /no field other/],
    ] as const) {
      const error = await decide(connection, id, 'approve', { ...decision, fields }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'approval.ignored', message: expect.stringMatching(reason) });
    }
    await decide(connection, id, 'approve', { ...decision, fields: { ticket: 'T-1', size: 2 } });
    expect(await ended(id)).toMatchObject({ status: 'succeeded', output: { ticket: 'T-1', size: 2 } });
  });
});
