import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { type Flows, startFlows, statuses } from '../fixtures/flows.js';
import { operation } from '../fixtures/project-folder.js';
import type { RunningProject } from '../fixtures/running-project.js';

let flows: Flows;
let project: RunningProject;

beforeAll(async () => {
  flows = await startFlows(
    operation(
      'util.flaky',
      'const n = existsSync(input.file) ? Number(readFileSync(input.file, "utf8")) + 1 : 1; writeFileSync(input.file, String(n)); if (n < input.needs) process.exit(1); return { n };',
      { effects: 'write_idempotent' },
    ),
  );
  project = flows.project;
});
afterAll(() => project.stop());

const runSteps = (yaml: string, input: JsonObject = {}): Promise<TaskResult> => flows.run(yaml, input);
const file = (name: string) => flows.file(name);
const lines = (name: string) => flows.lines(name);

describe('verbs', () => {
  test('steps run in order, and each one sees those before it', async () => {
    const result = await runSteps(
      `
steps:
  - { id: a, call: util.echo, with: { n: "\${{ input.n + 1 }}" } }
  - { id: b, call: util.echo, with: { n: "\${{ steps.a.output.n * 2 }}", text: "n is \${{ steps.a.output.n }}" } }
output: "\${{ steps.b.output }}"`,
      { n: 1 },
    );
    expect(result).toMatchObject({ status: 'succeeded', output: { n: 4, text: 'n is 2' } });
  });

  test('parallel returns a map by branch, a group its last output, and let its values', async () => {
    const result = await runSteps(`
steps:
  - id: both
    parallel:
      left: { call: util.echo, with: { side: left } }
      right:
        steps:
          - { id: r1, call: util.echo, with: { side: r1 } }
          - { id: r2, let: { side: "\${{ steps.r1.output.side + '!' }}" } }
output: "\${{ steps.both.output }}"`);
    expect(result.output).toEqual({ left: { side: 'left' }, right: { side: 'r1!' } });
    expect(statuses(result)).toEqual({
      both: 'succeeded',
      'both/left': 'succeeded',
      'both/right': 'succeeded',
      'both/right/r1': 'succeeded',
      'both/right/r2': 'succeeded',
    });
  });

  test('branches run concurrently', async () => {
    const branch = '{ call: util.slow, with: { ms: 700 } }';
    const result = await runSteps(`steps: [{ id: p, parallel: { a: ${branch}, b: ${branch}, c: ${branch} } }]`);
    const longest = Math.max(...result.steps.slice(1).map(({ duration_ms }) => duration_ms ?? 0));
    expect(result.steps[0]?.duration_ms).toBeLessThan(longest * 2);
  });

  test('fail reports its code as written, with the innermost step and its path', async () => {
    const result = await runSteps(
      `
steps:
  - id: g
    steps:
      - id: stop
        if: input.n > 20
        fail: { code: too_many, message: "At most 20, not \${{ input.n }}", details: { n: "\${{ input.n }}" } }
  - { id: never, call: util.echo, with: {} }`,
      { n: 21 },
    );
    expect(result).toMatchObject({
      status: 'failed',
      output: null,
      error: { code: 'too_many', message: 'At most 20, not 21', step: 'stop', details: { n: 21, path: 'g/stop' } },
    });
    expect(statuses(result)).toEqual({ g: 'failed', 'g/stop': 'failed', never: 'skipped' });
  });

  test('end is an early success, after finally', async () => {
    const result = await runSteps(`
steps:
  - { id: g, steps: [{ id: stop, end: { output: { done: early } } }] }
  - { id: never, call: util.echo, with: {} }
finally: [{ id: bye, call: util.note, with: { file: ${file('end.txt')}, text: "\${{ task.status }}" } }]`);
    expect(result).toMatchObject({ status: 'succeeded', output: { done: 'early' }, cleanup_ran: true });
    expect(statuses(result).never).toBe('skipped');
    expect(lines('end.txt')).toEqual(['succeeded']);
  });
});

describe('modifiers', () => {
  test('a step whose condition is false is skipped, with a null output', async () => {
    const result = await runSteps(`
steps:
  - { id: a, if: "1 > 2", call: util.echo, with: {} }
output: { status: "\${{ steps.a.status }}", output: "\${{ steps.a.output }}" }`);
    expect(result.output).toEqual({ status: 'skipped', output: null });
  });

  test('continue_on_error lets the task continue and keeps the error readable', async () => {
    const result = await runSteps(`
steps:
  - { id: a, call: util.fail, with: { why: because }, continue_on_error: true }
output: { status: "\${{ steps.a.status }}", code: "\${{ steps.a.error.code }}" }`);
    expect(result).toMatchObject({ status: 'succeeded', output: { status: 'failed', code: 'script.exit' } });
  });

  test('retry tries an idempotent call again, and reports the number of attempts', async () => {
    const result = await runSteps(`
steps:
  - id: a
    call: util.flaky
    with: { file: ${file('flaky.txt')}, needs: 3 }
    retry: { attempts: 4, first: 50ms, factor: 1 }
output: "\${{ steps.a.output.n }}"`);
    expect(result.output).toBe(3);
    expect(result.steps[0]?.attempts).toBe(3);
  });

  test('retry with errors retries only those', async () => {
    const result = await runSteps(`
steps:
  - id: a
    call: util.flaky
    with: { file: ${file('picky.txt')}, needs: 2 }
    retry: { attempts: 4, first: 50ms, errors: [unavailable] }`);
    expect(result).toMatchObject({ status: 'failed', steps: [{ attempts: 1 }] });
  });

  test('an additive call gets one attempt', async () => {
    const result = await runSteps('steps: [{ id: a, call: util.fail, with: {} }]');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.exit' }, steps: [{ attempts: 1 }] });
  });

  test('a group is tried again as a whole', async () => {
    const result = await runSteps(`
steps:
  - id: g
    retry: { attempts: 3, first: 50ms }
    steps:
      - { id: note, call: util.note, with: { file: ${file('group.txt')}, text: turn } }
      - { id: a, call: util.flaky, with: { file: ${file('gflaky.txt')}, needs: 2 }, retry: { attempts: 1 } }`);
    expect(result.status).toBe('succeeded');
    expect(lines('group.txt')).toEqual(['turn', 'turn']);
    expect(result.steps[0]?.attempts).toBe(2);
  });

  test('a step that takes too long is timeout.step, and the task fails', async () => {
    const result = await runSteps('steps: [{ id: a, call: util.slow, with: { ms: 30000 }, timeout: 600ms }]');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'timeout.step', step: 'a' } });
    expect(statuses(result).a).toBe('timed_out');
  });

  test('a group that takes too long cancels its calls', async () => {
    const result = await runSteps(
      `
steps:
  - id: g
    timeout: \${{ input.limit }}
    steps: [{ id: a, call: util.slow, with: { ms: 30000 } }]`,
      { limit: '600ms' },
    );
    expect(result).toMatchObject({ status: 'failed', error: { code: 'timeout.step', step: 'g' } });
    expect(statuses(result)).toEqual({ g: 'timed_out', 'g/a': 'cancelled' });
  });

  test('a task that works too long is timed_out, after its finally', async () => {
    const result = await runSteps(`
timeout: 1s
steps: [{ id: a, call: util.slow, with: { ms: 30000 } }]
finally: [{ id: bye, call: util.note, with: { file: ${file('late.txt')}, text: "\${{ task.error.code }}" } }]`);
    expect(result).toMatchObject({ status: 'timed_out', error: { code: 'timeout.task' } });
    expect(lines('late.txt')).toEqual(['timeout.task']);
  });
});

describe('finally', () => {
  test('runs after a failure and sees how the steps ended', async () => {
    const result = await runSteps(`
steps: [{ id: a, call: util.fail, with: {} }]
finally:
  - { id: bye, call: util.note, with: { file: ${file('f1.txt')}, text: "\${{ steps.a.status }} \${{ task.status }}" } }`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.exit' }, cleanup_ran: true });
    expect(lines('f1.txt')).toEqual(['failed failed']);
  });

  test('each clean-up step runs whatever happens to the others; a failure in it fails a successful task', async () => {
    const result = await runSteps(`
steps: [{ id: a, let: { x: 1 } }]
finally:
  - { id: one, call: util.fail, with: { why: broken } }
  - { id: two, call: util.note, with: { file: ${file('f2.txt')}, text: ran } }`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.exit', step: 'one' } });
    expect(lines('f2.txt')).toEqual(['ran']);
  });

  test('a failure in it after another failure is a warning', async () => {
    const result = await runSteps(`
steps: [{ id: a, fail: { code: mine, message: first } }]
finally: [{ id: one, call: util.fail, with: { why: broken } }]`);
    expect(result.error?.code).toBe('mine');
    expect(result.warnings.join()).toMatch(/Clean-up: \w+: script\.exit/);
  });

  test('also works on groups', async () => {
    const result = await runSteps(`
steps:
  - id: g
    steps: [{ id: a, call: util.fail, with: {} }]
    finally: [{ id: tidy, call: util.note, with: { file: ${file('f3.txt')}, text: tidy } }]
    continue_on_error: true
  - { id: b, let: { x: "\${{ steps.g.status }}" } }
output: "\${{ steps.b.output.x }}"`);
    expect(result).toMatchObject({ status: 'succeeded', output: 'failed' });
    expect(lines('f3.txt')).toEqual(['tidy']);
  });
});

describe('a branch that fails', () => {
  test('lets running calls end, starts nothing new, and is the reported error', async () => {
    const result = await runSteps(`
steps:
  - id: p
    parallel:
      bad: { steps: [{ id: b1, call: util.slow, with: { ms: 300 } }, { id: b2, fail: { code: bad, message: no } }] }
      good:
        steps:
          - { id: g1, call: util.slow, with: { ms: 1500 } }
          - { id: g2, call: util.note, with: { file: ${file('never.txt')}, text: x } }
      asks: { approval: { title: Well? } }`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'bad', step: 'b2' } });
    expect(statuses(result)).toMatchObject({
      'p/good/g1': 'succeeded',
      'p/good/g2': 'skipped',
      'p/good': 'cancelled',
      'p/asks': 'cancelled',
    });
    expect(lines('never.txt')).toEqual([]);
    expect(result.approvals).toMatchObject([{ status: 'cancelled' }]);
  });

  test('end in a branch ends the task', async () => {
    const result = await runSteps(`
steps:
  - id: p
    parallel:
      quick: { end: { output: quick } }
      asks: { approval: { title: Well? } }
  - { id: never, let: { x: 1 } }`);
    expect(result).toMatchObject({ status: 'succeeded', output: 'quick' });
  });
});

describe('expressions', () => {
  test('a missing key fails the step with the path', async () => {
    const result = await runSteps('steps: [{ id: a, let: { x: "${{ input.nothing.here }}" } }]');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'expression.failed', step: 'a' } });
    expect(result.error?.message).toMatch(/input\.nothing/);
  });

  test('environment and task have all their fields; now and uuid come from the workflow', async () => {
    const result = await runSteps(`
steps: [{ id: a, let: { id: "\${{ uuid() }}", later: "\${{ now() > timestamp('2020-01-01T00:00:00Z') }}" } }]
output:
  a: "\${{ steps.a.output }}"
  env: "\${{ environment }}"
  key: "\${{ task.key }}"`);
    expect(result.output).toMatchObject({
      a: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), later: true },
      env: { name: 'dev', protected: false, vars: {} },
      key: result.task_key,
    });
  });

  test('all steps together are a value like any other', async () => {
    const result = await runSteps(`
steps: [{ id: a, let: { x: 1 } }, { id: all, let: { s: "\${{ steps }}" } }, { id: again, call: util.echo, with: "\${{ steps.all.output.s.a.output }}" }]
output: "\${{ steps.again.output }}"`);
    expect(result).toMatchObject({ status: 'succeeded', output: { x: 1 } });
  });
});

test('an output that breaks the contract fails the task, after its clean-up', async () => {
  const result = await runSteps(`
output_schema: { type: object, required: [n] }
steps: [{ id: a, let: { x: 1 } }]
finally: [{ id: bye, call: util.note, with: { file: ${file('out.txt')}, text: bye } }]
output: { m: 1 }`);
  expect(result).toMatchObject({
    status: 'failed',
    output: null,
    error: { code: 'output.invalid', details: { output: { m: 1 } } },
  });
  expect(lines('out.txt')).toEqual(['bye']);
});
