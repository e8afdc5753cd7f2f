import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainTask, viewTask } from '../../src/client/index.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { renderJunit } from '../../src/doors/cli/output/junit/junit.js';
import { renderResult, renderSteps } from '../../src/doors/cli/output/result/render-result.js';
import { renderStory } from '../../src/doors/cli/output/story/render-story.js';
import { nextCommands } from '../../src/shown/next-commands.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { operation } from '../fixtures/project-folder.js';

let flows: Flows;

/** Promise 4: what is shown is what happened. Source: design, section 1. */
const plain = (_: unknown, text: string): string => text;
const RETRY = 'retry: { attempts: 3, first: 20ms, factor: 1, max: 20ms }';

beforeAll(async () => {
  flows = await startFlows(
    operation(
      'host.check',
      'if (input.host === "host-13" || input.bad) { process.stderr.write(`no route to ${input.host}\\n`); process.exit(1); } return { host: input.host };',
      { effects: 'write_idempotent' },
    ),
  );
});
afterAll(() => flows.project.stop());

/** Everything that people can read of a task. */
async function shown(result: TaskResult) {
  const { connection } = flows.project;
  const key = result.task_key as string;
  const story = await explainTask(connection, key);
  const metadata = await connection.temporal.workflow
    .getHandle(key)
    .query<{ definition?: unknown }>('__temporal_workflow_metadata');
  return {
    why: renderStory(story, nextCommands(story), plain),
    record: readFileSync(join(result.links.record as string, 'tool_call.md'), 'utf8'),
    json: JSON.parse(readFileSync(join(result.links.record as string, 'record.json'), 'utf8')),
    live: renderSteps(result, plain).join('\n'),
    junit: renderJunit(result),
    details: (metadata as { currentDetails?: string }).currentDetails ?? '',
    result: renderResult(result, plain),
  };
}

const HOSTS = Array.from({ length: 20 }, (_, index) => `host-${index + 1}`);
const each = (more: string, host = '${{ host }}') => `
steps:
  - id: hosts
    foreach: input.hosts
    as: host
    ${more}
    steps: [{ id: check, call: host.check, with: { host: "${host}" }, ${RETRY} }]`;

describe('a foreach of 20 hosts with a bad one', () => {
  let texts: Awaited<ReturnType<typeof shown>>;
  let result: TaskResult;

  beforeAll(async () => {
    result = await flows.run(each('max_parallel: 5\n    on_failure: finish'), { hosts: HOSTS });
    texts = await shown(result);
  }, 120_000);

  test('its result counts items and attempts separately, and names the item', () => {
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.exit', step: 'check' } });
    const [hosts, check] = result.steps;
    expect(hosts).toMatchObject({
      items: {
        verb: 'foreach',
        total: 20,
        succeeded: 19,
        failed: 1,
        done: [
          [0, 11],
          [13, 19],
        ],
      },
      failures: [{ item: 12, label: 'host-13', status: 'failed', path: 'hosts/12/check', attempts: 3 }],
    });
    expect(check).toMatchObject({ path: 'hosts/*/check', turns: 20, attempts: 22, failed_turns: 1, status: 'failed' });
    // Wall time: five at once take less than one after the other, and never longer than their loop.
    expect(check?.duration_ms).toBeLessThanOrEqual((hosts?.duration_ms as number) + 5);
  });

  test('every view states how many succeeded, which item failed, and after how many attempts', () => {
    const account = /19 of 20 succeeded.{0,20}failed: item 12 \(host-13\) after 3 attempts: script\.exit: /s;
    expect(texts.why).toMatch(account);
    expect(texts.live).toMatch(account);
    expect(texts.record.replaceAll('\\', '')).toMatch(account);
    expect(texts.details.replaceAll('\\', '')).toMatch(account);
    expect(texts.junit).toMatch(
      /name="hosts\/12"><failure message="item 12 \(host-13\) after 3 attempts: script\.exit: /,
    );
    expect(texts.result).toContain('in step check, item 12 (host-13) of hosts');
    for (const text of [texts.why, texts.live, texts.record, texts.details, texts.junit]) {
      expect(text).not.toMatch(/was not kept|attempt 22|22 failed/);
    }
  });

  test('a case of JUnit is an item, and its name does not change with its outcome', () => {
    expect(texts.junit).toContain('tests="20" failures="1" skipped="0"');
    for (const [index] of HOSTS.entries()) expect(texts.junit).toContain(`name="hosts/${index}"`);
  });

  test('`why` lists the attempts of the bad item, and the command that shows its log', () => {
    const { task_key } = result;
    expect(texts.why).toMatch(/attempt 1 failed; its last output: no route to host-13/);
    expect(texts.why).toMatch(/attempt 2 failed: script\.exit/);
    expect(texts.why).toContain(`ability task logs ${task_key} hosts/12/check`);
    const log = readFileSync(join(result.links.record as string, 'logs', 'hosts/12/check.jsonl'), 'utf8');
    expect(log).toContain('no route to host-13');
  });
});

describe('success', () => {
  test('a green foreach of 3 has no failed attempt anywhere', async () => {
    const result = await flows.run(each(''), { hosts: ['a', 'b', 'c'] });
    expect(result.steps).toMatchObject([
      { path: 'hosts', items: { verb: 'foreach', total: 3, succeeded: 3 }, attempts: 0 },
      { path: 'hosts/*/check', turns: 3, attempts: 3, status: 'succeeded' },
    ]);
    expect(result.steps[0]?.items).toEqual({ verb: 'foreach', total: 3, succeeded: 3 });
    const texts = await shown(result);
    for (const text of [texts.why, texts.live, texts.record, texts.details]) {
      expect(text).toContain('3 of 3 succeeded');
      expect(text).not.toMatch(/failed|attempt \d/);
    }
    expect(texts.junit).toContain('tests="3" failures="0" skipped="0"');
  });

  test('a poll of 5 turns is reported as 5 turns', async () => {
    const result = await flows.run(
      'steps: [{ id: ready, repeat: { until: steps.probe.output.n >= 5, every: 10ms, max: 10 }, steps: [{ id: probe, call: util.count, with: { file: "${{ input.file }}" } }] }]',
      { file: flows.file('poll') },
    );
    const texts = await shown(result);
    expect(result.steps).toMatchObject([
      { path: 'ready', items: { verb: 'repeat', total: 5, succeeded: 5 } },
      { path: 'ready/*/probe', turns: 5, attempts: 5 },
    ]);
    for (const text of [texts.why, texts.live, texts.record, texts.details]) {
      expect(text).toContain('5 turns');
      expect(text).not.toMatch(/failed|attempt \d/);
    }
    expect(texts.junit).toContain('name="ready/*/probe"');
  });

  test('an empty list has no items, and skipped items are reported', async () => {
    const empty = await flows.run(each(''), { hosts: [] });
    expect(empty.steps[0]).toMatchObject({ status: 'succeeded', items: { total: 0, succeeded: 0 } });
    expect((await shown(empty)).why).toContain('no items');
    const some = await flows.run(
      'steps: [{ id: all, foreach: [1, 2, 3], as: n, steps: [{ id: odd, if: n % 2 == 1, let: { n: "${{ n }}" } }] }]',
    );
    expect(some.steps[0]?.items).toEqual({
      verb: 'foreach',
      total: 3,
      succeeded: 2,
      skipped: 1,
      skipped_items: [[1, 1]],
    });
    const texts = await shown(some);
    expect(texts.why).toContain('2 of 3 succeeded, 1 skipped');
    expect(texts.junit).toContain('tests="3" failures="0" skipped="1"');
  });
});

describe('other outcomes', () => {
  test('`stop` reports which items were not run, and all bad ones are reported up to a limit', async () => {
    const stopped = await flows.run(each(''), { hosts: ['a', 'host-13', 'c', 'd'] });
    expect(stopped.steps[0]).toMatchObject({
      items: { total: 4, succeeded: 1, failed: 1, not_run: 2, done: [[0, 0]] },
    });
    const texts = await shown(stopped);
    expect(texts.why).toMatch(/1 of 4 succeeded, 2 not run/);
    expect(texts.junit).toContain('tests="4" failures="1" skipped="2"');
    const all = await flows.run(
      'steps: [{ id: all, foreach: input.list, as: n, max_parallel: 10, on_failure: finish, steps: [{ id: bad, fail: { code: mine.own, message: "Number ${{ n }}" } }] }]',
      { list: Array.from({ length: 50 }, (_, index) => index) },
    );
    expect(all.steps[0]).toMatchObject({ items: { total: 50, succeeded: 0, failed: 50 }, failures_left_out: 30 });
    expect(all.steps[0]?.failures).toHaveLength(20);
    const bad = await shown(all);
    expect(bad.why).toContain('0 of 50 succeeded, 50 failed');
    expect(bad.why).toMatch(/failed: item 0 \(0\): mine\.own: Number 0/);
    expect(bad.why).toContain('45 more not listed');
    expect(bad.record).toContain('30 more not listed');
    expect(bad.junit).toContain('30 more items not listed');
  });

  test('a failure that the item survives is reported with its item', async () => {
    const result = await flows.run(
      'steps: [{ id: all, foreach: [a, host-13, c], as: host, steps: [{ id: check, call: host.check, with: { host: "${{ host }}" }, continue_on_error: true }] }]',
    );
    expect(result).toMatchObject({ status: 'succeeded', steps: [{ items: { total: 3, succeeded: 3 } }, {}] });
    expect(result.steps[1]).toMatchObject({
      turns: 3,
      failed_turns: 1,
      failures: [{ item: 1, label: 'host-13', path: 'all/1/check' }],
    });
    const texts = await shown(result);
    expect(texts.why).toMatch(/failed in 1 of 3 turns/);
    expect(texts.why).toMatch(/failed: item 1 \(host-13\)/);
    expect(texts.junit).toMatch(/name="all\/1"><skipped message="did not fail the task: check/);
  });

  test('a group that is retried inside a loop has rounds', async () => {
    const result = await flows.run(`
steps:
  - id: all
    foreach: [a, host-13]
    as: host
    steps:
      - id: group
        retry: { attempts: 3, first: 20ms }
        steps: [{ id: check, call: host.check, with: { host: "\${{ host }}" }, retry: { attempts: 1 } }]`);
    expect(result.steps[0]?.failures).toMatchObject([{ item: 1, path: 'all/1/group/check', attempts: 1, rounds: 3 }]);
    expect((await shown(result)).why).toMatch(/failed: item 1 \(host-13\) after 3 rounds: script\.exit/);
  });

  test('loops in a loop, in a branch, and around a called workflow name the items of both', async () => {
    const inner = flows.define(
      `input_schema: { type: object, properties: { host: {} } }${each('', '${{ host }}').replace('input.hosts', '"[input.host]"')}`,
    );
    const result = await flows.run(`
steps:
  - id: both
    parallel:
      deep:
        foreach: [eu, us]
        as: region
        on_failure: finish
        steps:
          - id: machines
            foreach: "['a', region == 'us' ? 'host-13' : 'b']"
            as: host
            steps: [{ id: probe, call: host.check, with: { host: "\${{ host }}" }, retry: { attempts: 1 } }]
      called:
        foreach: [a, host-13]
        as: host
        label: "machine \${{ host }}"
        steps: [{ id: sub, call: ${inner}, with: { host: "\${{ host }}" } }]
    on_failure: finish`);
    const row = (path: string) => result.steps.find((step) => step.path === path);
    expect(row('both/deep')).toMatchObject({
      items: { total: 2, succeeded: 1, failed: 1 },
      failures: [{ item: 1, label: 'us', path: 'both/deep/1/machines/1/probe', attempts: 1 }],
    });
    expect(row('both/deep/*/machines')).toMatchObject({
      turns: 2,
      items: { total: 4, succeeded: 3, failed: 1 },
      failures: [{ item: 1, label: 'host-13', path: 'both/deep/1/machines/1/probe' }],
    });
    const task = `${result.task_key}/both/called/1/sub`;
    expect(row('both/called')).toMatchObject({
      failures: [{ item: 1, label: 'machine host-13', path: 'both/called/1/sub', task }],
    });
    const { why, junit } = await shown(result);
    expect(why).toContain('item 1 (host-13) of both/deep/1/machines');
    expect(why).toContain(`ability why ${task}`);
    expect(junit).toContain('name="both/deep/1"><failure message="item 1 (us)');
  });

  test('a time-out of the loop reports which items were running', async () => {
    const result = await flows.run(
      'steps: [{ id: all, foreach: [a, b, c], as: x, timeout: 1s, steps: [{ id: slow, call: util.slow, with: { ms: "${{ x == \'a\' ? 0 : 20000 }}" } }] }]',
    );
    expect(result).toMatchObject({ status: 'failed', error: { code: 'timeout.step' } });
    expect(result.steps[0]).toMatchObject({
      status: 'timed_out',
      items: { total: 3, succeeded: 1, cancelled: 1, not_run: 1 },
      failures: [{ item: 1, label: 'b', status: 'cancelled', path: 'all/1/slow' }],
    });
    expect((await shown(result)).why).toContain('cancelled: item 1 (b)');
  });
});

describe('labels', () => {
  const labelled = (label: string, list: string) =>
    `steps: [{ id: all, foreach: ${list}, as: host, label: "${label}", steps: [{ id: bad, fail: { code: mine, message: no } }] }]`;

  test('a label is one line, its characters are visible, and it is truncated', async () => {
    const result = await flows.run(labelled('${{ host.name }}', 'input.list'), {
      list: [{ name: `a\nb\u202e${'x'.repeat(200)}` }],
    });
    const label = result.steps[0]?.failures?.[0]?.label as string;
    expect(label).toMatch(/^a b\\u202ex+\.\.\.$/);
    expect(label).toHaveLength(80);
  });

  test('a label that is not text fails its item before any call', async () => {
    const result = await flows.run(labelled('${{ host }}', 'input.list'), { list: [{ name: 'a' }] });
    expect(result).toMatchObject({ error: { code: 'expression.not_text', step: 'all', details: { path: 'all/0' } } });
  });

  test('without a label, an item that is a map is shown as its JSON, truncated', async () => {
    const result = await flows.run(
      'steps: [{ id: all, foreach: input.list, as: host, steps: [{ id: bad, fail: { code: mine, message: no } }] }]',
      { list: [{ name: 'a', more: 'y'.repeat(1000) }] },
    );
    expect(result.steps[0]?.failures?.[0]?.label).toMatch(/^\{"name":"a","more":"y+\.\.\.$/);
  });
});

test('a running loop reports what is in progress', async () => {
  const id = flows.define(
    'steps: [{ id: all, foreach: [1, 2, 3], as: n, label: "number ${{ n }}", steps: [{ id: ask, approval: { title: "${{ n }}" } }] }]',
  );
  const { id: key } = await flows.project.create(id);
  await expect
    .poll(async () => (await viewTask(flows.project.connection, key)).result.steps[0]?.items, { timeout: 20_000 })
    .toEqual({ verb: 'foreach', total: 3, succeeded: 0, running: 1, now: [{ item: 0, label: 'number 1' }] });
  await flows.project.connection.temporal.workflow.getHandle(key).cancel();
});
