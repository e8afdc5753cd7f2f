import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import { doorProject, runAs as run } from '../fixtures/mcp-door-project.js';

const { running: project, agent, raw: connectClient } = doorProject();

describe('tasks of others', () => {
  test('are not found, however they are named', async () => {
    const [ada, other, bob] = [await agent(), await agent({ name: 'other' }), await agent({ person: 'bob' })];
    const { task } = (await run(ada, 'ask_people')).told;
    const [secret, key] = task.split('.') as [string, string];
    const plain = Buffer.from(key, 'base64url').toString();
    const forged = [
      plain,
      `${'0'.repeat(32)}.${key}`,
      `${secret}.${Buffer.from('no-task').toString('base64url')}`,
      secret,
      '',
      '.',
      `${task}.x`,
    ];
    const notFound = {
      isError: true,
      told: { status: 'refused', code: 'task.not_found', reason: 'You have no task of that id' },
    };
    for (const tool of ['task_status', 'task_result', 'task_cancel']) {
      for (const who of [other, bob]) expect(await who.call(tool, { task })).toMatchObject(notFound);
      for (const id of forged) expect(await ada.call(tool, { task: id })).toMatchObject(notFound);
    }
    expect((await other.call('approvals_list')).told.approvals).toEqual([]);
    expect((await ada.call('task_status', { task })).told).toMatchObject({ status: 'waiting_approval' });
    expect((await ada.call('task_cancel', { task })).told).toMatchObject({ status: 'cancelling' });
    expect(await ada.call('task_result', { task, wait: 50 })).toMatchObject({
      isError: true,
      told: { status: 'cancelled' },
    });
  });
});

describe('the Tasks extension', () => {
  const TASK = { createdAt: expect.any(String), lastUpdatedAt: expect.any(String), ttlMs: null };

  test('turns a long call into a task, for requests that declare it', async () => {
    const raw = await connectClient({}, { patienceMs: 100 });
    const file = join(project().root, 'go-tasks');
    const params = { name: 'ability_run', arguments: { id: 'slow.op', input: { file } } };
    const plain = await raw.ask('tools/call', params, false);
    expect(plain.result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'running' } });
    const { result } = await raw.ask('tools/call', params);
    expect(result).toMatchObject({
      ...TASK,
      resultType: 'task',
      status: 'working',
      statusMessage: expect.stringContaining('running'),
    });
    const taskId = result?.taskId as string;
    const { task } = (plain.result as JsonObject).structuredContent as JsonObject;
    expect((await raw.ask('tasks/get', { taskId })).result).toMatchObject({
      ...TASK,
      resultType: 'complete',
      taskId,
      status: 'working',
    });
    expect((await raw.ask('tasks/update', { taskId, inputResponses: {} })).result).toMatchObject({
      resultType: 'complete',
    });
    expect((await raw.ask('tasks/get', { taskId }, false)).error).toMatchObject({ code: -32021 });
    expect((await raw.ask('tasks/list', {})).error).toMatchObject({ code: -32601 });
    writeFileSync(file, '');
    await expect
      .poll(async () => (await raw.ask('tasks/get', { taskId })).result?.status, { timeout: 20_000 })
      .toBe('completed');
    expect((await raw.ask('tasks/get', { taskId: task as string })).result).toMatchObject({
      status: 'completed',
      result: { structuredContent: { status: 'succeeded', output: 'seen' } },
    });
  });

  test('shows a failure as a completed call with an error, a cancelled one as cancelled, an approval as it would be told', async () => {
    const raw = await connectClient({}, { patienceMs: 0 });
    const start = async (id: string): Promise<string> => {
      const { result } = await raw.ask('tools/call', { name: 'ability_run', arguments: { id } });
      return result?.taskId as string;
    };
    const get = async (taskId: string) => (await raw.ask('tasks/get', { taskId })).result;
    const failing = await start('broken.op');
    await expect.poll(async () => (await get(failing))?.status, { timeout: 20_000 }).toBe('completed');
    expect(await get(failing)).toMatchObject({ result: { isError: true, structuredContent: { status: 'failed' } } });
    const waiting = await start('ask_people');
    await expect
      .poll(async () => (await get(waiting))?.statusMessage, { timeout: 20_000 })
      .toContain('ada, bob; not ada may decide');
    expect(await get(waiting)).toMatchObject({
      status: 'completed',
      statusMessage: expect.stringContaining('ability approve'),
      result: { structuredContent: { status: 'waiting_approval', task: waiting } },
    });
    expect((await raw.ask('tasks/cancel', { taskId: waiting })).result).toEqual(
      expect.objectContaining({ resultType: 'complete' }),
    );
    await expect.poll(async () => (await get(waiting))?.status, { timeout: 20_000 }).toBe('cancelled');
    const other = await connectClient({ name: 'other' });
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      expect((await other.ask(method, { taskId: waiting, inputResponses: {} })).error).toMatchObject({
        code: -32602,
        data: { code: 'task.not_found' },
      });
    }
  });
});
