import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { type InternalConnectionOptions, InternalConnectionOptionsSymbol } from '@temporalio/client/lib/connection.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { promptSession, showSession, startSession } from '../../src/client/index.js';
import { ATTRIBUTES } from '../../src/contracts/names.js';
import { obtainTestServer } from '../../src/server/binary/find-test-server.js';
import { startTestServer } from '../../src/server/temporal/test-server.js';
import { TestClock } from '../../src/testing/test-clock.js';
import { operation } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const HOUR_MS = 60 * 60 * 1000;
const KEYWORD = 2;
const USER = { name: 'ada', source: 'claimed' } as const;
let project: RunningProject;
let clock: TestClock;
const closers: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ability-idle-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const { path } = await obtainTestServer(() => {});
  const server = await startTestServer(path, join(folder, 'server.log'));
  closers.push(() => server.stop());
  const options: InternalConnectionOptions = { [InternalConnectionOptionsSymbol]: { supportsTestService: true } };
  const connection = await Connection.connect({ address: server.address, ...options });
  closers.push(() => connection.close());
  const searchAttributes = Object.fromEntries(Object.keys(ATTRIBUTES).map((name) => [name, KEYWORD]));
  await connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
  clock = new TestClock(connection.testService as NonNullable<Connection['testService']>);
  project = await runProject(operation('util.echo', 'return input;'), { address: server.address, ui: '' });
  closers.push(() => project.stop());
});
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

const start = async (idleMs?: number): Promise<string> => {
  const wanted = { environment: 'dev', scope: 'integration', user: USER, ...(idleMs !== undefined && { idleMs }) };
  return (await startSession(project.connection, wanted)).session_id;
};
const standing = async (session: string) => {
  const { status, reason } = await showSession(project.connection, session);
  return [status, reason];
};

test('an idle session ends after a day, or after its own idle time', async () => {
  const [day, week] = [await start(), await start(7 * 24 * HOUR_MS)];
  await clock.skip(23.9 * HOUR_MS);
  expect([await standing(day), await standing(week)]).toEqual([
    ['open', null],
    ['open', null],
  ]);
  await clock.skip(0.2 * HOUR_MS);
  await expect.poll(() => standing(day), { timeout: 20_000 }).toEqual(['stopped', 'idle']);
  expect(await standing(week)).toEqual(['open', null]);
});

test('a prompt or a task restarts its idle time', async () => {
  const session = await start();
  await clock.skip(20 * HOUR_MS);
  await promptSession(project.connection, session, 'x', USER);
  await clock.skip(20 * HOUR_MS);
  // The test server does not answer a request that waits for the next event if that is there already.
  await project.run('util.echo', {}, { session, soon: true });
  await clock.skip(23 * HOUR_MS);
  expect(await standing(session)).toEqual(['open', null]);
  await clock.skip(2 * HOUR_MS);
  await expect.poll(() => standing(session), { timeout: 20_000 }).toEqual(['stopped', 'idle']);
});
