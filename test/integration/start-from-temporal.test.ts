import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { explainTask, listTasks, readRecord, viewTask } from '../../src/client/index.js';
import type { Json } from '../../src/contracts/json.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import { CHROMIUM, withPage } from '../fixtures/browser.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { installPython } from '../fixtures/servers/install-python.js';

const TEAM = fileURLToPath(new URL('../fixtures/python/team.py', import.meta.url));
const PICTURES = fileURLToPath(new URL('../../coverage/pictures', import.meta.url));

let project: RunningProject;

beforeAll(async () => {
  const note = "appendFileSync(input.file, 'x'); return { text: 'hello ' + input.name };";
  const schema =
    'input_schema: { type: object, required: [name, file], properties: { name: { type: string }, file: { type: string } } }';
  const greet = 'call: greet.user, with: { name: "${{ input.name }}", file: "${{ input.file }}" }';
  const bye = 'call: greet.user, with: { name: finally, file: "${{ input.file }}-finally" }';
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {}, prod: {} }'),
    'registry/hooks/PreAbilityCreate.yaml': `hooks:
  - { id: nobody, blocking: true, handler: { expression: { deny_if: "has(input.name) && input.name == 'Nobody'", reason: Nobody is greeted., suggestion: Name somebody. } } }
`,
    ...operation('greet.user', note, { effects: 'write_additive', yaml: `${schema}\nscope: { environments: [dev] }` }),
    ...workflow(
      'release',
      `${schema}
steps: [{ id: ask, approval: { title: Go on? } }, { id: greet, ${greet} }]
finally: [{ id: bye, ${bye} }]
output: "\${{ steps.greet.output.text }}"`,
    ),
    ...workflow(
      'far',
      `placement: cloud\n${schema}\nsteps: [{ id: heard, wait: { signal: go } }, { id: greet, ${greet} }]`,
    ),
  });
  // The workers serve both environments from now on.
  await project.run('greet.user', { name: 'Ada', file: fileOf('first') });
  await project
    .create('far', { name: 'Ada', file: fileOf('far') }, { environment: 'prod', run: false })
    .catch(() => {});
}, 120_000);
afterAll(() => project.stop());

const fileOf = (name: string) => join(project.root, `file-${name}`);
const queueOf = (environment = 'dev') => taskQueueOf(project.connection.project, environment, 'local');
const statusOf = async (key: string) => (await viewTask(project.connection, key)).result.status;
const ended = async (key: string) => {
  const end = await project.wait(key);
  if (end.kind !== 'ended') throw new Error(`${key}: ${end.kind}`);
  return end.result;
};

/** The program of Temporal itself. */
async function temporal(...args: string[]): Promise<{ code: number; output: string }> {
  const { binary, address } = inject('temporal');
  try {
    const { stdout } = await promisify(execFile)(binary, [...args, '--address', address]);
    return { code: 0, output: stdout };
  } catch (error) {
    const { code = 1, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string };
    return { code, output: `${stdout}${stderr}` };
  }
}
const start = (type: string, id: string, input: Json, queue = queueOf()) =>
  temporal(
    'workflow',
    'start',
    '--type',
    type,
    '--workflow-id',
    id,
    '--task-queue',
    queue,
    '--input',
    JSON.stringify(input),
  );

describe('the program `temporal` starts an ability with its input alone', () => {
  test('as `ability run` does: preflight, guards, record, `why`, list', async () => {
    expect((await start('greet.user', 'cli-1', { name: 'Ada', file: fileOf('cli-1') })).code).toBe(0);
    expect(await ended('cli-1')).toMatchObject({
      status: 'succeeded',
      output: { text: 'hello Ada' },
      environment: 'dev',
      requested_by: { name: 'unknown', source: 'claimed' },
    });
    expect(readRecord(project.connection, 'cli-1')).toMatchObject({
      input: { name: 'Ada' },
      result: { status: 'succeeded' },
    });
    expect(await explainTask(project.connection, 'cli-1')).toMatchObject({
      status: 'succeeded',
      input: { name: 'Ada' },
    });
    const listed = () => listTasks(project.connection, { ability: 'greet.user', limit: 99 });
    await expect.poll(async () => (await listed()).map(({ task_key }) => task_key)).toContain('cli-1');
    expect((await listed()).find(({ task_key }) => task_key === 'cli-1')).toMatchObject({
      version: 1,
      environment: 'dev',
    });
  });

  test.each<[string, string, Json, string, string | undefined]>([
    ['a wrong input', 'greet.user', { name: 7 }, 'input.invalid', 'dev'],
    [
      'an integer that may have been another one',
      'greet.user',
      { name: 'Ada', file: 'x', ids: [2 ** 60] },
      'input.invalid',
      'dev',
    ],
    ['an input that is no object', 'greet.user', ['Ada'], 'input.invalid', 'dev'],
    [
      'an environment in which the ability is not available',
      'greet.user',
      { name: 'Ada' },
      'scope.environment',
      'prod',
    ],
    ['a guard that denies', 'greet.user', { name: 'Nobody', file: 'x' }, 'guard.denied', 'dev'],
    ['an ability that is not there', 'greet.nobody', {}, 'ability.not_found', 'dev'],
  ])('%s ends it as unavailable, and nothing runs', async (what, type, input, code, environment) => {
    const key = `cli-${what.length}`;
    await start(type, key, input, queueOf(environment));
    expect(await ended(key)).toMatchObject({ status: 'unavailable', error: { code }, steps: [] });
    const { output } = await temporal('workflow', 'describe', '--workflow-id', key);
    expect(output).toContain(code);
    expect(output).toContain('unavailable');
    expect(readRecord(project.connection, key)).toBeUndefined();
  });

  test('on a queue of no environment nothing takes it up, and it runs nothing', async () => {
    await start(
      'greet.user',
      'cli-nowhere',
      { name: 'Ada', file: fileOf('nowhere') },
      `${project.connection.project}-nowhere-local`,
    );
    expect(await project.wait('cli-nowhere', { timeoutMs: 2000 })).toMatchObject({ kind: 'timeout' });
    await temporal('workflow', 'terminate', '--workflow-id', 'cli-nowhere');
    expect(existsSync(fileOf('nowhere'))).toBe(false);
  });

  test('with an approval, which a signal of the program gives', async () => {
    await start('release', 'cli-asks', { name: 'Ada', file: fileOf('asks') });
    await expect.poll(() => statusOf('cli-asks'), { timeout: 20_000 }).toBe('waiting_approval');
    const decision = JSON.stringify({ by: 'ann', comment: 'fine', id: 'd-1' });
    await temporal('workflow', 'signal', '--workflow-id', 'cli-asks', '--name', 'approve', '--input', decision);
    expect(await ended('cli-asks')).toMatchObject({
      status: 'succeeded',
      output: 'hello Ada',
      approvals: [{ status: 'approved', decisions: [{ by: { name: 'ann' } }] }],
    });
    const asked = await temporal(
      'workflow',
      'query',
      '--workflow-id',
      'cli-asks',
      '--type',
      'decision',
      '--input',
      '"d-1"',
    );
    expect(asked.output).toMatch(/counted.*true/);
  });

  test('twice under one key: one task; after its end the same request is answered by it, another is refused', async () => {
    const input = { name: 'Ada', file: fileOf('twice') };
    const runOf = ({ output }: { output: string }) => /RunId +(\S+)/.exec(output)?.[1];
    const run = runOf(await start('release', 'cli-twice', input));
    expect(runOf(await start('release', 'cli-twice', input))).toBe(run);
    await expect.poll(() => statusOf('cli-twice'), { timeout: 20_000 }).toBe('waiting_approval');
    await temporal('workflow', 'signal', '--workflow-id', 'cli-twice', '--name', 'approve', '--input', '{"by":"ann"}');
    const first = await ended('cli-twice');
    await start('release', 'cli-twice', input);
    expect(await ended('cli-twice')).toMatchObject({ status: 'succeeded', digest: first.digest, output: first.output });
    await start('release', 'cli-twice', { ...input, name: 'Bob' });
    expect(await ended('cli-twice')).toMatchObject({ status: 'unavailable', error: { code: 'task.key_conflict' } });
    expect(readRecord(project.connection, 'cli-twice')?.result?.status).toBe('succeeded');
  });

  test.each(['a/b', 'session:x', 'ü'])('under the id %s it is refused', async (id) => {
    await start('greet.user', id, { name: 'Ada', file: fileOf('ids') });
    const { output } = await temporal('workflow', 'result', '--workflow-id', id);
    expect(output).toContain('task.key_invalid');
    expect(existsSync(fileOf('ids'))).toBe(false);
  });

  test.each([
    ['--cron', '@every 1s'],
    ['--execution-timeout', '1m'],
    ['--run-timeout', '1m'],
  ])('with %s of Temporal it is refused by name', async (flag, value) => {
    const id = `cli${flag.replaceAll('-', '_')}`;
    const input = JSON.stringify({ name: 'Ada', file: fileOf('flags') });
    const args = ['--type', 'greet.user', '--workflow-id', id, '--task-queue', queueOf(), '--input', input];
    await temporal('workflow', 'start', ...args, flag, value);
    const query = `WorkflowId = '${id}' AND ExecutionStatus != 'Running'`;
    const failed = async (): Promise<string> => {
      for await (const { runId } of project.connection.temporal.workflow.list({ query })) {
        return (await temporal('workflow', 'show', '--workflow-id', id, '--run-id', runId, '--output', 'json')).output;
      }
      return '';
    };
    await expect.poll(failed, { timeout: 20_000 }).toContain('"type": "usage.invalid"');
    await temporal('workflow', 'terminate', '--workflow-id', id);
    expect(existsSync(fileOf('flags'))).toBe(false);
  });

  test('on the other queue of its environment it continues on its own, with the signals that came before', async () => {
    await project.stopWorkers();
    await start('far', 'cli-far', { name: 'Ada', file: fileOf('moved') });
    await temporal('workflow', 'signal', '--workflow-id', 'cli-far', '--name', 'go', '--input', '1');
    await temporal('workflow', 'signal', '--workflow-id', 'cli-far', '--name', 'pause');
    await project.restartWorkers();
    const { workflow: workflows } = project.connection.temporal;
    const queue = async () => (await workflows.getHandle('cli-far').describe()).taskQueue;
    await expect.poll(queue, { timeout: 20_000 }).toBe(taskQueueOf(project.connection.project, 'dev', 'cloud'));
    await expect.poll(async () => (await viewTask(project.connection, 'cli-far')).view?.paused).toBe(true);
    await temporal('workflow', 'signal', '--workflow-id', 'cli-far', '--name', 'resume');
    expect(await ended('cli-far')).toMatchObject({ status: 'succeeded' });
    expect(
      (await listTasks(project.connection, { ability: 'far', limit: 9 })).map(({ task_key }) => task_key),
    ).toContain('cli-far');
  });

  test('a Temporal Schedule made there starts tasks, whose keys end with its time', async () => {
    const { project: name } = project.connection;
    const input = JSON.stringify({ name: 'Ada', file: fileOf('schedule') });
    const id = `by-hand-${name}`;
    const action = ['--type', 'greet.user', '--task-queue', queueOf(), '--workflow-id', 'nightly', '--input', input];
    expect(await temporal('schedule', 'create', '--schedule-id', id, '--cron', '0 0 1 1 *', ...action)).toMatchObject({
      code: 0,
    });
    await temporal('schedule', 'trigger', '--schedule-id', id);
    const keys = async () => {
      const tasks = await listTasks(project.connection, { ability: 'greet.user', status: ['succeeded'], limit: 99 });
      return tasks.map(({ task_key }) => task_key).filter((key) => key.startsWith('nightly-'));
    };
    await expect
      .poll(keys, { timeout: 20_000 })
      .toEqual([expect.stringMatching(/^nightly-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)]);
    await temporal('schedule', 'delete', '--schedule-id', id);
  });
});

const python = await installPython(['temporalio==1.35.0']).then(
  (folder) => ({ folder, why: '' }),
  (error: Error) => ({ folder: undefined, why: error.message }),
);

describe.skipIf(!python.folder)(`the SDK of Temporal for Python (${python.why || 'temporalio'})`, () => {
  let team: ChildProcess;
  /** Who waits for the end of a workflow, by its id. */
  const waiting = new Map<string, (end: Json) => void>();
  beforeAll(async () => {
    const env = { ...process.env, PYTHONPATH: python.folder };
    team = spawn('python3', [TEAM, inject('temporal').address, `team-${project.connection.project}`], { env });
    const lines = createInterface({ input: team.stdout as NodeJS.ReadableStream });
    await once(lines, 'line');
    lines.on('line', (line) => {
      const { id, end } = JSON.parse(line) as { id: string; end: Json };
      waiting.get(id)?.(end);
    });
  });
  afterAll(async () => {
    team.kill('SIGKILL');
    if (team.exitCode === null && team.signalCode === null) await once(team, 'exit');
  });

  /** Starts it as a root of its own, or as a child of a workflow of the team. */
  const ways = {
    root: (type: string, id: string, input: Json, queue: string): Promise<Json> =>
      new Promise((resolve) => {
        waiting.set(id, resolve);
        team.stdin?.write(`${JSON.stringify({ type, id, input, queue })}\n`);
      }),
    child: (type: string, id: string, input: Json, queue: string): Promise<Json> =>
      project.connection.temporal.workflow.execute('team.caller', {
        workflowId: `team-${id}`,
        taskQueue: `team-${project.connection.project}`,
        args: [{ type, id, input, queue }],
      }),
  };

  describe.each(['root', 'child'] as const)('starts an ability as a %s', (way) => {
    const started = (type: string, name: string, input: Json, queue = queueOf()) =>
      ways[way](type, `py-${way}-${name}`, input, queue);

    test('whose result it gets; it is a task of its own, with a record', async () => {
      const end = await started('greet.user', 'good', { name: 'Ada', file: fileOf(`${way}-good`) });
      expect(end).toMatchObject({ status: 'succeeded', output: { text: 'hello Ada' } });
      expect(readRecord(project.connection, `py-${way}-good`)).toMatchObject({ input: { name: 'Ada' } });
      const keys = async () => (await listTasks(project.connection, { limit: 99 })).map(({ task_key }) => task_key);
      await expect.poll(keys).toContain(`py-${way}-good`);
    });

    test.each<[string, Json, string, string]>([
      ['wrong', { name: 7 }, 'dev', 'input.invalid'],
      ['elsewhere', { name: 'Ada', file: 'x' }, 'prod', 'scope.environment'],
      ['denied', { name: 'Nobody', file: 'x' }, 'dev', 'guard.denied'],
    ])('which preflight refuses: %s', async (name, input, environment, code) => {
      const end = await started('greet.user', name, input, queueOf(environment));
      expect(end).toMatchObject({ code, details: [{ status: 'unavailable', code }] });
      expect(await statusOf(`py-${way}-${name}`)).toBe('unavailable');
    });

    test('with an approval', async () => {
      const ending = started('release', 'asks', { name: 'Ada', file: fileOf(`${way}-asks`) });
      const key = `py-${way}-asks`;
      const status = () => statusOf(key).catch(() => undefined);
      await expect.poll(status, { timeout: 30_000 }).toBe('waiting_approval');
      await temporal('workflow', 'signal', '--workflow-id', key, '--name', 'approve', '--input', '{"by":"ann"}');
      expect(await ending).toMatchObject({ status: 'succeeded', output: 'hello Ada' });
    });

    test('twice under one key, of which the second is answered by the first', async () => {
      const input = { name: 'Ada', file: fileOf(`${way}-twice`) };
      const first = await started('greet.user', 'twice', input);
      const second = await ways.root('greet.user', `py-${way}-twice`, input, queueOf());
      expect(second).toMatchObject({ status: 'succeeded', output: (first as { output: Json }).output });
      expect(existsSync(fileOf(`${way}-twice`))).toBe(true);
    });
  });

  test('a cancellation of the parent cancels the task, whose clean-up runs', async () => {
    const file = fileOf('cancelled');
    const ending = ways.child('release', 'py-cancelled', { name: 'Ada', file }, queueOf()).catch(() => undefined);
    await expect
      .poll(() => statusOf('py-cancelled').catch(() => undefined), { timeout: 30_000 })
      .toBe('waiting_approval');
    await temporal('workflow', 'cancel', '--workflow-id', 'team-py-cancelled');
    await ending;
    expect(await ended('py-cancelled')).toMatchObject({ status: 'cancelled', cleanup_ran: true });
    expect(existsSync(file)).toBe(false);
    expect(existsSync(`${file}-finally`)).toBe(true);
  });
});

describe.skipIf(!CHROMIUM)('the form of the Temporal UI (needs chromium: apt-get install chromium)', () => {
  test('starts an ability', async () => {
    mkdirSync(PICTURES, { recursive: true });
    await withPage(async (page) => {
      await page.goto(`${inject('temporal').ui}/namespaces/default/workflows/start-workflow`);
      await page.locator('#workflowId').fill('from-the-ui');
      await page.locator('#taskQueue').fill(queueOf());
      await page.locator('#workflowType').fill('greet.user');
      const editor = page.locator('.cm-content').first();
      await editor.click();
      await page.keyboard.insertText(JSON.stringify({ name: 'Ada', file: fileOf('ui') }));
      // The editor formats its text once it is left, which moves the button.
      await page.locator('h1').click();
      await page.getByText('Task Queue is Active').waitFor();
      await expect.poll(() => editor.innerText()).toContain('\n');
      await page.screenshot({ path: join(PICTURES, 'start.png') });
      await page.locator('button:visible', { hasText: 'Start Workflow' }).last().click();
      await expect.poll(() => statusOf('from-the-ui').catch(() => undefined), { timeout: 20_000 }).toBe('succeeded');
      await page.goto(`${inject('temporal').ui}/namespaces/default/workflows/from-the-ui`);
      await page.getByText('hello Ada').first().waitFor();
      await page.screenshot({ path: join(PICTURES, 'started.png') });
    });
  });
});
