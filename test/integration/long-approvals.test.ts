import { userInfo } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decide, readApprovals, type ShownApproval, viewTask, withProof } from '../../src/client/index.js';
import type { Verdict } from '../../src/contracts/approvals.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { newRunAfter, startTemporal, type TestServer } from '../fixtures/temporal-server.js';

const OWNER = userInfo().username;
const ITEMS = Array.from({ length: 20 }, (_, n) => n).join(', ');

let server: TestServer;
let project: RunningProject;

beforeAll(async () => {
  server = await startTemporal({ settings: newRunAfter(30) });
  project = await runProject(
    {
      'ability.yaml': projectFile('{ proven: { proof: required } }'),
      ...operation('util.echo', 'return input;'),
      ...workflow(
        'long',
        `
steps:
  - id: p
    parallel:
      early: { approval: { title: Early? } }
      late: { approval: { title: Late? } }
      refused:
        approval: { title: Refused? }
        on_error: [{ errors: [approval.changes_requested], steps: [{ id: noted, let: { n: 1 } }], output: 1 }]
      busy:
        steps:
          - { id: fills, foreach: [${ITEMS}], as: n, steps: [{ id: filled, call: util.echo, with: {} }] }
          - { id: between, wait: { signal: proceed } }
          - { id: more, foreach: [${ITEMS}], as: n, steps: [{ id: filled_too, call: util.echo, with: {} }] }`,
      ),
      ...workflow('waits', 'steps: [{ id: ask, approval: { title: Called? } }]'),
      ...workflow(
        'calls',
        `
steps:
  - id: p
    parallel:
      called: { call: waits, with: {} }
      busy: { foreach: [${ITEMS}], as: n, steps: [{ id: filled, call: util.echo, with: {} }] }`,
      ),
    },
    { address: server.address, proves: true },
  );
});
afterAll(async () => {
  await project.stop();
  await server.stop();
});

const runOf = async (key: string) => (await project.connection.temporal.workflow.getHandle(key).describe()).runId;

test('several open approvals with proof are carried from run to run, and each is proved separately, once', async () => {
  const { id: key } = await project.create('long');
  const { connection } = project;
  const open = async () => readApprovals(connection, key);
  const named = async (title: string) => (await open()).find((one) => one.title === title) as ShownApproval;
  const proved = (approval: ShownApproval, verdict: Verdict, comment?: string) =>
    withProof(
      connection,
      approval,
      verdict,
      { by: OWNER, approval_id: approval.id, ...(comment && { comment }) },
      { token: undefined, door: null },
    );
  await expect.poll(async () => (await open()).length, { timeout: 20_000 }).toBe(3);
  const first = await runOf(key);
  const shown = await open();
  const done = async (path: string) => (await viewTask(connection, key)).view?.progress[path]?.status;
  await expect.poll(() => done('p/busy/fills'), { timeout: 30_000 }).toBe('succeeded');
  expect(await runOf(key)).not.toBe(first);
  // What was shown before is still open, so a proof made then is valid.
  const keyed = (list: ShownApproval[]) => list.map(({ id, raised_at }) => `${id} ${raised_at}`).sort();
  expect(keyed(await open())).toEqual(keyed(shown));
  const early = shown.find(({ title }) => title === 'Early?') as ShownApproval;
  const decision = proved(early, 'approve');
  expect(await decide(connection, key, 'approve', decision)).toMatchObject({
    approval_id: early.id,
    status: 'approved',
  });
  const second = await runOf(key);
  await connection.temporal.workflow.getHandle(key).signal('proceed');
  await expect.poll(() => done('p/busy/more'), { timeout: 30_000 }).toBe('succeeded');
  expect(await runOf(key)).not.toBe(second);
  // The proof counted in another run of the task, and does not count again.
  const replayed = decide(connection, key, 'approve', decision);
  await expect(replayed).rejects.toMatchObject({ code: 'approval.ignored' });
  const late = await named('Late?');
  const forOther = { ...proved(early, 'approve'), approval_id: late.id };
  await expect(decide(connection, key, 'approve', forOther)).rejects.toMatchObject({ code: 'approval.ignored' });
  await expect(decide(connection, key, 'approve', { by: OWNER, approval_id: late.id })).rejects.toMatchObject({
    code: 'approval.ignored',
  });
  await decide(connection, key, 'approve', proved(late, 'approve'));
  await decide(connection, key, 'request_changes', proved(await named('Refused?'), 'request_changes', 'smaller'));
  const end = await project.wait(key);
  expect(end).toMatchObject({ result: { status: 'succeeded' } });
  const { approvals } = (await viewTask(connection, key)).result;
  expect(approvals.map(({ path, status }) => `${path} ${status}`).sort()).toEqual([
    'p/early approved',
    'p/late approved',
    'p/refused changes_requested',
  ]);
  for (const { decisions } of approvals) {
    expect(decisions).toMatchObject([{ by: { name: OWNER, source: 'os_user' } }]);
  }
}, 120_000);

test('a called task that waits for people does not stop parallel work of its caller', async () => {
  const { id: key } = await project.create('calls');
  const { connection } = project;
  await expect
    .poll(async () => (await viewTask(connection, key)).view?.progress['p/busy']?.status, { timeout: 30_000 })
    .toBe('succeeded');
  const [approval] = await readApprovals(connection, key);
  expect(approval).toMatchObject({ title: 'Called?' });
  await decide(
    connection,
    key,
    'approve',
    withProof(
      connection,
      approval as ShownApproval,
      'approve',
      { by: OWNER, approval_id: approval?.id as string },
      { token: undefined, door: null },
    ),
  );
  expect(await project.wait(key)).toMatchObject({ result: { status: 'succeeded' } });
});
