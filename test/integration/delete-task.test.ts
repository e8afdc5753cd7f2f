import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  cancelTask,
  changeInput,
  deleteTask,
  explainTask,
  listTasks,
  readRecord,
  retryTask,
  runTask,
  viewTask,
} from '../../src/client/index.js';
import { deleteIdOf, WORKFLOWS } from '../../src/contracts/names.js';
import { retryBy } from '../fixtures/caller.js';
import { LONG } from '../fixtures/extent.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { runProject } from '../fixtures/running-project.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

let server: TestServer;
let flows: Flows;

/** The server deletes a history only once it has noted that its end is processed, by default every half minute. */
const SOON = 'history.transferProcessorUpdateAckInterval="500ms"';

beforeAll(async () => {
  server = await startTemporal({ settings: [SOON] });
  flows = await startFlows({}, server);
});
afterAll(async () => {
  await flows.project.stop();
  await server.stop();
});

const by = { name: 'remover', source: 'claimed' } as const;
const remove = (key: string, purge = false) => deleteTask(flows.project.connection, key, { by, purge });
const folder = (key: string) => join(flows.project.root, '.system/implement', key);
const ended = async (key: string) => {
  const end = await flows.project.wait(key);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};
const refused = (promise: Promise<unknown>) =>
  promise.then(
    (value) => ({ code: 'none', value, message: '', details: {} }),
    (error) => error,
  );
const isKnown = (id: string) =>
  flows.project.connection.temporal.workflow
    .getHandle(id)
    .describe()
    .then(
      () => true,
      (error) => {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      },
    );
const DATA = 'the-data-of-the-task';

describe('a task that has ended', () => {
  test('R-000-85: leaves a tombstone in place of its record, with none of its data', async () => {
    const { id: key } = await flows.project.create('util.echo', { text: DATA });
    await ended(key);
    expect(existsSync(join(folder(key), 'logs')) || existsSync(join(folder(key), 'tool_call.md'))).toBe(true);
    const digest = readRecord(flows.project.connection, key)?.request.input;
    expect(await remove(key)).toMatchObject({ kind: 'deleted', deletion: { record: 'removed', purged: false } });
    expect(readdirSync(folder(key))).toEqual(['deleted.json']);
    const text = readFileSync(join(folder(key), 'deleted.json'), 'utf8');
    expect(text).not.toContain(DATA);
    expect(JSON.parse(text)).toEqual({
      format: 1,
      task_key: key,
      ability_id: 'util.echo',
      environment: 'dev',
      input: digest,
      deleted_at: expect.stringMatching(/Z$/),
      deleted_by: by,
      purged: false,
    });
  });

  test('is reported as deleted, by whom and when, to every request, and is in no list', async () => {
    const { connection } = flows.project;
    const { id: key } = await flows.project.create('util.echo', { text: DATA });
    await ended(key);
    await remove(key);
    for (const request of [
      () => viewTask(connection, key),
      () => explainTask(connection, key),
      () => cancelTask(connection, key),
      () => runTask(connection, key),
      () => changeInput(connection, key, { set: {}, unset: [], by }),
      () => retryTask(connection, key, { ...retryBy(by), run: true }),
    ]) {
      const error = await refused(request());
      expect(error).toMatchObject({ code: 'task.deleted', details: { deleted_by: by, purged: false } });
      expect(error.message).toMatch(/was deleted by remover \(claimed\) at 20/);
    }
    expect((await listTasks(connection, { limit: 1000 })).map(({ task_key }) => task_key)).not.toContain(key);
    // Elsewhere there is no tombstone, but Temporal reports it.
    rmSync(folder(key), { recursive: true });
    expect(await refused(viewTask(connection, key))).toMatchObject({ code: 'task.deleted' });
    await expect
      .poll(async () => (await listTasks(connection, { limit: 1000 })).map(({ task_key }) => task_key))
      .not.toContain(key);
  });

  test('its key is not reused, wherever its tombstone is known', async () => {
    const { id: key } = await flows.project.create('util.echo', { text: DATA }, { key: 'once-only' });
    await ended(key);
    await remove(key, true);
    const again = () => refused(flows.project.create('util.echo', { text: DATA }, { key }));
    expect(await again()).toMatchObject({ code: 'task.deleted' });
    expect(readdirSync(folder(key))).toEqual(['deleted.json']);
    rmSync(folder(key), { recursive: true });
    expect(await again()).toMatchObject({ code: 'task.deleted' });
    expect(existsSync(folder(key))).toBe(false);
  });

  test('deleted twice, or by several at once, is deleted once', async () => {
    const { id: key } = await flows.project.create('util.echo', { text: DATA });
    await ended(key);
    const ends = await Promise.all([1, 2, 3, 4, 5].map(() => remove(key)));
    const moments = new Set(ends.map(({ kind, ...end }) => ('deletion' in end ? end.deletion.deleted_at : kind)));
    expect(moments.size).toBe(1);
    expect(await remove(key)).toMatchObject({ kind: 'already', deletion: { deleted_by: by } });
  });

  test('of which only the record is left is deleted as well', LONG, async () => {
    const { connection } = flows.project;
    const { id: key } = await flows.project.create('util.echo', { text: DATA }, { key: 'forgotten' });
    await ended(key);
    await connection.temporal.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: key },
    });
    await expect.poll(() => isKnown(key), { timeout: 30_000 }).toBe(false);
    expect(await viewTask(connection, key)).toMatchObject({ source: 'record' });
    expect(await remove(key)).toMatchObject({ kind: 'deleted', deletion: { ability_id: 'util.echo' } });
    expect(await refused(viewTask(connection, key))).toMatchObject({ code: 'task.deleted' });
  });

  test('whose record is elsewhere is still deleted, and this is reported', async () => {
    const { id: key } = await flows.project.create('util.echo', { text: DATA });
    await ended(key);
    rmSync(folder(key), { recursive: true });
    expect(await remove(key)).toMatchObject({ kind: 'deleted', deletion: { record: 'absent' } });
  });
});

describe('an open task', () => {
  test('C-37: is cancelled first; its cleanup has run when its record goes', async () => {
    const ability = flows.define(`
steps: [{ id: w, wait: { signal: never } }]
finally:
  - { id: slow, call: util.slow, with: { ms: 1500 } }
  - { id: clean, call: util.note, with: { file: "\${{ input.file }}", text: cleaned } }`);
    const { id: key } = await flows.project.create(ability, { file: flows.file('open-clean') });
    await expect
      .poll(async () => (await viewTask(flows.project.connection, key)).view?.progress.w?.status, { timeout: 20_000 })
      .toBe('waiting');
    await remove(key);
    expect(flows.lines('open-clean')).toEqual(['cleaned']);
    expect(readdirSync(folder(key))).toEqual(['deleted.json']);
    expect((await flows.project.connection.temporal.workflow.getHandle(key).describe()).status.name).toBe('CANCELLED');
  });

  test('that was never run is deleted at once', async () => {
    const { id: key } = await flows.project.create('util.echo', { text: DATA }, { run: false });
    expect(await remove(key)).toMatchObject({ kind: 'deleted' });
    expect(await refused(runTask(flows.project.connection, key))).toMatchObject({ code: 'task.deleted' });
  });

  test(
    'that does not end in time: the caller is informed, the deletion continues, and a second call joins it',
    LONG,
    async () => {
      const ability = flows.define(`
steps: [{ id: w, wait: { signal: never } }]
finally: [{ id: slow, call: util.slow, with: { ms: 3000 } }]`);
      const { id: key } = await flows.project.create(ability);
      await expect.poll(async () => (await viewTask(flows.project.connection, key)).result.status).toBe('running');
      const hasty = deleteTask(flows.project.connection, key, { by, purge: false, timeoutMs: 500 });
      expect(await refused(hasty)).toMatchObject({ code: 'wait.timeout' });
      const again = await refused(flows.project.create('util.echo', {}, { key }));
      expect(again).toMatchObject({ code: 'task.deleted', message: `${key} is being deleted` });
      expect(await remove(key, true)).toMatchObject({ kind: 'deleted', deletion: { purged: true } });
      expect(await isKnown(key)).toBe(false);
    },
  );
});

describe('a purge', () => {
  test('removes a task, the tasks it called and its earlier runs from Temporal', async () => {
    const inner = flows.define(`steps: [{ id: e, call: util.echo, with: { text: "\${{ input.text }}" } }]`);
    const outer = flows.define(`steps: [{ id: child, call: ${inner}, with: { text: "\${{ input.text }}" } }]`);
    const { connection } = flows.project;
    const { id: key } = await flows.project.create(outer, { text: 'before' }, { run: false, key: 'purged-tree' });
    const first = (await connection.temporal.workflow.getHandle(key).describe()).runId;
    await changeInput(connection, key, { set: { text: DATA }, unset: [], by });
    await runTask(connection, key);
    expect(await ended(key)).toMatchObject({ status: 'succeeded' });
    expect(existsSync(join(folder(key), 'children/child/record.json'))).toBe(true);
    expect(await Promise.all([key, `${key}/child`].map(isKnown))).toEqual([true, true]);
    expect(await remove(key, true)).toMatchObject({ kind: 'deleted', deletion: { purged: true } });
    expect(await Promise.all([key, `${key}/child`].map(isKnown))).toEqual([false, false]);
    const earlier = connection.temporal.workflow.getHandle(key, first).describe();
    await expect(earlier).rejects.toBeInstanceOf(WorkflowNotFoundError);
    expect(readdirSync(folder(key))).toEqual(['deleted.json']);
    const deletion = await connection.temporal.workflow.getHandle(deleteIdOf(key)).fetchHistory();
    expect(JSON.stringify(deletion)).not.toContain(Buffer.from(DATA).toString('base64').slice(4, 16));
    expect(await refused(viewTask(connection, key))).toMatchObject({ code: 'task.deleted', details: { purged: true } });
    expect(await refused(viewTask(connection, `${key}/child`))).toMatchObject({ code: 'task.deleted' });
  });

  test('after a deletion keeps who deleted the task', async () => {
    const { id: key } = await flows.project.create('util.echo', { text: DATA });
    await ended(key);
    await remove(key);
    const purger = { name: 'purger', source: 'claimed' } as const;
    const end = await deleteTask(flows.project.connection, key, { by: purger, purge: true });
    expect(end).toMatchObject({ kind: 'deleted', deletion: { deleted_by: by, purged: true } });
    expect(await isKnown(key)).toBe(false);
    expect(await remove(key, true)).toMatchObject({ kind: 'already', deletion: { purged: true } });
  });

  test('of a retried task keeps its retry', LONG, async () => {
    const ability = flows.define(
      `steps: [{ id: e, call: util.echo, with: {} }, { id: bad, fail: { code: no_luck, message: no } }]`,
    );
    const { id: key } = await flows.project.create(ability, {}, { key: 'tried' });
    await ended(key);
    await ended((await retryTask(flows.project.connection, key, { ...retryBy(by), run: true })).id);
    await remove(key, true);
    expect(await viewTask(flows.project.connection, 'tried.r2')).toMatchObject({ result: { status: 'failed' } });
    expect(existsSync(join(folder('tried.r2'), 'record.json'))).toBe(true);
  });
});

describe('what is not deleted', () => {
  test('an unknown key, a part of a task, a direct run, a workflow of our own', async () => {
    expect(await refused(remove('no-such-task'))).toMatchObject({ code: 'task.not_found' });
    expect(await refused(remove('some/step'))).toMatchObject({ code: 'usage.invalid' });
    expect(await refused(remove('direct:x'))).toMatchObject({ code: 'usage.invalid' });
    for (const key of ['preflight:x', '..', '../x', '', '/', 'a b']) {
      expect(await refused(remove(key))).toMatchObject({ code: expect.stringMatching(/task.not_found|usage.invalid/) });
    }
  });

  test('a workflow that is no task, and a task of another project', LONG, async () => {
    const { temporal } = flows.project.connection;
    await temporal.workflow.start('foreign-workflow', { workflowId: 'foreign', taskQueue: 'unserved' });
    expect(await refused(remove('foreign', true))).toMatchObject({ code: 'task.not_found' });
    expect((await temporal.workflow.getHandle('foreign').describe()).status.name).toBe('RUNNING');
    await temporal.workflow.getHandle('foreign').terminate();
    const other = await runProject({ 'registry/.keep': '' }, server);
    try {
      const { id: key } = await flows.project.create('util.echo', {}, { run: false, key: 'of-flows' });
      const stranger = deleteTask(other.connection, key, { by, purge: true });
      expect(await refused(stranger)).toMatchObject({ code: 'task.other_project' });
      expect(await viewTask(flows.project.connection, key)).toMatchObject({ result: { status: 'created' } });
      await cancelTask(flows.project.connection, key);
    } finally {
      await other.stop();
    }
  });

  test('the target of a deletion started by hand that leads out of the records, or is not its own', async () => {
    const { temporal, project } = flows.project.connection;
    const victim = join(flows.project.root, 'victim');
    mkdirSync(victim);
    writeFileSync(join(victim, 'file'), 'x');
    const byHand = async (workflowId: string, key: string) => {
      const started = await temporal.workflow.start(WORKFLOWS.delete, {
        workflowId,
        taskQueue: `${project}-dev-local`,
        args: [{ key, by, purge: true }],
      });
      return refused(started.result());
    };
    for (const key of ['../../victim', '..', 'x/../../victim']) {
      const error = await byHand(deleteIdOf(key), key);
      expect((error as unknown as { cause: { type: string } }).cause.type).toBe('seal.invalid');
    }
    const { id: key } = await flows.project.create('util.echo', {});
    await ended(key);
    const error = await byHand('delete:another', key);
    expect((error as unknown as { cause: { type: string } }).cause.type).toBe('seal.invalid');
    expect(existsSync(join(folder(key), 'record.json'))).toBe(true);
    rmSync(folder(key), { recursive: true });
    symlinkSync(victim, folder(key));
    await remove(key);
    expect(readdirSync(victim)).toEqual(['file']);
    expect(readdirSync(folder(key))).toEqual(['deleted.json']);
  });
});

test('a deletion continues when its worker is replaced midway', LONG, async () => {
  const ability = flows.define(`
steps: [{ id: w, wait: { signal: never } }]
finally: [{ id: slow, call: util.slow, with: { ms: 2500 } }]`);
  const { id: key } = await flows.project.create(ability, { text: DATA });
  await expect.poll(async () => (await viewTask(flows.project.connection, key)).result.status).toBe('running');
  const deleting = remove(key, true);
  await expect.poll(async () => (await viewTask(flows.project.connection, key)).result.status).toBe('finishing');
  await flows.project.restartWorkers();
  expect(await deleting).toMatchObject({ kind: 'deleted', deletion: { purged: true, record: 'removed' } });
  expect(await isKnown(key)).toBe(false);
});

test('a purge of a refused task deletes its history, which holds its input, and leaves the key free', async () => {
  const id = flows.define(`input_schema: { type: object, required: [n], properties: { n: { type: integer } } }
steps: [{ id: a, wait: 0s }]`);
  const create = (input: { n: string } | { n: number }) => flows.project.create(id, input, { key: 'refused-1' });
  expect(await refused(create({ n: DATA }))).toMatchObject({ code: 'input.invalid' });
  expect(await isKnown('refused-1')).toBe(true);
  expect(await refused(remove('refused-1'))).toMatchObject({ code: 'task.not_found' });
  expect(await remove('refused-1', true)).toEqual({ kind: 'unformed' });
  expect(await isKnown('refused-1')).toBe(false);
  expect(await refused(remove('refused-1', true))).toMatchObject({ code: 'task.not_found' });
  expect((await create({ n: 1 })).id).toBe('refused-1');
});
