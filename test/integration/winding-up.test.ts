import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, retryTask } from '../../src/client/index.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { retryBy } from '../fixtures/caller.js';
import { LONG } from '../fixtures/extent.js';
import { type Flows, startFlows, statuses } from '../fixtures/flows.js';
import { shellOperation } from '../fixtures/project-folder.js';
import { newRunAfter, startTemporal, type TestServer } from '../fixtures/temporal-server.js';

/** Number of events after which the server requests a new run. */
const EVENTS = 40;

/** Arguments: its duration in milliseconds, whether it fails, `--`, a file, and a final text. */
const ADD = `
printf '%s\\n' "$5" >> "$4"
if [ "$1" != 0 ]; then sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))"; fi
if [ "$2" = true ]; then printf '%s' "$5" >&2; exit 3; fi
printf '%s' "$5"`;

let server: TestServer;
let flows: Flows;

beforeAll(async () => {
  server = await startTemporal({ settings: newRunAfter(EVENTS) });
  flows = await startFlows(
    shellOperation('util.add', ADD, {
      effects: 'write_additive',
      args: [
        '"${{ has(input.ms) ? input.ms : 0 }}"',
        '"${{ has(input.bad) && input.bad }}"',
        '"--"',
        '"${{ input.file }}"',
        '"${{ input.text }}"',
      ],
      output: 'text',
    }),
    server,
  );
});
afterAll(async () => {
  await flows.project.stop();
  await server.stop();
});

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
/** An additive call that appends a text to the file of the task. */
const add = (id: string, text: string, more = '') =>
  `{ id: ${id}, call: util.add, with: { file: "\${{ input.file }}", text: "${text}"${more} } }`;
const item = (bad: string, more = '') => add('added', '${{ string(n) }}', `, bad: "\${{ ${bad} }}"${more}`);
/** Steps that make a history long. */
const busy = (id: string, count: number) =>
  `{ id: ${id}, foreach: [${numbers(count)}], as: k, steps: [{ id: ${id}_call, call: util.echo, with: {} }] }`;

let files = 0;
interface Ended {
  result: TaskResult;
  lines: string[];
  runs: number;
}

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

/** Runs a workflow to its end. @param during what happens to it meanwhile. */
async function run(
  yaml: string,
  during: (id: string, lines: () => string[]) => Promise<void> = async () => {},
): Promise<Ended & { id: string }> {
  files += 1;
  const name = `lines-${files}`;
  const { id } = await flows.project.create(flows.define(yaml), { file: flows.file(name) });
  await during(id, () => flows.lines(name));
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return { id, result: end.result, lines: flows.lines(name), runs: await countRuns(id) };
}

const sorted = (lines: readonly string[]) => [...lines].map(Number).sort((a, b) => a - b);

describe('`on_failure: finish` over continue-as-new', () => {
  test('a `foreach` runs every item once and reports the first failure', LONG, async () => {
    const { result, lines, runs } = await run(
      `steps: [{ id: each, foreach: [${numbers(30)}], as: n, on_failure: finish, steps: [${item('n == 2 || n == 20')}] }]`,
    );
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'script.exit', step: 'added', details: { path: 'each/2/added' } },
    });
    expect(lines).toEqual(numbers(30).map(String));
    expect(runs).toBeGreaterThan(2);
  });

  test('parallel items: of several failures the earliest is reported', LONG, async () => {
    const { result, lines, runs } = await run(
      `steps: [{ id: each, foreach: [${numbers(40)}], as: n, max_parallel: 4, on_failure: finish, steps: [${item('n < 2 || n > 30', ', ms: "${{ n == 0 ? 1500 : 0 }}"')}] }]`,
    );
    expect(result).toMatchObject({ status: 'failed', error: { details: { path: 'each/1/added' } } });
    expect(sorted(lines)).toEqual(numbers(40));
    expect(runs).toBeGreaterThan(2);
  });

  test('a `parallel` does not repeat the failed branch, even in an item of a loop', LONG, async () => {
    const { result, lines, runs } = await run(`
steps:
  - id: each
    foreach: [a]
    as: letter
    steps:
      - id: p
        on_failure: finish
        parallel:
          bad: ${add('bad', 'bad', ', bad: true').replace('id: bad, ', '')}
          good: { steps: [${busy('fills', 20)}, ${add('after', '${{ steps.bad.status }}')}] }
        continue_on_error: true
      - ${add('last', '${{ steps.p.status }}')}`);
    expect(result.status).toBe('succeeded');
    expect(lines).toEqual(['bad', 'failed', 'failed']);
    expect(runs).toBeGreaterThan(1);
  });

  test('is tried again as a whole by a group, and each attempt runs every item once', LONG, async () => {
    const { result, lines, runs } = await run(`
steps:
  - id: tried
    retry: { attempts: 2, first: 0s }
    steps: [{ id: each, foreach: [${numbers(20)}], as: n, on_failure: finish, steps: [${item('n == 3')}] }]`);
    expect(result).toMatchObject({ status: 'failed', error: { details: { path: 'tried/each/3/added' } } });
    expect(lines).toEqual([...numbers(20), ...numbers(20)].map(String));
    expect(runs).toBeGreaterThan(2);
  });

  test('the item after a failed one sees the last completed item, wherever a new run begins', LONG, async () => {
    const { result, lines, runs } = await run(`
steps:
  - id: each
    foreach: [${numbers(30)}]
    as: n
    on_failure: finish
    steps:
      - ${add('before', '${{ steps.after.output == null ? \\"none\\" : string(steps.after.output.n) }}')}
      - { id: wrong, if: n % 2 == 1, fail: { code: odd, message: odd } }
      - { id: after, let: { n: "\${{ n }}" } }`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'odd', details: { path: 'each/1/wrong' } } });
    expect(lines).toEqual(numbers(30).map((n) => (n === 0 ? 'none' : String(n % 2 === 0 ? n - 2 : n - 1))));
    expect(runs).toBeGreaterThan(2);
  });

  test('continues after a pause', LONG, async () => {
    const { result, lines, runs } = await run(
      `steps: [{ id: each, foreach: [${numbers(24)}], as: n, on_failure: finish, steps: [${item('n == 2')}] }]`,
      async (id, currentLines) => {
        const { temporal } = flows.project.connection;
        await expect.poll(() => currentLines().length, { timeout: 30_000 }).toBeGreaterThan(8);
        await temporal.workflow.getHandle(id).signal('pause');
        await new Promise((resolve) => setTimeout(resolve, 1500));
        const before = currentLines().length;
        await new Promise((resolve) => setTimeout(resolve, 500));
        expect(currentLines()).toHaveLength(before);
        await temporal.workflow.getHandle(id).signal('resume');
      },
    );
    expect(result).toMatchObject({ status: 'failed', error: { details: { path: 'each/2/added' } } });
    expect(lines).toEqual(numbers(24).map(String));
    expect(runs).toBeGreaterThan(1);
  });

  test('`task retry` repeats only the failed items', async () => {
    const { id, lines } = await run(
      `steps: [{ id: each, foreach: [${numbers(20)}], as: n, on_failure: finish, steps: [${item('n == 2 || n == 15')}] }]`,
    );
    const second = await retryTask(flows.project.connection, id, { ...retryBy(), run: true });
    expect(await flows.project.wait(second.id)).toMatchObject({ kind: 'ended', result: { status: 'failed' } });
    expect(flows.lines(`lines-${files}`)).toEqual([...lines, '2', '15']);
  });
});

describe('what failed is not repeated over continue-as-new', () => {
  test('`continue_on_error` inside a loop', LONG, async () => {
    const step = item('n % 3 == 0').replace('{ id', '{ continue_on_error: true, id');
    const { result, lines, runs } = await run(
      `steps: [{ id: each, foreach: [${numbers(24)}], as: n, steps: [${step}, { id: filled, call: util.echo, with: {} }] }]`,
    );
    expect(result.status).toBe('succeeded');
    expect(lines).toEqual(numbers(24).map(String));
    expect(runs).toBeGreaterThan(2);
  });

  test('`on_error` of a step, whose handler sees what was done before the failure', LONG, async () => {
    const { result, lines, runs } = await run(`
steps:
  - id: each
    foreach: [a, b]
    as: letter
    steps:
      - id: tried
        steps: [{ id: first, let: { letter: "\${{ letter }}" } }, ${add('bad', 'bad ${{ letter }}', ', bad: true')}]
        on_error:
          - steps: [${busy('fills', 20)}, ${add('reported', '${{ steps.first.output.letter }} ${{ steps.tried.status }} ${{ steps.tried.error.code }}')}]`);
    expect(result.status).toBe('succeeded');
    expect(lines).toEqual(['bad a', 'a running script.exit', 'bad b', 'b running script.exit']);
    expect(runs).toBeGreaterThan(2);
  });

  test('`on_error` of the workflow', LONG, async () => {
    const { result, lines, runs } = await run(`
steps:
  - { id: probing, repeat: { until: "true" }, steps: [${add('probe', 'probe')}] }
  - ${add('bad', 'bad', ', bad: true')}
  - ${add('never', 'never')}
on_error:
  - steps:
      - { id: each, foreach: [${numbers(20)}], as: n, steps: [${item('false')}] }
      - ${add('reported', '${{ steps.probe.output.text }} ${{ steps.bad.status }} ${{ task.error.step }}')}
    output: "\${{ steps.reported.output.text }}"`);
    expect(result).toMatchObject({ status: 'succeeded', output: 'probe failed bad' });
    expect(lines).toEqual(['probe', 'bad', ...numbers(20).map(String), 'probe failed bad']);
    expect(runs).toBeGreaterThan(2);
  });

  test('`on_error` of the workflow that rethrows', LONG, async () => {
    const { result, lines } = await run(`
steps: [${add('bad', 'bad', ', bad: true')}]
on_error: [{ steps: [${busy('fills', 20)}], rethrow: true }]
finally: [${add('clean', 'clean')}]`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.exit', step: 'bad' }, cleanup_ran: true });
    expect(lines).toEqual(['bad', 'clean']);
  });
});

/** A branch of many calls with a clean-up, next to a call that outlasts them while the run winds up. */
const beside = (last: string, more = '') => `
steps:
  - id: p${more}
    parallel:
      long: { steps: [${busy('fills', 200)}], finally: [${add('released', 'released')}] }
      asks: { approval: { title: Go on? } }
      other: ${last}`;
const late = (more: string) => `{ steps: [${add('slow', 'slow', `, ms: 5000${more}`)}] }`;

describe('a decisive event while a run winds up has its usual effect', () => {
  test('a failure: the parallel branch is cleaned up, and its approval is closed', LONG, async () => {
    const { result, lines, runs } = await run(beside(late(', bad: true')));
    expect(result).toMatchObject({ status: 'failed', error: { step: 'slow' }, approvals: [{ status: 'cancelled' }] });
    expect(statuses(result)).toMatchObject({
      'p/long': 'cancelled',
      'p/long/fills': 'cancelled',
      'p/asks': 'cancelled',
    });
    expect(lines).toEqual(['slow', 'released']);
    expect(runs).toBe(1);
  });

  test('a failure with `on_failure: cancel`', LONG, async () => {
    const { result, lines } = await run(beside(late(', bad: true'), '\n    on_failure: cancel'));
    expect(result).toMatchObject({ status: 'failed', error: { step: 'slow' }, approvals: [{ status: 'cancelled' }] });
    expect(lines).toEqual(['slow', 'released']);
  });

  test('the end of the task', LONG, async () => {
    const yaml = beside(`{ steps: [${add('slow', 'slow', ', ms: 5000')}, { id: stop, end: { output: early } }] }`);
    const { result, lines, runs } = await run(yaml);
    // The `end` comes after a gate, and so in the next run.
    expect(runs).toBeGreaterThan(1);
    expect(result).toMatchObject({ status: 'succeeded', output: 'early', approvals: [{ status: 'cancelled' }] });
    expect(lines).toEqual(['slow', 'released']);
  });

  test('a race that is won', LONG, async () => {
    const yaml = beside(late('')).replace('parallel:', 'race:');
    const { result, lines } = await run(yaml);
    expect(result).toMatchObject({ status: 'succeeded', approvals: [{ status: 'cancelled' }] });
    expect(statuses(result)).toMatchObject({ p: 'succeeded', 'p/long': 'cancelled', 'p/other': 'succeeded' });
    expect(lines).toEqual(['slow', 'released']);
  });

  test('a time-out', LONG, async () => {
    const { result, lines } = await run(beside(late(''), '\n    timeout: 4s'));
    expect(result.status).not.toBe('succeeded');
    expect(result.approvals).toMatchObject([{ status: 'cancelled' }]);
    expect(lines).toEqual(['slow', 'released']);
  });

  test('a cancellation', LONG, async () => {
    const { result, lines } = await run(beside(late('')), async (id, currentLines) => {
      await expect.poll(currentLines, { timeout: 30_000 }).toEqual(['slow']);
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await flows.project.connection.temporal.workflow.getHandle(id).cancel();
    });
    expect(result.status).not.toBe('succeeded');
    expect(result.error?.code).not.toBe('internal.error');
    expect(result.approvals).toMatchObject([{ status: 'cancelled' }]);
    expect(lines).toEqual(['slow', 'released']);
  });

  test('a failure that `finish` tolerates: the others continue in the next run', LONG, async () => {
    const { result, lines, runs } = await run(`
steps:
  - id: p
    on_failure: finish
    parallel:
      work: { steps: [${busy('fills', 30)}, ${add('added', 'added')}], finally: [${add('released', 'released')}] }
      other: ${late(', bad: true')}`);
    expect(result).toMatchObject({ status: 'failed', error: { step: 'slow' } });
    expect(lines).toEqual(['slow', 'added', 'released']);
    expect(runs).toBeGreaterThan(1);
  });
});

describe('while a run winds up', () => {
  /** Waits until the run winds up: the loop has made its history long, and only the slow call is still running. */
  const untilWindsUp = async (currentLines: () => string[]) => {
    await expect.poll(currentLines, { timeout: 30_000 }).toContain('slow');
    await new Promise((resolve) => setTimeout(resolve, 3000));
  };

  test('an approval, a signal and a pause count once each', LONG, async () => {
    const { result, lines, runs } = await run(
      `
steps:
  - id: p
    parallel:
      work: { steps: [${busy('fills', 30)}, ${add('worked', 'worked')}] }
      asks: { steps: [{ id: ask, approval: { title: Go on? } }, ${add('approved', 'approved')}] }
      receives: { steps: [{ id: receive, wait: { signal: go } }, ${add('received', 'received ${{ steps.receive.output.n }}')}] }
      other: ${late('')}`,
      async (id, currentLines) => {
        const { connection } = flows.project;
        const handle = connection.temporal.workflow.getHandle(id);
        await untilWindsUp(currentLines);
        await decide(connection, id, 'approve', { by: 'tester' });
        await handle.signal('go', { n: 1 });
        await handle.signal('pause');
        await new Promise((resolve) => setTimeout(resolve, 4000));
        expect(currentLines()).toEqual(['slow']);
        await handle.signal('resume');
      },
    );
    expect(result).toMatchObject({ status: 'succeeded', approvals: [{ status: 'approved' }] });
    expect([...lines].sort()).toEqual(['approved', 'received 1', 'slow', 'worked']);
    expect(runs).toBeGreaterThan(1);
  });

  test('a called workflow ends before the new run begins, and its failure is tolerated', LONG, async () => {
    const called = flows.define(
      `steps: [{ id: each, foreach: [${numbers(24)}], as: n, on_failure: finish, steps: [${item('n == 1', ', ms: 50')}] }]`,
    );
    const { result, lines, runs } = await run(`
steps:
  - id: p
    on_failure: finish
    parallel:
      child: { call: ${called}, with: { file: "\${{ input.file }}" } }
      work:
        steps:
          - ${busy('fills', 30)}
          - { id: ended, wait: { until: 'steps.child.status == "failed"' } }
          - ${busy('more', 3)}
          - ${add('worked', 'worked ${{ steps.child.status }}')}`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.exit', step: 'added' } });
    expect(lines).toEqual([...numbers(24).map(String), 'worked failed']);
    expect(runs).toBeGreaterThan(1);
  });
});

test('nested loops with tolerated failures: all that was done is undone once', LONG, async () => {
  const { result, lines, runs } = await run(`
steps:
  - id: outer
    foreach: [0, 100, 200]
    as: m
    on_failure: finish
    steps:
      - id: inner
        foreach: [${numbers(10)}]
        as: i
        max_parallel: 2
        on_failure: finish
        steps:
          - { id: sum, let: { n: "\${{ m + i }}" } }
          - ${add('added', '${{ string(steps.sum.output.n) }}', ', bad: "${{ i == 1 && m != 100 }}"').replace('{ id', '{ undo: { call: util.note, with: { file: "${{ input.file }}", text: "undo ${{ steps.sum.output.n }}" } }, id')}
      - ${add('after', 'after ${{ m }}')}`);
  expect(result).toMatchObject({ status: 'failed', error: { details: { path: 'outer/0/inner/1/added' } } });
  const all = [0, 100, 200].flatMap((m) => numbers(10).map((i) => m + i));
  expect(sorted(lines.filter((line) => /^\d/.test(line)))).toEqual(all);
  expect(lines.filter((line) => line.startsWith('after'))).toEqual(['after 100']);
  const undone = lines.filter((line) => line.startsWith('undo')).map((line) => line.slice(5));
  expect(sorted(undone)).toEqual(all.filter((n) => n !== 1 && n !== 201));
  expect(runs).toBeGreaterThan(2);
});

test('a race between two loops continues until one of them ends', LONG, async () => {
  const loop = (id: string, count: number) =>
    `{ steps: [${busy(id, count)}, ${add(`${id}_end`, `${id} end`)}], finally: [${add(`${id}_clean`, `${id} clean`)}] }`;
  const { result, lines, runs } = await run(
    `steps: [{ id: r, race: { long: ${loop('x', 60)}, short: ${loop('y', 20)} } }]\noutput: "\${{ steps.r.output.winner }}"`,
  );
  expect(result).toMatchObject({ status: 'succeeded', output: 'short' });
  expect([...lines].sort()).toEqual(['x clean', 'y clean', 'y end']);
  expect(runs).toBeGreaterThan(1);
});
