import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { explainTask } from '../../src/client/explain/explain-task.js';
import { retryTask } from '../../src/client/start/retry-task.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import type { TaskResult, TaskStart } from '../../src/contracts/task.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { abilityJson } from '../fixtures/called-command.js';
import { retryBy } from '../fixtures/caller.js';
import { continueElsewhere, startForeign } from '../fixtures/foreign-workflow.js';
import { killProcesses } from '../fixtures/kill-process.js';
import { makeProject, operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { readStart } from '../fixtures/read-start.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility } from '../fixtures/servers/definitions.js';
import { WHOLE } from './extent.js';

let project: RunningProject;
let file: string;
let count = 0;

const append = "appendFileSync(input.file, input.line + '\\n');";
const to = (line: string): string => `{ file: "\${{ input.file }}", line: "${line}" }`;

beforeAll(async () => {
  const again = "if (readFileSync(input.file, 'utf8').split(input.line).length < 3) process.exit(3);";
  project = await runProject({
    'ability.yaml': projectFile(),
    ...operation('note.same', append, { effects: 'write_idempotent' }),
    ...operation('note.add', append, { effects: 'write_additive' }),
    ...operation('note.drop', append, { effects: 'destructive' }),
    ...operation('note.twice', `${append} ${again}`, { effects: 'write_additive' }),
    ...operation('note.fail', 'process.exit(1);', { effects: 'write_additive' }),
    ...apiAbility(
      'send.post',
      `http://127.0.0.1:${await closedPort()}`,
      { method: 'POST', path: '/' },
      { more: { effects: 'write_additive' } },
    ),
    ...workflow('inner', `steps: [{ id: add, call: note.add, with: ${to('child')} }]`),
    ...workflow(
      'publish',
      `steps:
  - { id: same, call: note.same, with: ${to('same')} }
  - { id: publish, call: note.add, with: ${to('add')}, undo: { call: note.drop, with: ${to('undo')} } }
  - { id: stop, if: "has(input.stop)", call: note.fail }`,
    ),
    ...workflow('fails', 'steps: [{ id: fail, call: note.fail, with: {}, retry: { attempts: 2, first: 10ms } }]'),
    ...workflow('inner_twice', `steps: [{ id: add, call: note.twice, with: ${to('called')} }]`),
    ...workflow(
      'calls_again',
      `steps:
  - id: group
    retry: { attempts: 2, first: 10ms }
    steps: [{ id: sub, call: inner_twice, with: { file: "\${{ input.file }}" } }]`,
    ),
    ...workflow('calls', 'steps: [{ id: sub, call: inner, with: { file: "${{ input.file }}" } }]'),
    ...workflow(
      'allowed',
      `steps:
  - id: loop
    foreach: "[1, 2]"
    as: item
    steps: [{ id: turn, call: note.add, with: ${to('turn ${{ item }}')} }]
  - { id: own, call: note.twice, with: ${to('own')}, retry: { attempts: 2, first: 10ms } }
  - id: outer
    retry: { attempts: 2, first: 10ms }
    steps:
      - { id: before, call: note.add, with: ${to('before')} }
      - id: inside
        retry: { attempts: 2, first: 10ms }
        steps: [{ id: grouped, call: note.twice, with: ${to('grouped')} }]
finally:
  - { id: clean, call: note.drop, with: ${to('clean')} }`,
    ),
  });
});
afterAll(() => project.stop());
beforeEach(() => {
  count += 1;
  file = join(project.root, `lines-${count}`);
});

const lines = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').sort() : []);
const MARKS = (): string => join(project.root, '.system/store/marks');
const marks = (folder = MARKS()): string[] =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resets a task to its beginning. @returns how its new run ends. */
async function reset(id: string): Promise<TaskResult> {
  const { temporal, namespace } = project.connection;
  const { events } = await temporal.workflow.getHandle(id).fetchHistory();
  const first = events?.find((event) => event.workflowTaskCompletedEventAttributes);
  await temporal.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: id },
    reason: 'a test',
    requestId: `reset-${id}`,
    ...(first?.eventId && { workflowTaskFinishEventId: first.eventId }),
  });
  return endOf(id);
}

/** Starts a workflow under the id of an ended task. @param memo as a client of ours would set it. */
async function startAgain(
  id: string,
  argumentsOf: (start: TaskStart) => unknown[],
  memo: Record<string, unknown> = {},
): Promise<TaskResult> {
  const { temporal, project: name } = project.connection;
  const start = await readStart(project.connection, id);
  await temporal.workflow.start(start.plan.ability.id, {
    workflowId: id,
    taskQueue: taskQueueOf(name, 'dev', start.plan.placement),
    args: argumentsOf(start),
    memo,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  return endOf(id);
}

/** As the next run of foreign code, which Temporal attests. */
async function goOnAgain(id: string): Promise<TaskResult> {
  const { connection } = project;
  const start = await readStart(connection, id);
  const type = start.plan.ability.id;
  const at = await startForeign(connection, id, type, []);
  const queue = taskQueueOf(connection.project, 'dev', start.plan.placement);
  const attributes = { AbilityProject: connection.project };
  await continueElsewhere(connection, at, { type, queue, args: nextArguments(start), attributes });
  return endOf(id);
}

async function endOf(id: string): Promise<TaskResult> {
  const end = await project.wait(id);
  if (end.kind !== 'ended') throw new Error(`it did not end: ${JSON.stringify(end)}`);
  return end.result;
}

describe('the effect of a call that must not be repeated is not repeated by', () => {
  test('a reset, which ends unknown and names the earlier run and how to continue', async () => {
    const { id, runId } = await project.create('publish', { file }, { key: `again-${count}` });
    expect(await endOf(id)).toMatchObject({ status: 'succeeded' });
    const result = await reset(id);
    expect(result).toMatchObject({
      status: 'unknown',
      error: { code: 'outcome.unknown', step: 'publish', details: { earlier: { run: runId } } },
    });
    expect(result.error?.suggestion).toContain(`ability task retry ${id} --from publish`);
    expect(lines()).toEqual(['add', 'same', 'same']);
    const story = JSON.stringify(await explainTask(project.connection, id));
    expect(story).toContain(runId);
    expect(story).toContain(`ability task retry ${id} --from publish`);
  });

  test.each([{}, { ability: 'publish', environment: 'dev', requested_by: 'tester' }])(
    'a second start with the old arguments, which is answered with the end of the first (memo: %j)',
    async (memo) => {
      const { id } = await project.create('publish', { file }, { key: `again-${count}` });
      const first = await endOf(id);
      const second = await startAgain(id, ({ input, options }) => [input, options], memo);
      expect(second).toMatchObject({ status: 'succeeded', output: first.output, digest: first.digest });
      expect(lines()).toEqual(['add', 'same']);
    },
  );

  test('a second start with what had passed preflight, or with another input', async () => {
    const { id } = await project.create('publish', { file }, { key: `again-${count}` });
    await endOf(id);
    expect(await startAgain(id, nextArguments)).toMatchObject({ error: { code: 'seal.invalid' } });
    await project.run('publish', { file }, { key: `goes-on-${count}` });
    expect(await goOnAgain(`goes-on-${count}`)).toMatchObject({ error: { code: 'seal.invalid' } });
    await project.run('publish', { file }, { key: `other-${count}` });
    expect(await startAgain(`other-${count}`, () => [{ file, stop: true }])).toMatchObject({
      status: 'unavailable',
      error: { code: 'task.key_conflict' },
    });
    expect(lines()).toEqual(['add', 'add', 'add', 'same', 'same', 'same']);
  });

  test('a reset of a task that was called', async () => {
    const { id } = await project.create('calls', { file }, { key: `again-${count}` });
    await endOf(id);
    const child = await reset(`${id}/sub`).catch((error: unknown) => error as TaskResult);
    expect(child.error?.suggestion).toContain(`ability task retry ${id} --from sub`);
    expect(lines()).toEqual(['child']);
  });

  test('a reset of a task that had called another one, which reports that', async () => {
    const { id } = await project.create('calls', { file }, { key: `again-${count}` });
    await endOf(id);
    expect(await reset(id)).toMatchObject({
      status: 'unknown',
      error: {
        code: 'outcome.unknown',
        details: { task: `${id}/sub` },
        suggestion: expect.stringContaining(`ability task retry ${id} --from sub`),
      },
    });
    expect(lines()).toEqual(['child']);
  });

  test('a reset of a task that had undone its effects', async () => {
    const { id } = await project.create('publish', { file, stop: true }, { key: `again-${count}` });
    expect(await endOf(id)).toMatchObject({ status: 'failed' });
    expect(await reset(id)).toMatchObject({ status: 'unknown' });
    expect(lines()).toEqual(['add', 'same', 'same', 'undo']);
  });

  test('a reset of a direct run, which has no key to retry', async () => {
    const { id } = await project.create('note.add', { file, line: 'direct' }, { direct: true });
    await endOf(id);
    const { error } = await reset(id);
    expect(error).toMatchObject({ code: 'outcome.unknown', suggestion: expect.not.stringContaining('task retry') });
    expect(lines()).toEqual(['direct']);
  });
});

describe('repetition is allowed for', () => {
  test('attempts of a call and of groups around it, turns of loops, and clean-ups', async () => {
    expect(await project.run('allowed', { file })).toMatchObject({ status: 'succeeded' });
    expect(lines()).toEqual(['before', 'clean', 'grouped', 'grouped', 'own', 'own', 'turn 1', 'turn 2']);
  });

  test('an attempt after one that ended clearly, which leaves no doubt about the outcome', async () => {
    expect(await project.run('fails', {})).toMatchObject({ status: 'failed', error: { code: 'script.exit' } });
  });

  test('a call in a later attempt of a group, as another task with its own record', async () => {
    const { id } = await project.create('calls_again', { file }, { key: `again-${count}` });
    expect(await endOf(id)).toMatchObject({ status: 'succeeded' });
    expect(lines()).toEqual(['called', 'called']);
    const records = join(project.root, '.system/implement', id, 'children/group');
    expect(readdirSync(records).sort()).toEqual(['sub', 'sub~2']);
  });

  test('the continuation that an unknown end suggests', async () => {
    const { id } = await project.create('publish', { file }, { key: `again-${count}` });
    await endOf(id);
    await reset(id);
    const retried = await retryTask(project.connection, id, { ...retryBy(), from: 'publish', run: true });
    expect(await endOf(retried.id)).toMatchObject({ status: 'succeeded' });
    expect(lines()).toEqual(['add', 'add', 'same', 'same']);
  });

  test('a call that certainly sent nothing', async () => {
    const { id } = await project.create('send.post', {}, { key: `again-${count}` });
    expect(await endOf(id)).toMatchObject({ error: { code: 'unavailable.connection' } });
    expect(await reset(id)).toMatchObject({ error: { code: 'unavailable.connection' } });
  });
});

test('a call is not started if its mark cannot be stored', async () => {
  const kept = `${MARKS()}-kept`;
  mkdirSync(MARKS(), { recursive: true });
  renameSync(MARKS(), kept);
  writeFileSync(MARKS(), 'no folder');
  try {
    const input = { file, line: 'x' };
    expect(await project.run('note.add', input)).toMatchObject({ status: 'failed', error: { code: 'store.full' } });
    expect(lines()).toEqual([]);
    expect(await project.run('note.same', input)).toMatchObject({ status: 'succeeded' });
  } finally {
    rmSync(MARKS());
    renameSync(kept, MARKS());
  }
});

test('a call that may be repeated leaves no mark', async () => {
  const before = marks();
  await project.run('note.same', { file, line: 'x' });
  expect(marks()).toEqual(before);
  await project.run('note.add', { file, line: 'y' });
  expect(marks().length).toBeGreaterThan(before.length);
});

test.runIf(WHOLE)(
  'a worker that is killed between the mark and the effect: the call ends unknown and is not repeated',
  async () => {
    const gated = `while (!existsSync(input.file + '.gate')) await sleep(20); ${append}`;
    const folder = makeProject(operation('note.gated', gated, { effects: 'write_additive' }));
    const ability = (...args: string[]) => abilityJson(args, { cwd: folder.root });
    const killed = join(folder.root, 'lines');
    const store = join(folder.root, '.system/store/marks');
    try {
      const input = JSON.stringify({ file: killed, line: 'gated' });
      await ability('run', 'note.gated', '--input', input, '--key', 'killed', '--detach');
      // The folder and the mark in it.
      await expect.poll(() => marks(store).length, { timeout: 20_000 }).toBe(2);
      const runtime: RuntimeFile = JSON.parse(readFileSync(join(folder.root, '.system/runtime.json'), 'utf8'));
      await killProcesses(runtime.pid);
      // Starts the runtime again, which ends the processes that the killed one left behind.
      const { json, exitCode } = await ability('task', 'watch', 'killed', '--timeout', '60s');
      writeFileSync(`${killed}.gate`, '');
      expect(json).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown' } });
      expect(exitCode).toBe(8);
      expect(existsSync(killed)).toBe(false);
      expect(marks(store)).toHaveLength(2);
    } finally {
      await ability('down', '--yes').catch(() => {});
      folder.remove();
    }
  },
  120_000,
);
