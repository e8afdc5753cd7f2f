import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelTask, decide, openApprovals, retryTask, viewTask } from '../../src/client/index.js';
import type { TaskRecord } from '../../src/contracts/record.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { mendRecord } from '../../src/operations/read-record.js';
import { retryBy } from '../fixtures/caller.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { TEST_KEYS } from '../fixtures/running-project.js';

let flows: Flows;
const given = process.env.ABILITY_SEAL_KEYS;

beforeAll(async () => {
  process.env.ABILITY_SEAL_KEYS = TEST_KEYS;
  flows = await startFlows();
});
afterAll(async () => {
  await flows.project.stop();
  if (given === undefined) delete process.env.ABILITY_SEAL_KEYS;
  else process.env.ABILITY_SEAL_KEYS = given;
});

const fileOf = (key: string): string => join(flows.project.root, '.system/implement', key, 'record.json');
const recordOf = (key: string): TaskRecord => JSON.parse(readFileSync(fileOf(key), 'utf8')) as TaskRecord;
const loopOf = ({ steps }: TaskResult) => {
  const { items, failures = [] } = steps[0] ?? {};
  const ended = failures.map(({ item, status }) => ({ item, status }));
  return { items, failures: ended.sort((one, other) => one.item - other.item) };
};
const each = (steps: string, more = '') => `steps: [{ id: each, foreach: [1, 2, 3], as: n, ${more}steps: [${steps}] }]`;
const RACE = 'race: { lost: { call: util.additive, with: { ms: 9000 } }, quick: { steps: [{ id: q, wait: 2s }] } }';

/** Promise 4: what is shown is what happened. Source: design, section 1. */
const ENDS: Record<string, [yaml: string, loop: object]> = {
  failed: [
    each('{ id: f, if: n == 2, call: util.fail, with: {} }', 'on_failure: finish, '),
    { items: { total: 3, succeeded: 0, skipped: 2, failed: 1 }, failures: [{ item: 1, status: 'failed' }] },
  ],
  unknown: [
    each(`{ id: r, ${RACE} }`, 'max_parallel: 3, '),
    { items: { unknown: 3, succeeded: 0 }, failures: [0, 1, 2].map((item) => ({ item, status: 'unknown' })) },
  ],
  timed_out: [
    `timeout: 2s\n${each('{ id: s, call: util.slow, with: { ms: "${{ n * 9000 - 9000 }}" } }')}`,
    { items: { total: 3, succeeded: 1, timed_out: 1, not_run: 1 }, failures: [{ item: 1, status: 'timed_out' }] },
  ],
};

test.each(Object.entries(ENDS))(
  'a loop of a task that ends as %s is reported identically everywhere',
  async (end, [yaml, loop]) => {
    const { connection } = flows.project;
    const result = await flows.run(yaml);
    expect(result.status).toBe(end);
    expect(loopOf(result)).toMatchObject(loop);
    const key = result.task_key as string;
    const before = recordOf(key);
    expect(before.result?.steps).toEqual(result.steps);
    expect((await viewTask(connection, key)).result.steps).toEqual(result.steps);
    writeFileSync(fileOf(key), JSON.stringify({ ...before, result: null, used: undefined }));
    expect(await mendRecord(connection, key, await viewTask(connection, key))).toMatch(/written now/);
    expect(recordOf(key)).toEqual(before);
  },
);

test.each(['denied', 'cancelled'])('so is a loop of a task that is %s', async (end) => {
  const { connection } = flows.project;
  const { id } = await flows.project.create(
    flows.define(each('{ id: ask, approval: { title: Go? } }', 'max_parallel: 2, ')),
  );
  await expect.poll(async () => (await openApprovals(connection, id)).length, { timeout: 20_000 }).toBe(2);
  if (end === 'cancelled') await cancelTask(connection, id);
  else
    await decide(connection, id, 'deny', {
      by: 'ann',
      approval_id: (await openApprovals(connection, id))[1]?.id as string,
    });
  const ended = await flows.project.wait(id);
  if (ended.kind !== 'ended') throw new Error(ended.kind);
  expect(ended.result.status).toBe(end);
  const loop = end === 'denied' ? { denied: 1, cancelled: 1, not_run: 1 } : { cancelled: 2, not_run: 1 };
  expect(loopOf(ended.result).items).toEqual({ verb: 'foreach', total: 3, succeeded: 0, ...loop });
  expect(recordOf(id).result?.steps).toEqual(ended.result.steps);
});

test('a retry without the record continues in a loop from the history, and still sees the last turn', async () => {
  const { connection } = flows.project;
  const add = 'let: { sum: "${{ (steps.add.output == null ? 0 : steps.add.output.sum) + n }}" }';
  const yaml = `steps:
  - { id: once, call: util.count, with: { file: "\${{ input.file }}" } }
  - id: each
    foreach: [1, 2, 3, 4]
    as: n
    steps:
      - { id: add, ${add} }
      - { id: again, if: n == 3, call: util.count, with: { file: "\${{ input.file }}" } }
      - { id: f, if: "n == 3 && steps.again.output.n == 2", call: util.fail, with: {} }
      - { id: sum, let: { sum: "\${{ steps.add.output.sum }}" } }
output: "\${{ steps.each.output.map(one, one.sum) }}"`;
  const first = await flows.run(yaml, { file: flows.file('again') });
  expect(first.status).toBe('failed');
  const key = first.task_key as string;
  rmSync(fileOf(key));
  const second = await retryTask(connection, key, { ...retryBy(), run: true });
  const ended = await flows.project.wait(second.id);
  expect(ended).toMatchObject({ kind: 'ended', result: { status: 'succeeded', output: [1, 3, 6, 10] } });
  expect(recordOf(second.id).result?.steps[1]?.items).toEqual({ verb: 'foreach', total: 4, succeeded: 4 });
});
