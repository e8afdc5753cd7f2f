import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cancelTask, decide, type ListFilter, listTasks, openApprovals, runTask } from '../../src/client/index.js';
import { SIGNALS } from '../../src/contracts/names.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

/** Keys of tasks by state, created once. */
const KEYS = {
  created: ['made', 'poked'],
  waiting_approval: ['waits'],
  running: ['slow', 'made-and-run'],
  succeeded: ['good', 'good-in-staging', 'in-a-session'],
  failed: ['bad'],
  denied: ['no'],
  cancelled: ['cancelled', 'terminated', 'terminated-waiting'],
  timed_out: ['late'],
  unknown: ['unclear'],
} as const;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {}, staging: {} }'),
    ...operation('u.good', 'return 1;'),
    ...operation('u.slow', 'await sleep(120_000);', { script: ', timeout_sec: 120' }),
    ...operation('u.unclear', 'process.kill(process.pid, "SIGKILL");', { effects: 'write_additive' }),
    ...workflow('bad', 'steps: [{ id: a, fail: { code: mine, message: No. } }]'),
    ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go? } }]'),
    ...workflow('late', 'timeout: 1s\nsteps: [{ id: a, call: u.slow, with: {} }]'),
  });
  await makeAll();
});
afterAll(async () => {
  for (const key of [...KEYS.created, ...KEYS.waiting_approval, ...KEYS.running]) {
    await project.connection.temporal.workflow.getHandle(key).terminate();
  }
  await project.stop();
});

async function makeAll(): Promise<void> {
  const { create, connection, wait } = project;
  const asking = (key: string) =>
    vi.waitFor(async () => expect(await openApprovals(connection, key)).toHaveLength(1), { timeout: 20_000 });
  await create('u.good', {}, { key: 'made', run: false });
  await create('u.good', {}, { key: 'poked', run: false });
  for (let n = 0; n < 5; n += 1) await connection.temporal.workflow.getHandle('poked').signal(SIGNALS.approve, {});
  await create('u.slow', {}, { key: 'made-and-run', run: false });
  await runTask(connection, 'made-and-run');
  await create('u.slow', {}, { key: 'slow' });
  await create('u.slow', {}, { key: 'cancelled' });
  await create('u.slow', {}, { key: 'terminated' });
  for (const key of ['waits', 'no', 'terminated-waiting']) await create('asks', {}, { key });
  for (const key of ['waits', 'no', 'terminated-waiting']) await asking(key);
  await decide(connection, 'no', 'deny', { by: 'x' });
  await cancelTask(connection, 'cancelled');
  for (const key of ['terminated', 'terminated-waiting']) await connection.temporal.workflow.getHandle(key).terminate();
  await create('u.good', {}, { key: 'good' });
  await create('u.good', {}, { key: 'good-in-staging', environment: 'staging' });
  await project.startSession('talk-1');
  await create('u.good', {}, { key: 'in-a-session', session: 'talk-1' });
  await create('u.good', {}, { direct: true });
  await create('bad', {}, { key: 'bad' });
  await create('late', {}, { key: 'late' });
  await create('u.unclear', {}, { key: 'unclear' });
  const ended = [...KEYS.succeeded, ...KEYS.failed, ...KEYS.denied, ...KEYS.timed_out, ...KEYS.unknown, 'cancelled'];
  await Promise.all(ended.map((key) => wait(key)));
}

const list = (filter: Partial<ListFilter> = {}) => listTasks(project.connection, { limit: 100, ...filter });
const keysOf = async (filter: Partial<ListFilter> = {}) => (await list(filter)).map(({ task_key }) => task_key).sort();
/** The lists of Temporal lag behind by a moment. */
const settled = (filter: Partial<ListFilter>, keys: readonly string[]) =>
  expect.poll(() => keysOf(filter), { timeout: 20_000 }).toEqual([...keys].sort());

describe('a list', () => {
  test('has every task of the project once, with its state, but no direct runs or preflights', async () => {
    await settled({}, Object.values(KEYS).flat());
    const states = new Map((await list()).map(({ task_key, status }) => [task_key, status]));
    for (const [state, keys] of Object.entries(KEYS)) {
      expect(keys.map((key) => `${key} ${states.get(key)}`)).toEqual(keys.map((key) => `${key} ${state}`));
    }
  });

  test.each(Object.entries(KEYS))('of %s tasks has exactly those', async (state, keys) => {
    await settled({ status: [state as keyof typeof KEYS] }, keys);
  });

  test('of several states has those of each', async () => {
    await settled({ status: ['denied', 'failed'] }, ['bad', 'no']);
  });

  test('is narrowed by ability, environment and session, all of which must match', async () => {
    await settled({ ability: 'asks' }, ['no', 'terminated-waiting', 'waits']);
    await settled({ environment: 'staging' }, ['good-in-staging']);
    await settled({ session: 'talk-1' }, ['in-a-session']);
    await settled({ ability: 'asks', environment: 'staging' }, []);
    expect(await list({ session: 'talk-1' })).toMatchObject([
      { session: 'talk-1', version: 1, requested_by: 'tester' },
    ]);
  });

  test('is narrowed by where a right holds, and ends at its limit then, too', async () => {
    await settled({ within: [{ abilities: ['asks'] }, { environments: ['stag*'] }] }, [
      ...['good-in-staging', 'no', 'terminated-waiting', 'waits'],
    ]);
    await settled({ within: [{ abilities: ['*sks'], environments: ['dev'] }] }, ['no', 'terminated-waiting', 'waits']);
    await settled({ within: [{ abilities: ['a*s'], environments: ['staging'] }] }, []);
    expect(await list({ within: [{ abilities: ['*sks'] }], limit: 2 })).toMatchObject([
      { ability_id: 'asks' },
      { ability_id: 'asks' },
    ]);
  });

  test('is narrowed by time of start', async () => {
    const [task] = await list({ ability: 'late' });
    const start = Date.parse(task?.started_at as string);
    await settled({ ability: 'late', since: new Date(start) }, ['late']);
    await settled({ ability: 'late', since: new Date(start + 1) }, []);
  });

  test('is narrowed by a condition in the query language of Temporal', async () => {
    await settled({ status: ['succeeded'], query: "AbilityEnvironment = 'staging' OR WorkflowId = 'good'" }, [
      'good',
      'good-in-staging',
    ]);
  });

  test('a condition that Temporal does not understand is refused and quoted', async () => {
    for (const query of ['Nonsense = 1', 'x y z', "StartTime > 'soon'", "WorkflowId = 'a' ORDER BY StartTime"]) {
      const error = await list({ query }).then(
        () => undefined,
        (thrown) => thrown,
      );
      expect(error, query).toMatchObject({ code: 'usage.invalid', message: expect.stringContaining(query) });
    }
  });

  test('ends at its limit', async () => {
    expect(await list({ limit: 3 })).toHaveLength(3);
  });
});
