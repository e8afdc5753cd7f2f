import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
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
