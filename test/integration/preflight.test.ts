import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ActivityNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteTask, explainTask } from '../../src/client/index.js';
import { preflightIdOf } from '../../src/contracts/names.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

/** The server forgets an execution after acknowledging that its end was processed; default: every 30 seconds. */
const SOON = 'history.transferProcessorUpdateAckInterval="500ms"';
const GUARDS = `hooks:
  - { id: gate, blocking: true, match: { abilities: [gated] }, handler: { script: { path: hooks/gate.mjs } } }
  - { id: never, blocking: true, match: { abilities: [never] }, handler: { expression: { deny_if: "true", reason: closed } } }
`;
/** Notes its start and its end, to detect two that run at once. */
const HOOK = `import { appendFileSync } from 'node:fs';
const note = (what) => appendFileSync('notes.txt', what + '\\n');
note('begins');
await new Promise((resolve) => setTimeout(resolve, 300));
note('ends');
process.stdout.write('{"guard_decision": "allow"}');
`;

const by = { name: 'tester', source: 'claimed' } as const;

describe.each([
  ['an activity outside of workflows, if the server supports these', [SOON], 'activity'],
  ['a workflow, if it does not', [SOON, 'activity.enableStandalone=false'], 'workflow'],
] as const)('a preflight is %s', (_, settings, kind) => {
  let server: TestServer;
  let project: RunningProject;
  beforeAll(async () => {
    server = await startTemporal({ settings });
    const files = {
      'ability.yaml': projectFile('{ dev: {} }'),
      'registry/hooks/PreAbilityCreate.yaml': GUARDS,
      'hooks/gate.mjs': HOOK,
      ...operation('util.echo', 'return input;'),
      ...workflow('gated', 'steps: [{ id: e, call: util.echo, with: {} }]'),
      ...workflow('never', 'steps: [{ id: e, call: util.echo, with: {} }]'),
    };
    project = await runProject(files, { ...server, placements: ['local'] });
  });
  afterAll(async () => {
    await project.stop();
    await server.stop();
  });

  /** Whether Temporal knows a preflight of a key as an activity and as a workflow. */
  async function known(key: string): Promise<{ activity: boolean; workflow: boolean }> {
    const { temporal, project: name } = project.connection;
    const id = preflightIdOf(key, name);
    const exists = (describing: Promise<unknown>) =>
      describing.then(
        () => true,
        (error) => {
          if (error instanceof ActivityNotFoundError || error instanceof WorkflowNotFoundError) return false;
          if (kind === 'workflow' && error.cause?.code === 12) return false;
          throw error;
        },
      );
    const [activity, workflow] = await Promise.all([
      exists(temporal.activity.getHandle(id).describe()),
      exists(temporal.workflow.getHandle(id).describe()),
    ]);
    return { activity, workflow };
  }
  const only = { activity: kind === 'activity', workflow: kind === 'workflow' };

  test('leaves nothing else in Temporal', async () => {
    expect(await project.run('util.echo', {}, { key: 'seen' })).toMatchObject({ status: 'succeeded' });
    expect(await known('seen')).toEqual(only);
  });

  test('runs once at a time per key, and all callers get one task', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => project.create('gated', {}, { key: 'crowd' })));
    expect(new Set(all.map(({ runId }) => runId)).size).toBe(1);
    const notes = readFileSync(join(project.root, 'notes.txt'), 'utf8').trim().split('\n');
    expect(notes.filter((_, nth) => nth % 2 === 0)).not.toContain('ends');
    expect(notes.filter((_, nth) => nth % 2 === 1)).not.toContain('begins');
    expect(await project.wait('crowd')).toMatchObject({ result: { status: 'succeeded' } });
  });

  test('makes callers with other inputs wait their turn, and one of them gets the key', async () => {
    const creations = [1, 2, 3].map((n) => project.create('gated', { n }, { key: 'contested' }).then(() => 'created'));
    const ends = await Promise.all(creations.map((one) => one.catch((error) => error.code)));
    expect(ends.sort()).toEqual(['created', 'task.key_conflict', 'task.key_conflict']);
  });

  test('is refused if its key has a folder without a record, with the path of the folder', async () => {
    const folder = join(project.root, '.system/implement/occupied');
    mkdirSync(folder, { recursive: true });
    await expect(project.create('gated', { n: 1 }, { key: 'occupied' })).rejects.toMatchObject({
      code: 'task.key_conflict',
      message: `The key occupied is taken: ${folder} exists, but contains no readable record`,
    });
  });

  test('leaves neither task nor record when it refuses, and `why` reports the refusal', async () => {
    const refused = project.create('never', {}, { key: 'refused' });
    await expect(refused).rejects.toMatchObject({ code: 'guard.denied' });
    await expect(explainTask(project.connection, 'refused')).rejects.toMatchObject({
      code: 'task.not_found',
      message: 'There is no task refused: it could not be created: guard.denied: closed (hook never)',
    });
    expect(existsSync(join(project.root, '.system/implement/refused'))).toBe(false);
    expect(await known('refused')).toEqual(only);
  });

  test('is purged with its task, including all its runs', async () => {
    await project.run('util.echo', {}, { key: 'purged' });
    // A second request under the key runs another preflight with the same id.
    expect(await project.create('util.echo', {}, { key: 'purged' })).toMatchObject({ attached: true });
    expect(await known('purged')).toEqual(only);
    if (kind === 'activity') await expect.poll(() => runsOf('purged'), { timeout: 20_000 }).toBe(2);
    expect(await deleteTask(project.connection, 'purged', { by, purge: true })).toMatchObject({ kind: 'deleted' });
    expect(await known('purged')).toEqual({ activity: false, workflow: false });
    if (kind === 'activity') await expect.poll(() => runsOf('purged'), { timeout: 20_000 }).toBe(0);
  });

  test.runIf(kind === 'activity')('becomes a workflow if no worker starts it soon', async () => {
    await project.stopWorkers();
    const creating = project.create('util.echo', {}, { key: 'late' });
    await expect.poll(() => known('late'), { timeout: 20_000 }).toEqual({ activity: true, workflow: true });
    await project.restartWorkers();
    expect(await creating).toMatchObject({ id: 'late', attached: false });
    expect(await project.wait('late')).toMatchObject({ result: { status: 'succeeded' } });
  });

  async function runsOf(key: string): Promise<number> {
    const { temporal, project: name } = project.connection;
    return (await temporal.activity.count(`ActivityId = '${preflightIdOf(key, name)}'`)).count;
  }
});
