import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import type { Agent } from '../fixtures/mcp-agent.js';
import { doorProject } from '../fixtures/mcp-door-project.js';

const { running: project, agent } = doorProject();

let probe: Agent;
beforeAll(async () => {
  probe = await agent();
});

async function made(id: string, input: JsonObject = {}): Promise<string> {
  const { told, isError } = await probe.call('task_create', { id, input });
  expect({ told, isError }).toMatchObject({ told: { status: 'available', task: expect.any(String) }, isError: false });
  return String(told.task);
}

const stateOf = async (task: string) => (await probe.call('task_status', { task })).told.status;

describe('an AI that plans with several tasks (R-000-79, R-000-80)', () => {
  test('creates them first, and nothing runs before it says so (R-000-67)', async () => {
    const task = await made('math.add', { a: 1, b: 1 });
    expect((await probe.call('task_status', { task })).told).toMatchObject({
      status: 'created',
      next: 'Run it with task_run.',
    });
  });

  test('runs them in the order of its call, not of their creation', async () => {
    const [first, second] = [await made('math.add', { a: 1, b: 1 }), await made('math.add', { a: 2, b: 2 })];
    const { told, isError } = await probe.call('task_run', { tasks: [second, first] });
    expect({ told, isError }).toEqual({
      isError: false,
      told: {
        status: 'succeeded',
        succeeded: [
          { task: second, status: 'succeeded', output: { sum: 4 } },
          { task: first, status: 'succeeded', output: { sum: 2 } },
        ],
      },
    });
    const [ok, bad] = [await made('math.add', { a: 1, b: 1 }), await made('guarded.op', { late: true })];
    expect((await probe.call('task_run', { tasks: [bad, ok] })).told).toMatchObject({ task: bad, not_run: [ok] });
    expect(await stateOf(ok)).toBe('created');
  });

  test('learns at once that one cannot be formed, and takes another way', async () => {
    expect(await probe.call('task_create', { id: 'guarded.op', input: { early: true } })).toMatchObject({
      isError: true,
      told: { status: 'refused', code: 'guard.denied', suggestion: 'Somewhere else.' },
    });
    const task = await made('guarded.op');
    expect((await probe.call('task_run', { tasks: [task] })).told).toMatchObject({ succeeded: [{ output: 1 }] });
  });

  test('stops at the first that does not succeed; those behind it stay as they were created', async () => {
    const tasks = [
      await made('math.add', { a: 1, b: 1 }),
      await made('guarded.op', { late: true }),
      await made('math.add', { a: 3, b: 3 }),
    ];
    const { told, isError } = await probe.call('task_run', { tasks });
    expect({ told, isError }).toMatchObject({
      isError: true,
      told: { status: 'denied', task: tasks[1], code: 'guard.denied', not_run: [tasks[2]] },
    });
    expect(told.succeeded).toEqual([{ task: tasks[0], status: 'succeeded', output: { sum: 2 } }]);
    expect(await stateOf(String(tasks[2]))).toBe('created');
  });

  test('goes on with the same call when one takes longer than it waits', async () => {
    const hasty = await agent({ name: 'hasty' }, { patienceMs: 300 });
    const file = join(project().root, 'go-on');
    const create = async (id: string, input: JsonObject) =>
      String((await hasty.call('task_create', { id, input })).told.task);
    const [slow, sum] = [await create('slow.op', { file }), await create('math.add', { a: 5, b: 5 })];
    const created = [slow, sum];
    expect((await hasty.call('task_run', { tasks: created })).told).toMatchObject({
      status: 'running',
      task: slow,
      not_run: [sum],
      next: expect.stringContaining('call task_run again'),
    });
    expect((await hasty.call('task_status', { task: sum })).told.status).toBe('created');
    writeFileSync(file, '');
    await hasty.call('task_result', { task: slow, wait: 50 });
    // On a busy machine the second one may take longer, too.
    const goOn = async (): Promise<JsonObject> => (await hasty.call('task_run', { tasks: created })).told;
    let run = await goOn();
    for (let tries = 0; run.status === 'running' && tries < 20; tries += 1) run = await goOn();
    expect(run.succeeded).toMatchObject([{ output: 'seen' }, {}]);
    expect((await hasty.call('task_result', { task: sum, wait: 50 })).told.output).toEqual({ sum: 10 });
  });

  test('runs none of them if one is not its own', async () => {
    const task = await made('math.add', { a: 1, b: 1 });
    expect(await probe.call('task_run', { tasks: [task, 'no-such-task'] })).toMatchObject({
      isError: true,
      told: { code: 'task.not_found' },
    });
    expect(await stateOf(task)).toBe('created');
    const other = await agent({ name: 'other' });
    expect((await other.call('task_run', { tasks: [task] })).told).toMatchObject({ code: 'task.not_found' });
  });
});

describe('the input of a created task (R-000-84)', () => {
  test('is changed before it runs, and not afterwards', async () => {
    const task = await made('math.add', { a: 1, b: 1 });
    expect((await probe.call('task_set', { task, set: { b: 41 } })).told).toMatchObject({
      status: 'available',
      changed: ['b'],
      input: { a: 1, b: 41 },
    });
    expect((await probe.call('task_run', { tasks: [task] })).told.succeeded).toMatchObject([{ output: { sum: 42 } }]);
    expect((await probe.call('task_set', { task, set: { b: 1 } })).told).toMatchObject({ code: 'task.started' });
  });

  test('stays as it was if the change is refused', async () => {
    const task = await made('math.add', { a: 1, b: 1 });
    expect((await probe.call('task_set', { task, unset: ['b'] })).told).toMatchObject({ code: 'input.invalid' });
    expect((await probe.call('task_run', { tasks: [task] })).told.succeeded).toMatchObject([{ output: { sum: 2 } }]);
  });

  test('is changed by the caller that created it: a guard against other callers does not fire', async () => {
    const task = await made('agents.op');
    await probe.call('task_set', { task, set: { n: 1 } });
    expect((await probe.call('task_run', { tasks: [task] })).told.succeeded).toMatchObject([{ output: { n: 1 } }]);
  });
});

describe('a wrong name gets the right one', () => {
  test('of an ability', async () => {
    const { told } = await probe.call('task_create', { id: 'math.ad', input: {} });
    expect(told).toMatchObject({ code: 'ability.not_found', suggestion: 'Did you mean math.add?' });
    expect((await probe.call('ability_describe', { id: 'math.ad' })).told.suggestion).toBe('Did you mean math.add?');
  });

  test('of an argument, and of an input', async () => {
    const { told } = await probe.call('ability_run', { id: 'math.add', inptu: {} });
    expect(told).toMatchObject({ code: 'input.invalid', suggestion: 'Did you mean input?' });
    const { told: given } = await probe.call('task_create', { id: 'strict.op', input: { user_nme: 'ada' } });
    expect(JSON.stringify(given)).toContain('Did you mean user_name?');
  });

  test('of a task that is the own one; of others not even that', async () => {
    const task = await made('math.add', { a: 1, b: 1 });
    const wrong = `${task.slice(0, -1)}${task.endsWith('x') ? 'y' : 'x'}`;
    expect((await probe.call('task_status', { task: wrong })).told).toMatchObject({
      code: 'task.not_found',
      suggestion: `Did you mean ${task}?`,
    });
    const other = await agent({ name: 'other' });
    expect(JSON.stringify((await other.call('task_status', { task: wrong })).told)).not.toContain(task);
  });
});

test('ABILITY.md is a resource, as it is now (R-000-01, R-000-18)', async () => {
  project().write({ 'ABILITY.md': '# First\n', 'modules/a b/ABILITY.md': '# Module\n' });
  const { client } = probe;
  const uris = (await client.listResources()).resources.map(({ uri }) => uri);
  expect(uris).toEqual(expect.arrayContaining(['ability:///ABILITY.md', 'ability:///modules/a%20b/ABILITY.md']));
  project().write({ 'ABILITY.md': '# Second\n' });
  const textOf = async (uri: string) => (await client.readResource({ uri })).contents;
  expect(await textOf('ability:///ABILITY.md')).toMatchObject([{ text: '# Second\n', mimeType: 'text/markdown' }]);
  expect(await textOf('ability:///modules/a%20b/ABILITY.md')).toMatchObject([{ text: '# Module\n' }]);
  for (const path of ['ability.yaml', 'modules/../ability.yaml', '.system/ABILITY.md']) {
    await expect(client.readResource({ uri: `ability:///${path}` }), path).rejects.toThrow(/not found/i);
  }
});
