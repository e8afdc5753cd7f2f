import { createRequire } from 'node:module';
import type { ThreadedVMWorkflowCreator } from '@temporalio/worker/lib/workflow/threaded-vm.js';
import { expect, inject, test, vi } from 'vitest';
import { PLACEMENTS } from '../../src/contracts/names.js';
import { pathsOf } from '../../src/server/project-paths.js';
import { allPlaces, type HostOptions, WorkerHost } from '../../src/worker/host-workers.js';
import { keysFromEnvironment } from '../../src/worker/seal-keys.js';
import { makeProject, projectFile, workflow } from '../fixtures/project-folder.js';
import { runProject, TEST_KEYS } from '../fixtures/running-project.js';

function optionsOf(root: string, more: Partial<HostOptions> = {}): HostOptions {
  return {
    paths: pathsOf(root),
    project: 'hosted',
    connectionOptions: { address: inject('temporal').address },
    namespace: 'default',
    store: pathsOf(root).store,
    keys: keysFromEnvironment(TEST_KEYS),
    ...more,
  };
}

test('a place that is requested twice at once gets one worker, and stopping stops all workers', async () => {
  const { root, remove } = makeProject();
  const host = await WorkerHost.connect(optionsOf(root));
  await Promise.all([host.serve(allPlaces(['dev'], PLACEMENTS)), host.serve(allPlaces(['dev', 'qa'], PLACEMENTS))]);
  // An untracked worker would hold on to the connection, which then could not be closed.
  await Promise.all([host.stop(), host.stop()]);
  await host.serve(allPlaces(['late'], PLACEMENTS));
  expect(host.executing).toBe(0);
  remove();
});

test('a namespace that does not exist is reported before any worker is created', async () => {
  const { root, remove } = makeProject();
  await expect(WorkerHost.connect(optionsOf(root, { namespace: 'nowhere' }))).rejects.toThrow(/nowhere is not found/);
  remove();
});

/** As the SDK itself loads it. */
const sdk = createRequire(import.meta.url)('@temporalio/worker/lib/workflow/threaded-vm.js') as {
  ThreadedVMWorkflowCreator: typeof ThreadedVMWorkflowCreator;
};

test('workers of several environments share the thread of one sandbox, which ends with the last of them', async () => {
  const started = vi.spyOn(sdk.ThreadedVMWorkflowCreator, 'create');
  const project = await runProject(
    {
      'ability.yaml': projectFile('{ dev: {}, qa: {}, staging: {} }'),
      ...workflow('a.where', 'output: ${{ environment.name }}\nsteps: [{ id: pause, wait: 1s }]'),
    },
    { placements: PLACEMENTS },
  );
  try {
    const runs = ['dev', 'qa', 'staging', 'dev'].map((environment) => project.run('a.where', {}, { environment }));
    expect((await Promise.all(runs)).map(({ output }) => output)).toEqual(['dev', 'qa', 'staging', 'dev']);
    expect(started).toHaveBeenCalledTimes(1);
  } finally {
    await project.stop();
  }
  const creator: unknown = await started.mock.results[0]?.value;
  // The id of a thread that has ended.
  expect(creator).toMatchObject({ workerThreadClients: [{ workerThread: { threadId: -1 } }] });
  started.mockRestore();
});
