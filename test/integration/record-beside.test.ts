import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cancelTask, decide, explainTask, openApprovals, viewTask } from '../../src/client/index.js';
import { ACTIVITIES, QUERIES } from '../../src/contracts/names.js';
import type { TaskRecord } from '../../src/contracts/record.js';
import { mendRecord } from '../../src/operations/read-record.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { operation } from '../fixtures/project-folder.js';
import { TEST_KEYS } from '../fixtures/running-project.js';

let flows: Flows;
const savedKeys = process.env.ABILITY_SEAL_KEYS;

beforeAll(async () => {
  process.env.ABILITY_SEAL_KEYS = TEST_KEYS;
  flows = await startFlows({
    ...operation('util.big', 'return { text: "x".repeat(input.size) };'),
    ...operation('util.watched', 'return input;', { yaml: 'hooks: { pre_call: [warns] }' }),
    'registry/hooks/PreAbilityCall.yaml':
      'hooks: [{ id: warns, handler: { expression: { warn_if: "input.n == 7", reason: Seven. } } }]',
  });
});
afterAll(async () => {
  await flows.project.stop();
  if (savedKeys === undefined) delete process.env.ABILITY_SEAL_KEYS;
  else process.env.ABILITY_SEAL_KEYS = savedKeys;
});

const ECHO = 'steps: [{ id: a, call: util.echo, with: { n: "${{ input.n }}" } }]\noutput: "${{ steps.a.output.n }}"';
const folderOf = (key: string): string => join(flows.project.root, '.system/implement', key);
const fileOf = (key: string, name = 'record.json'): string => join(folderOf(key), name);
const recordOf = (key: string): TaskRecord => JSON.parse(readFileSync(fileOf(key), 'utf8')) as TaskRecord;
const textOf = (key: string): string => readFileSync(fileOf(key, 'tool_call.md'), 'utf8');

/** Types of the local activities of a task, from its markers. */
/** Those after the preflight of the task; a called one has none. */
async function localActivitiesOf(key: string): Promise<string[]> {
  const { events } = await flows.project.connection.temporal.workflow.getHandle(key).fetchHistory();
  const types = (events ?? []).flatMap(({ markerRecordedEventAttributes: marker }) => {
    const [data] = marker?.details?.data?.payloads ?? [];
    return data?.data ? [String(JSON.parse(Buffer.from(data.data).toString()).activity_type)] : [];
  });
  return types.filter((type) => type !== ACTIVITIES.preflight);
}

/** Creates a task that waits for an approval, and waits until it has its record, which follows in a moment. */
async function createAsking(): Promise<string> {
  const { connection } = flows.project;
  const { id } = await flows.project.create(flows.define('steps: [{ id: ask, approval: { title: Go? } }]'));
  await expect.poll(async () => (await openApprovals(connection, id)).length, { timeout: 20_000 }).toBe(1);
  await expect.poll(() => existsSync(fileOf(id)), { timeout: 20_000 }).toBe(true);
  return id;
}

async function startAndEnd(yaml: string, input = {}): Promise<string> {
  const { id } = await flows.project.create(flows.define(yaml), input);
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return id;
}

describe('the record of a task without an output contract', () => {
  test('is complete when the task closes, and costs no event', async () => {
    const key = await startAndEnd(ECHO, { n: 7 });
    expect(recordOf(key)).toMatchObject({
      input: { n: 7 },
      result: { status: 'succeeded', output: 7, links: { record: folderOf(key) } },
      used: { called: ['util.echo'], outside_whitelist: [] },
    });
    expect(textOf(key)).toContain('| Status | succeeded |');
    expect(await localActivitiesOf(key)).toEqual([]);
  });

  test('is not written again by a worker that answers a query about the ended task', async () => {
    const key = await startAndEnd(ECHO, { n: 1 });
    const { ino } = statSync(fileOf(key));
    await flows.project.restartWorkers();
    await flows.project.connection.temporal.workflow.getHandle(key).query(QUERIES.task);
    expect(statSync(fileOf(key)).ino).toBe(ino);
  });

  test('is created again if its folder is gone', async () => {
    const { id } = await flows.project.create(flows.define('steps: [{ id: ask, approval: { title: Go? } }]'), { n: 3 });
    await expect.poll(async () => (await openApprovals(flows.project.connection, id)).length).toBe(1);
    rmSync(folderOf(id), { recursive: true });
    await decide(flows.project.connection, id, 'approve', { by: 'ann' });
    await flows.project.wait(id);
    expect(recordOf(id)).toMatchObject({ input: { n: 3 }, result: { status: 'succeeded' } });
  });
});

describe('the finish activity ends a task', () => {
  const CONTRACT = `output_schema: { type: integer }\n${ECHO}`;

  test('with an output contract, which it checks', async () => {
    const key = await startAndEnd(CONTRACT, { n: 'seven' });
    expect(recordOf(key).result).toMatchObject({ status: 'failed', error: { code: 'output.invalid' } });
    expect(await localActivitiesOf(key)).toEqual(['ability:finish']);
  });

  test('with a result of more than 64 KiB', async () => {
    const big =
      'steps: [{ id: a, call: util.big, with: { size: "${{ input.size }}" } }]\noutput: "${{ steps.a.output }}"';
    const small = await startAndEnd(big, { size: 60_000 });
    const large = await startAndEnd(big, { size: 66_000 });
    expect(await localActivitiesOf(small)).toEqual([]);
    expect(await localActivitiesOf(large)).toEqual(['ability:finish']);
    expect(recordOf(large).result?.status).toBe('succeeded');
  });

  test('that was cancelled, since Temporal keeps no result of it', async () => {
    const { id } = await flows.project.create(flows.define('steps: [{ id: ask, approval: { title: Go? } }]'));
    await expect.poll(async () => (await openApprovals(flows.project.connection, id)).length).toBe(1);
    await cancelTask(flows.project.connection, id);
    await flows.project.wait(id);
    expect(await localActivitiesOf(id)).toEqual(['ability:finish']);
    expect(recordOf(id).result?.status).toBe('cancelled');
  });

  test('that another task called', async () => {
    const inner = flows.define(ECHO);
    const key = await startAndEnd(`steps: [{ id: sub, call: ${inner}, with: { n: 1 } }]`);
    expect(await localActivitiesOf(key)).toEqual([]);
    expect(await localActivitiesOf(`${key}/sub`)).toContain('ability:finish');
    expect(recordOf(key).used?.tools_used).toEqual(['shell:util.echo']);
  });
});

describe('a missing record is written from the history as the worker would have written it', () => {
  const END: Record<string, [yaml: string, input?: object]> = {
    succeeded: [ECHO, { n: 7 }],
    failed: ['steps: [{ id: a, call: util.fail, with: {} }]'],
    timed_out: ['timeout: 1s\nsteps: [{ id: a, call: util.slow, with: { ms: 9000 } }]'],
    'with a contract': [`output_schema: { type: integer }\n${ECHO}`, { n: 7 }],
    'with a large result': [
      'steps: [{ id: a, call: util.big, with: { size: 200000 } }]\noutput: "${{ steps.a.output }}"',
    ],
  };

  test.each(Object.entries(END))('%s', async (_, [yaml, input]) => {
    const key = await startAndEnd(yaml, input);
    const before = { record: recordOf(key), text: textOf(key) };
    writeFileSync(fileOf(key), JSON.stringify({ ...before.record, result: null, used: undefined }));
    writeFileSync(fileOf(key, 'tool_call.md'), 'as it was at creation');
    const { connection } = flows.project;
    expect(await mendRecord(connection, key, await viewTask(connection, key))).toMatch(/written now, from the history/);
    expect({ record: recordOf(key), text: textOf(key) }).toEqual(before);
    expect(await mendRecord(connection, key, await viewTask(connection, key))).toBeUndefined();
  });

  test('denied, with its hooks and approvals, and `why` reports it', async () => {
    const { connection } = flows.project;
    const yaml =
      'steps: [{ id: a, call: util.watched, with: { n: 7 } }, { id: ask, approval: { title: Go?, comment: required } }]';
    const { id } = await flows.project.create(flows.define(yaml));
    await expect.poll(async () => (await openApprovals(connection, id)).length, { timeout: 20_000 }).toBe(1);
    await decide(connection, id, 'deny', { by: 'ann', comment: 'Not today.' });
    await flows.project.wait(id);
    const before = recordOf(id);
    expect(before.result).toMatchObject({ status: 'denied', hooks: [{ hook_id: 'warns' }] });
    rmSync(folderOf(id), { recursive: true });
    const story = await explainTask(connection, id, (seen) =>
      mendRecord({ ...connection, isOwnRuntime: true }, id, seen),
    );
    expect(story.warnings.at(-1)).toMatch(/record\.missing.*written now/);
    expect(recordOf(id)).toEqual(before);
  });

  test('terminated, when no worker could have written it', async () => {
    const { connection } = flows.project;
    const id = await createAsking();
    await connection.temporal.workflow.getHandle(id).terminate('by hand');
    expect(await mendRecord(connection, id, await viewTask(connection, id))).toMatch(/written now/);
    expect(recordOf(id).result).toMatchObject({ status: 'cancelled', error: { code: 'task.terminated' } });
  });

  test('not with a key other than the one that sealed it', async () => {
    const { connection } = flows.project;
    const key = await startAndEnd(ECHO, { n: 1 });
    writeFileSync(fileOf(key), JSON.stringify({ ...recordOf(key), result: null }));
    process.env.ABILITY_SEAL_KEYS = TEST_KEYS.replace(/:./, (start) => (start === ':A' ? ':B' : ':A'));
    try {
      const message = await mendRecord(connection, key, await viewTask(connection, key));
      expect(message).toMatch(/could not be written from the history: seal\.invalid/);
    } finally {
      process.env.ABILITY_SEAL_KEYS = TEST_KEYS;
    }
    expect(recordOf(key).result).toBeNull();
  });
});

test('a record that cannot be written is counted, and does not change the end of the task', async () => {
  const { connection } = flows.project;
  const before = flows.project.host().recordsMissing;
  const id = await createAsking();
  rmSync(folderOf(id), { recursive: true });
  writeFileSync(folderOf(id), 'no folder');
  await decide(connection, id, 'approve', { by: 'ann' });
  const end = await flows.project.wait(id);
  expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded' } });
  expect(flows.project.host().recordsMissing).toBe(before + 1);
  rmSync(folderOf(id));
  expect(await mendRecord({ ...connection, isOwnRuntime: true }, id, await viewTask(connection, id))).toMatch(
    /written now/,
  );
  expect(recordOf(id).result?.status).toBe('succeeded');
});

describe('a worker that is killed at the end of a task', () => {
  test.each(['before', 'after'])('%s the record was written leaves the rest to the next worker', async (when) => {
    const { project } = flows;
    const id = await createAsking();
    await project.stopWorkers();
    const { ino: created } = statSync(fileOf(id));
    const env = {
      ...process.env,
      ABILITY_SEAL_KEYS: TEST_KEYS,
      WORKER_ROOT: project.root,
      WORKER_PROJECT: project.connection.project,
      WORKER_ADDRESS: inject('temporal').address,
      WORKER_DIES: when,
    };
    const script = fileURLToPath(new URL('../fixtures/dying-worker.mjs', import.meta.url));
    const worker = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const dead = once(worker, 'exit');
    await once(worker.stdout, 'data');
    const [approvalId] = (await openApprovals(project.connection, id)).map((open) => open.id);
    await project.connection.temporal.workflow.getHandle(id).signal('approve', { approval_id: approvalId, by: 'ann' });
    expect((await dead)[1]).toBe('SIGKILL');
    const { status } = await project.connection.temporal.workflow.getHandle(id).describe();
    expect(status.name).toBe('RUNNING');
    expect(recordOf(id).result?.status).toBe(when === 'after' ? 'succeeded' : undefined);
    const { ino } = statSync(fileOf(id));
    expect(ino === created).toBe(when === 'before');
    await project.restartWorkers();
    await project.wait(id);
    expect(recordOf(id).result?.status).toBe('succeeded');
    expect(textOf(id)).toContain('| Status | succeeded |');
    expect(statSync(fileOf(id)).ino).not.toBe(ino);
  });
});
