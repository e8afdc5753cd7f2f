// A project in a temporary folder, with a server and workers of its own.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { InternalConnectionOptionsSymbol } from '@temporalio/client/lib/connection.js';
import { connect } from '../../build/client/index.js';
import { ATTRIBUTES, PLACEMENTS } from '../../build/contracts/names.js';
import { loadRegistry } from '../../build/definitions/load-registry.js';
import { ownDefinitions } from '../../build/planning/resolve/own-definitions.js';
import { obtainTemporal } from '../../build/server/binary/find-temporal.js';
import { obtainTestServer } from '../../build/server/binary/find-test-server.js';
import { ownProofs } from '../../build/server/keys/check-proof.js';
import { markOf, stopProcess } from '../../build/server/processes/processes.js';
import { pathsOf } from '../../build/server/project-paths.js';
import { freePort, LOOPBACK } from '../../build/server/temporal/ports.js';
import { spawnServer } from '../../build/server/temporal/temporal-server.js';
import { startTestServer } from '../../build/server/temporal/test-server.js';
import { TestClock } from '../../build/testing/test-clock.js';
import { allPlaces, WorkerHost } from '../../build/worker/host-workers.js';

const KEYWORD = 2;
const START_MS = 30_000;
const tell = (text) => console.error(text);

/** @param {Record<string, string>} files @returns {string} the root of the project. */
export function makeProject(files) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ability-histories-')));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** A server as users have it. @param {string[]} settings dynamic settings. */
export async function startServer(root, settings) {
  const { path: binary } = await obtainTemporal(tell);
  const [port, uiPort] = [await freePort(), await freePort()];
  const { pid } = spawnServer({ binary, port, uiPort, log: join(root, 'server.log'), settings });
  const address = `${LOOPBACK}:${port}`;
  const deadline = Date.now() + START_MS;
  for (;;) {
    try {
      await (await Connection.connect({ address, connectTimeout: 1000 })).close();
      return { address, stop: () => stopProcess(markOf(pid), 5000) };
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(100);
    }
  }
}

/** A server whose clock can be moved. */
export async function startSkippingServer(root) {
  const { path: binary } = await obtainTestServer(tell);
  const { address, stop } = await startTestServer(binary, join(root, 'server.log'));
  const connection = await Connection.connect({
    address,
    [InternalConnectionOptionsSymbol]: { supportsTestService: true },
  });
  const searchAttributes = Object.fromEntries(Object.keys(ATTRIBUTES).map((name) => [name, KEYWORD]));
  await connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  const clock = new TestClock(connection.testService);
  return { address, clock, stop: () => connection.close().then(stop) };
}

/**
 * Serves a project over a server while an action runs.
 *
 * @param {{ environments?: string[], proves?: boolean }} like `proves`: decisions can be proved, as on a runtime of one's own.
 */
export async function withProject(files, start, action, { environments = ['dev'], proves = false } = {}) {
  const root = makeProject(files);
  const server = await start(root);
  try {
    const host = await WorkerHost.connect({
      paths: pathsOf(root),
      project: 'histories',
      connectionOptions: { address: server.address },
      namespace: 'default',
      store: pathsOf(root).store,
      keys: { keys: new Map([['recorded', randomBytes(32)]]) },
      // Part of what is recorded, so that it must not be the port of this very server.
      ui: 'http://localhost:8233',
      ...(proves && { ownProofs: ownProofs(pathsOf(root), 'histories') }),
    });
    await host.serve(allPlaces(environments, PLACEMENTS));
    const definitions = ownDefinitions(() => loadRegistry(root));
    const session = await connect({ root, project: 'histories', address: server.address, definitions });
    session.isOwnRuntime = proves;
    try {
      await action({ session, root, store: pathsOf(root).store, clock: server.clock });
    } finally {
      await session.close();
      await host.stop();
    }
  } finally {
    await server.stop();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}
