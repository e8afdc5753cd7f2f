import type { Worker as NodeWorker } from 'node:worker_threads';
import { expect, inject, test } from 'vitest';
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

test('a place that is asked for twice at once gets one worker, and stopping stops all', async () => {
  const { root, remove } = makeProject();
  const host = await WorkerHost.connect(optionsOf(root));
  await Promise.all([host.serve(allPlaces(['dev'])), host.serve(allPlaces(['dev', 'qa']))]);
  // A worker that nobody knows of would hold on to the connection, which then cannot be closed.
  await Promise.all([host.stop(), host.stop()]);
  await host.serve(allPlaces(['late']));
  expect(host.executing).toBe(0);
  remove();
});

test('all workers of a host run their workflows in one thread, which ends with the last of them', async () => {
  const { root, remove } = makeProject();
  const host = await WorkerHost.connect(optionsOf(root));
  const threads: NodeWorker[] = [];
  const note = (thread: NodeWorker): void => void threads.push(thread);
  process.on('worker', note);
  try {
    await host.serve(allPlaces(['dev']));
    await host.serve(allPlaces(['dev', 'qa']));
  } finally {
    process.off('worker', note);
  }
  const [thread] = threads;
  expect(threads).toHaveLength(1);
  const ended = new Promise((resolve) => thread?.once('exit', () => resolve('ended')));
  await host.stop();
  expect(await ended).toBe('ended');
  remove();
});

test('a namespace that is not there is reported before any worker is made', async () => {
  const { root, remove } = makeProject();
  await expect(WorkerHost.connect(optionsOf(root, { namespace: 'nowhere' }))).rejects.toThrow(/nowhere is not found/);
  remove();
});
