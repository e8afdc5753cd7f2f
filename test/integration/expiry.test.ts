import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { type InternalConnectionOptions, InternalConnectionOptionsSymbol } from '@temporalio/client/lib/connection.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeInput, viewTask } from '../../src/client/index.js';
import { ATTRIBUTES } from '../../src/contracts/names.js';
import { obtainTestServer } from '../../src/server/binary/find-test-server.js';
import { startTestServer } from '../../src/server/temporal/test-server.js';
import { TestClock } from '../../src/testing/test-clock.js';
import { operation } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const KEYWORD = 2;
let project: RunningProject;
let clock: TestClock;
const closers: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ability-expiry-'));
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

const statusOf = async (key: string) => (await viewTask(project.connection, key)).result.status;

test('a created task that is never run expires after seven days', async () => {
  const { id: key } = await project.create('util.echo', { n: 1 }, { run: false });
  await clock.skip(6.9 * DAY_MS);
  expect(await statusOf(key)).toBe('created');
  await clock.skip(0.2 * DAY_MS);
  expect(await project.wait(key)).toMatchObject({ result: { status: 'expired', error: { code: 'task.expired' } } });
});

test('C-37: a change of its input does not extend its time', async () => {
  const { id: key } = await project.create('util.echo', { n: 1 }, { run: false });
  await clock.skip(6 * DAY_MS);
  await changeInput(project.connection, key, { set: { n: 2 }, unset: [], by: { name: 'ann', source: 'claimed' } });
  await clock.skip(0.9 * DAY_MS);
  expect(await statusOf(key)).toBe('created');
  await clock.skip(0.2 * DAY_MS);
  expect(await project.wait(key)).toMatchObject({ result: { status: 'expired', changes: [{ fields: ['n'] }] } });
});
