import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decide, listGrants, readApprovals, type ShownApproval } from '../../src/client/index.js';
import type { Decision } from '../../src/contracts/approvals.js';
import { LONG } from '../fixtures/extent.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { newRunAfter, startTemporal, type TestServer } from '../fixtures/temporal-server.js';

const ITEMS = Array.from({ length: 20 }, (_, n) => n).join(', ');
const loop = (more: string, name: string) =>
  `{ id: hosts, foreach: [${ITEMS}], as: n, ${more} steps: [{ id: restart, call: host.restart, with: { host: "${name}-\${{ string(n) }}" } }] }`;
const busy = `{ id: fills, foreach: [${ITEMS}], as: n, steps: [{ id: filled, call: util.echo, with: {} }] }`;

let server: TestServer;
let project: RunningProject;

beforeAll(async () => {
  server = await startTemporal({ settings: newRunAfter(30) });
  project = await runProject(
    {
      'ability.yaml': projectFile('{ dev: { approve: [destructive] } }'),
      ...operation('util.echo', 'return input;'),
      ...operation('host.restart', 'appendFileSync("restarted", input.host + "\\n"); return 1;', {
        effects: 'destructive',
      }),
      ...workflow('rollout', `steps: [${loop('', 'one')}]`),
      ...workflow(
        'once',
        `
steps:
  - id: p
    parallel:
      all: { steps: [${loop('approval: { of: each, items: all }, on_failure: finish,', 'all')}] }
      busy: { steps: [${busy}] }`,
      ),
    },
    { address: server.address },
  );
});
afterAll(async () => {
  await project.stop();
  await server.stop();
});

const runOf = async (key: string) => (await project.connection.temporal.workflow.getHandle(key).describe()).runId;
const restarted = (name: string) => {
  const file = join(project.root, 'restarted');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.filter((line) => line.startsWith(`${name}-`));
};
async function asked(key: string): Promise<ShownApproval> {
  await expect.poll(async () => (await readApprovals(project.connection, key)).length, { timeout: 30_000 }).toBe(1);
  return (await readApprovals(project.connection, key))[0] as ShownApproval;
}
const say = async (key: string, more: Partial<Decision> = {}) =>
  decide(project.connection, key, 'approve', { by: 'alice', approval_id: (await asked(key)).id, ...more });

test('a grant serves the later runs of its task, and one of them may be given another', LONG, async () => {
  const { id: key } = await project.create('rollout');
  const grant = { for: 'task', up_to: 10 };
  const first = await runOf(key);
  await say(key, { grant });
  expect(await asked(key)).toMatchObject({ path: 'hosts/10/restart' });
  expect(await runOf(key)).not.toBe(first);
  await say(key, { grant });
  expect(await project.wait(key)).toMatchObject({ result: { status: 'succeeded', warnings: [] } });
  expect(restarted('one')).toHaveLength(20);
  const [last, ...others] = await listGrants(project.connection, true);
  expect([last?.status, last?.used, others.map(({ used }) => used)]).toEqual(['used_up', 10, [10]]);
});

test('a foreach that asks once waits, and goes on, over several runs', LONG, async () => {
  const { id: key } = await project.create('once');
  const { raised_at } = await asked(key);
  const first = await runOf(key);
  await expect.poll(() => runOf(key), { timeout: 30_000 }).not.toBe(first);
  expect(await asked(key)).toMatchObject({ raised_at, items: 20 });
  const before = await runOf(key);
  await say(key, { denied_items: [3, 18] });
  expect(await project.wait(key)).toMatchObject({ result: { status: 'denied', error: { code: 'approval.denied' } } });
  expect(await runOf(key)).not.toBe(before);
  const made = restarted('all');
  expect([made.length, new Set(made).size, made.includes('all-2'), made.includes('all-17')]).toEqual([
    18,
    18,
    false,
    false,
  ]);
});
