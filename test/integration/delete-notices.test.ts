import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteTask, openApprovals, readRecord } from '../../src/client/index.js';
import { WORKFLOWS } from '../../src/contracts/names.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

const DATA = 'the-data-of-the-task';
/** The server deletes a history only once it has noted that its end is processed, by default every half minute. */
const SOON = 'history.transferProcessorUpdateAckInterval="500ms"';

let receiver: Server;
let received: string[] = [];
let temporal: TestServer;
let project: RunningProject;

beforeAll(async () => {
  // The receiver is down: the notices are retried for an hour.
  receiver = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']));
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  temporal = await startTemporal({ settings: [SOON] });
  project = await runProject(
    {
      'ability.yaml': projectFile(
        '{ dev: {} }',
        'notify: [{ on: [approval.requested, task.failed], webhook: "env:HOOK", secret: "env:HOOK_SECRET" }]\n',
      ),
      '.env': [
        `HOOK=http://127.0.0.1:${port}/hook`,
        `HOOK_SECRET=whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      ].join('\n'),
      ...operation('op.read', 'return 1;'),
      ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go? } }, { id: a, call: op.read }]'),
      ...workflow('calls', 'steps: [{ id: sub, call: asks, with: { text: "${{ input.text }}" } }]'),
    },
    { address: temporal.address },
  );
});
afterAll(async () => {
  await project.stop();
  await temporal.stop();
  receiver.close();
});

const notices = async (key: string): Promise<string[]> => {
  const found: string[] = [];
  const query = `WorkflowType = '${WORKFLOWS.notify}' AND (WorkflowId STARTS_WITH 'notify:${key}:' OR WorkflowId STARTS_WITH 'notify:${key}/')`;
  for await (const { workflowId } of project.connection.temporal.workflow.list({ query })) found.push(workflowId);
  return found;
};
const isKnown = (id: string) =>
  project.connection.temporal.workflow
    .getHandle(id)
    .describe()
    .then(
      () => true,
      (error) => {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      },
    );
async function createWaiting(ability: string): Promise<{ key: string; sent: string[] }> {
  received = [];
  const { id: key } = await project.create(ability, { text: DATA });
  await expect.poll(async () => (await openApprovals(project.connection, key)).length, { timeout: 20_000 }).toBe(1);
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1);
  await expect.poll(async () => (await notices(key)).length, { timeout: 20_000 }).toBe(1);
  return { key, sent: await notices(key) };
}
const purge = (key: string) =>
  deleteTask(project.connection, key, { by: { name: 'remover', source: 'claimed' }, purge: true });

test.each(['asks', 'calls'])(
  'R-000-85: --purge of a task (%s) deletes its notices, too, even one that is still retried',
  async (ability) => {
    const { key, sent } = await createWaiting(ability);
    expect(await purge(key)).toMatchObject({ kind: 'deleted', deletion: { purged: true } });
    expect(await Promise.all(sent.map(isKnown))).toEqual([false]);
  },
  90_000,
);

test('a notice whose history is gone is deleted as well, and that of another task stays', async () => {
  const { key, sent } = await createWaiting('asks');
  const other = await createWaiting('asks');
  // It is written beside the task, and names its environment once there is no history.
  await expect.poll(() => readRecord(project.connection, key), { timeout: 20_000 }).toBeDefined();
  // An earlier deletion that was interrupted.
  const workflowExecution = { workflowId: key };
  const { workflowService } = project.connection.temporal;
  await workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution });
  await expect.poll(() => isKnown(key), { timeout: 30_000 }).toBe(false);
  expect(await isKnown(sent[0] as string)).toBe(true);
  expect(await purge(key)).toMatchObject({ kind: 'deleted', deletion: { purged: true } });
  expect(await isKnown(sent[0] as string)).toBe(false);
  expect(await isKnown(other.sent[0] as string)).toBe(true);
}, 90_000);
