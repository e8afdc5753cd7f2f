import { ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { listApprovals } from '../../../../src/client/approvals/read-approvals.js';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { viewTask } from '../../../../src/client/view/view-task.js';

/** A session with a task that ends just after it was described as running. */
function sessionWithATaskThatJustEnded(): Connection {
  const description = {
    status: { name: 'RUNNING' },
    type: 'flow',
    memo: { ability: 'flow' },
    searchAttributes: { AbilityProject: ['p'] },
    startTime: new Date(0),
    closeTime: null,
  };
  const task = {
    describe: async () => description,
    query: async () => ({ status: 'succeeded', output: null, progress: {}, approvals: [], links: {} }),
    result: async () => ({ status: 'succeeded', output: { seed: 1 }, steps: [] }),
  };
  const none = { describe: () => Promise.reject(new WorkflowNotFoundError('no deletion', 'delete:x', undefined)) };
  const temporal = {
    workflow: { getHandle: (id: string) => (id.startsWith('delete:') ? none : task) },
    withDeadline: (_: number, action: () => unknown) => action(),
  };
  return {
    temporal,
    project: '',
    ui: null,
    namespace: 'default',
    paths: { records: '/nowhere' },
  } as unknown as Connection;
}

test('a task that ended between two requests is shown with its output, not as its worker still reports it', async () => {
  const { result, source } = await viewTask(sessionWithATaskThatJustEnded(), 'x');
  expect({ source, status: result.status, output: result.output }).toEqual({
    source: 'history',
    status: 'succeeded',
    output: { seed: 1 },
  });
});

/** A task that waits for a decision, on a server whose queries end with a gRPC error. */
function served(code: number, details = ''): Connection {
  const cause = Object.assign(new Error(details), { code, details, metadata: {} });
  const description = {
    workflowId: 'k-1',
    type: 'deploy',
    status: { name: 'RUNNING' },
    memo: { ability: 'deploy', environment: 'prod' },
    searchAttributes: { AbilityProject: ['acme'], AbilityStatus: ['waiting_approval'] },
    raw: {},
    startTime: new Date(0),
  };
  const workflow = {
    getHandle: (id: string) => ({
      describe: async () => {
        if (id.startsWith('delete:')) throw new WorkflowNotFoundError('no deletion', id, undefined);
        return description;
      },
      query: async () => {
        throw new ServiceError('Failed to query', { cause });
      },
    }),
    async *list() {
      yield description;
    },
  };
  const temporal = { workflow, withDeadline: (_: number, ask: () => unknown) => ask() };
  return {
    project: 'acme',
    namespace: 'default',
    address: 'x:1',
    ui: null,
    paths: { records: '/nowhere' },
    temporal,
  } as never;
}

test.each([
  ['no answer in time', 4, ''],
  ['queries that wait already', 8, 'consistent query buffer is full'],
  ['no worker that polls', 9, 'no poller seen for task queue recently'],
])('%s is no answer, and not "none"', async (_, code, details) => {
  const unavailable = { code: 'worker.unavailable', message: expect.stringContaining('k-1') };
  await expect(viewTask(served(code, details), 'k-1')).rejects.toMatchObject(unavailable);
  await expect(listApprovals(served(code, details))).rejects.toMatchObject(unavailable);
  expect(await viewTask(served(code, details), 'k-1', 'anyone')).toMatchObject({
    source: 'description',
    view: undefined,
  });
});

test('a task whose code fails has a worker, and says so', async () => {
  const stuck = served(9, 'Cannot query workflow due to Workflow Task in failed state.');
  await expect(viewTask(stuck, 'k-1')).rejects.toMatchObject({ code: 'engine.stuck' });
});
