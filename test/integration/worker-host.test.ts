import { expect, inject, test } from 'vitest';
import { PLACEMENTS } from '../../src/contracts/names.js';
import { pathsOf } from '../../src/server/project-paths.js';
import { allPlaces, type HostOptions, WorkerHost } from '../../src/worker/host-workers.js';
import { keysFromEnvironment } from '../../src/worker/seal-keys.js';
import { makeProject } from '../fixtures/project-folder.js';
import { TEST_KEYS } from '../fixtures/running-project.js';

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
