import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { defineSearchAttributeKey } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  type Connection,
  cancelTask,
  changeInput,
  connect,
  decide,
  deleteTask,
  explainTask,
  listTasks,
  openApprovals,
  pauseTask,
  resumeTask,
  retryTask,
  runTask,
  signalTask,
  viewTask,
} from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { retryBy } from '../fixtures/caller.js';
import { operation, type ProjectFiles, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS } from '../fixtures/running-project.js';
import { times, WHOLE } from './extent.js';

// Both projects have abilities of the same names, and the same seal keys: nothing else keeps them apart.
const files = (by: string): ProjectFiles => ({
  ...operation('who.am', `return { by: "${by}" };`),
  ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go on? } }, { id: a, call: who.am, with: {} }]'),
  ...workflow('outer', 'steps: [{ id: sub, call: asks, with: {} }]'),
  ...workflow(
    'owner',
    'input_schema: { type: object, properties: { n: { default: 1 } } }\nsteps: [{ id: a, call: who.am, with: {} }]\noutput: "${{ steps.a.output.by }}"',
  ),
});

let ours: RunningProject;
let theirs: RunningProject;
let counter = 0;
const fresh = (): string => {
  counter += 1;
  return `two-projects-${process.pid}-${counter}`;
};
const by = { name: 'tester', source: 'claimed' } as const;

beforeAll(async () => {
  ours = await runProject(files('ours'));
  theirs = await runProject(files('theirs'));
});
afterAll(async () => {
  await ours.stop();
  await theirs.stop();
});

const options = (project: RunningProject) => ({
  cwd: project.root,
  env: { TEMPORAL_ADDRESS: inject('temporal').address, ABILITY_SEAL_KEYS: TEST_KEYS },
});
const codeOf = (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(
    () => undefined,
    (error: { code?: string }) => error.code ?? String(error),
  );
const statusOf = async (project: RunningProject, key: string) =>
  (await viewTask(project.connection, key)).result.status;
const waits = async (project: RunningProject, key: string, what = 'asks') => {
  await project.create(what, {}, { key });
  expect(await project.wait(key, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
};

describe('a task of another project on the same Temporal', () => {
  const changes: [string, (connection: Connection, key: string) => Promise<unknown>][] = [
    ['decide', (connection, key) => decide(connection, key, 'approve', { by: 'tester' })],
    ['openApprovals', (connection, key) => openApprovals(connection, key)],
    ['cancelTask', cancelTask],
    ['signalTask', (connection, key) => signalTask(connection, key, 'go', null)],
    ['pauseTask', pauseTask],
    ['resumeTask', resumeTask],
    ['runTask', runTask],
    ['retryTask', (connection, key) => retryTask(connection, key, { ...retryBy(by), run: true })],
    ['changeInput', (connection, key) => changeInput(connection, key, { set: { n: 2 }, unset: [], by })],
    ['deleteTask', (connection, key) => deleteTask(connection, key, { by, purge: true })],
  ];

  let open: string;
  let created: string;
  let ended: string;
  beforeAll(async () => {
    [open, created, ended] = [fresh(), fresh(), fresh()];
    await waits(theirs, open, 'outer');
    await theirs.create('owner', {}, { key: created, run: false });
    await theirs.run('owner', {}, { key: ended });
  });
  afterAll(async () => {
    for (const key of [open, created]) await cancelTask(theirs.connection, key);
  });

  test.each(changes)('is not changed through the API: %s', async (name, change) => {
    for (const key of [open, created, ended]) {
      expect([key, await codeOf(change(ours.connection, key))]).toEqual([key, 'task.other_project']);
    }
    // A part of another task is never deleted by itself.
    const ofPart = name === 'deleteTask' ? 'usage.invalid' : 'task.other_project';
    expect(await codeOf(change(ours.connection, `${open}/sub`))).toBe(ofPart);
    expect(await Promise.all([open, created, ended].map((key) => statusOf(theirs, key)))).toEqual([
      'waiting_approval',
      'created',
      'succeeded',
    ]);
    expect((await viewTask(theirs.connection, created)).view?.input).toEqual({ n: 1 });
    expect((await viewTask(theirs.connection, open)).view).toMatchObject({ paused: false });
  });

  test('is refused by every command that would change it, with exit 2 and the name of the project', async () => {
    const short = [
      ['task', 'delete', ended, '--purge', '--yes'],
      ['run', 'owner', '--key', created],
    ];
    const others = [
      ['approve', open],
      ['task', 'cancel', open],
      ['task', 'set', created, 'n:=2'],
      ['task', 'retry', ended],
      ['deny', open],
      ['task', 'signal', open, 'go'],
      ['task', 'pause', open],
      ['task', 'resume', open],
      ['task', 'run', created],
      ['task', 'create', 'owner', '--key', created],
    ];
    const commands = WHOLE ? [...short, ...others] : short;
    const ends = await Promise.all(commands.map((command) => abilityJson(command, options(ours))));
    expect(ends.map(({ exitCode, json }, n) => [commands[n], exitCode, json.error?.code])).toEqual(
      commands.map((command) => [command, 2, 'task.other_project']),
    );
    for (const { json } of ends) {
      expect(json.error.message).toContain(`the project ${theirs.connection.project}`);
      expect(json.error.message).toContain(`the project ${ours.connection.project}`);
      expect(json.error.details).toEqual({ project: theirs.connection.project });
    }
    const text = await ability(['deny', open], options(ours));
    expect(text).toMatchObject({ exitCode: 2, stdout: '' });
    // No one is shown, or asked about, a decision that belongs to another project.
    expect(text.stderr).not.toMatch(/Go on\?|Deciding as/);
    expect([await statusOf(theirs, open), await statusOf(theirs, created)]).toEqual(['waiting_approval', 'created']);
    if (!WHOLE) return;
    const own = await abilityJson(['task', 'pause', open, '--project', theirs.root], options(ours));
    expect(own).toMatchObject({ exitCode: 0, json: { status: 'accepted' } });
  });

  test('is shown by commands that read, which name its project', async () => {
    const key = fresh();
    await theirs.run('owner', {}, { key });
    const project = theirs.connection.project;
    const whose = `${key} belongs to the project ${project}, not to ${ours.connection.project}, the project of this folder.`;
    const shown = async (...command: string[]) => {
      const end = await abilityJson(command, {
        ...options(ours),
        env: { ...options(ours).env, TEMPORAL_UI_ADDRESS: 'http://ui' },
      });
      expect([command, end.stderr.split(whose).length - 1]).toEqual([command, 1]);
      return end;
    };
    const fieldsOf = (json: { project?: string; output?: string }) => [json.project, json.output];
    const commands = WHOLE ? ['task show', 'why', 'task result', 'task watch'] : ['task show'];
    await Promise.all([
      ...commands.map(async (command) => {
        const { exitCode, json } = await shown(...command.split(' '), key);
        expect([command, exitCode, ...fieldsOf(json)]).toEqual([command, 0, project, 'theirs']);
      }),
    ]);
    if (WHOLE) {
      expect((await shown('task', 'get', key)).json).toEqual({ n: 1 });
      expect((await shown('replay', key)).json.status).toBe('ok');
      expect((await shown('task', 'record', key)).json.error.code).toMatch(/^record\./);
      expect((await shown('task', 'open', key)).json.project).toBe(project);
      expect((await shown('task', 'logs', key)).json.error.code).toMatch(/^record\./);
    }
    const listed = await listTasks(ours.connection, { limit: 1000 });
    expect(listed.map(({ task_key }) => task_key)).not.toContain(key);
    // A task of this project has no such line, and its result keeps its exact shape.
    const own = await abilityJson(['task', 'show', key], options(theirs));
    expect(own.stderr).toBe('');
    expect(own.json).not.toHaveProperty('project');
  });

  test('does not mix with a record of the same key here', async () => {
    const key = fresh();
    await ours.run('owner', { n: 7 }, { key: `${key}-old` });
    // As when the time has passed for which Temporal retains a task.
    const { records } = ours.connection.paths;
    renameSync(join(records, `${key}-old`), join(records, key));
    await theirs.run('owner', { n: 8 }, { key });
    const { result } = await viewTask(ours.connection, key);
    expect(result).toMatchObject({ project: theirs.connection.project, output: 'theirs' });
    expect(result.links.record).toBeNull();
    expect(await explainTask(ours.connection, key)).toMatchObject({
      project: theirs.connection.project,
      input: { n: 8 },
    });
    if (WHOLE) expect((await abilityJson(['task', 'get', key, 'n'], options(ours))).json).toBe(8);
  });
});

describe('a key that another project uses', () => {
  const codeOfCreation = (project: RunningProject, key: string, more = {}) =>
    codeOf(project.create('owner', {}, { key, ...more }));

  test.each([
    ['is open', (key: string) => waits(theirs, key)],
    ['was created', (key: string) => theirs.create('owner', {}, { key, run: false })],
    ['has ended', (key: string) => theirs.run('owner', {}, { key })],
    [
      'was deleted',
      async (key: string) => {
        await theirs.run('owner', {}, { key });
        await deleteTask(theirs.connection, key, { by, purge: false });
      },
    ],
  ])('is refused for every request if its task %s', async (_, hold) => {
    const key = fresh();
    await hold(key);
    expect(await codeOfCreation(ours, key)).toBe('task.other_project');
    expect(await codeOfCreation(ours, key, { run: false })).toBe('task.other_project');
    expect(await codeOf(ours.create('asks', {}, { key }))).toBe('task.other_project');
    expect(existsSync(join(ours.connection.paths.records, key))).toBe(false);
  });

  // A server takes half a minute to delete a history.
  test.runIf(WHOLE)('is refused while Temporal knows that its task was deleted with its history', async () => {
    const key = fresh();
    await theirs.run('owner', {}, { key });
    await deleteTask(theirs.connection, key, { by, purge: true });
    expect(await codeOfCreation(ours, key)).toBe('task.other_project');
    expect(await codeOf(deleteTask(ours.connection, key, { by, purge: false }))).toBe('task.other_project');
    expect(await codeOf(cancelTask(ours.connection, key))).toBe('task.other_project');
    const read = viewTask(ours.connection, key);
    await expect(read).rejects.toMatchObject({ code: 'task.deleted', details: { project: theirs.connection.project } });
    await expect(viewTask(theirs.connection, key)).rejects.toMatchObject({ code: 'task.deleted' });
  });

  test('is refused at the start if it has our own form, which is not looked up before', async () => {
    const key = `t-${'0'.repeat(20)}${String(Date.now()).slice(-6)}`;
    await theirs.run('owner', {}, { key });
    expect(await codeOfCreation(ours, key)).toBe('task.other_project');
  });

  test('belongs to one project only, even if both request it at once, and each is planned by its own worker', async () => {
    for (let turn = 0; turn < times(4, 50); turn += 1) {
      const key = fresh();
      const projects = turn % 2 === 0 ? [ours, theirs] : [theirs, ours];
      const codes = await Promise.all(projects.map((project) => codeOfCreation(project, key)));
      expect(codes.filter((code) => code !== undefined)).toEqual(['task.other_project']);
      const [holder] = projects.filter((_, n) => codes[n] === undefined);
      const end = await holder?.wait(key);
      expect(end).toMatchObject({ result: { status: 'succeeded', output: holder === ours ? 'ours' : 'theirs' } });
    }
  });

  test('is not reused by a start past our clients, with or without the attributes of the other project', async () => {
    const key = fresh();
    await theirs.run('owner', {}, { key });
    const { temporal, project } = ours.connection;
    const PROJECT = defineSearchAttributeKey('AbilityProject', 'KEYWORD');
    for (const named of [[], [{ key: PROJECT, value: theirs.connection.project }]]) {
      const started = temporal.workflow.execute('owner', {
        workflowId: key,
        taskQueue: taskQueueOf(project, 'dev', 'local'),
        args: [{}],
        typedSearchAttributes: named,
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      });
      await expect(started).rejects.toMatchObject({
        cause: { type: expect.stringMatching(/^task\.(key_conflict|other_project)$/) },
      });
    }
    expect(existsSync(join(ours.connection.paths.records, key))).toBe(false);
  });

  test('gives nothing of its task to a retry', async () => {
    const key = fresh();
    await theirs.run('owner', {}, { key });
    const stolen = ours.create('owner', {}, { retry: { task: key, from: null } });
    expect(await codeOf(stolen)).toBe('task.other_project');
  });
});

test('a workflow that is not a task is changed by no command', async () => {
  const id = fresh();
  const { workflow } = ours.connection.temporal;
  const handle = await workflow.start('foreign-workflow', { workflowId: id, taskQueue: 'unserved-queue' });
  for (const change of [cancelTask, pauseTask, runTask]) {
    expect(await codeOf(change(ours.connection, id))).toBe('task.not_found');
  }
  expect(await codeOf(signalTask(ours.connection, id, 'go', null))).toBe('task.not_found');
  const { events } = await handle.fetchHistory();
  expect(events?.filter((event) => event.workflowExecutionSignaledEventAttributes)).toEqual([]);
  expect((await handle.describe()).raw.workflowExecutionInfo?.historyLength?.toString()).toBe('2');
  expect(await codeOf(ours.create('owner', {}, { key: id }))).toBe('task.key_conflict');
  await handle.terminate();
});

test('a connection of the API learns whose task it reads', async () => {
  const key = fresh();
  await theirs.run('owner', {}, { key });
  const notices: string[][] = [];
  const connection = await connect({
    root: ours.root,
    project: ours.connection.project,
    address: inject('temporal').address,
    onOther: (...what) => void notices.push(what),
  });
  try {
    await viewTask(connection, key);
    expect(notices).toEqual([[key, theirs.connection.project]]);
  } finally {
    await connection.close();
  }
});
