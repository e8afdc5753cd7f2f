import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { isUnreachable, keepingRuntime, reviveRuntime } from '../../../../src/client/connection/keep-runtime.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import type { RuntimeFile } from '../../../../src/contracts/runtime.js';
import { ownMark, ownSpace } from '../../../../src/server/processes/processes.js';
import { pathsOf } from '../../../../src/server/project-paths.js';

const revived = vi.hoisted(() => ({ ensure: vi.fn(), reconnect: vi.fn() }));
vi.mock('../../../../src/server/runtime/ensure-runtime.js', async (original) => ({
  ...(await original<object>()),
  ensureRuntime: revived.ensure,
}));
vi.mock('../../../../src/client/connection/connect.js', async (original) => ({
  ...(await original<object>()),
  reconnect: revived.reconnect,
}));

/** gRPC status codes. */
const status = { CANCELLED: 1, DEADLINE_EXCEEDED: 4, NOT_FOUND: 5, UNAVAILABLE: 14 };
const LIVING = { ...ownMark(), ...ownSpace() };
const GONE = { pid: 4_000_000, started: '1', ...ownSpace() };

let folder: string;
let messages: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-test-keep-'));
  messages = [];
  revived.ensure.mockReset().mockImplementation(async () => {
    const runtime = announce(LIVING);
    return { runtime, started: true };
  });
  revived.reconnect.mockReset().mockImplementation(async (connection: Connection, runtime: RuntimeFile) => {
    connection.runtime = runtime;
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes the file that announces a runtime. */
function announce(mark: object): RuntimeFile {
  const file = { format: 1, version: '0', state: 'up', address: '127.0.0.1:1', ...mark } as RuntimeFile;
  writeFileSync(pathsOf(folder, folder).runtimeFile, JSON.stringify(file));
  return file;
}

function sessionWith(runtime: RuntimeFile | undefined): Connection {
  const temporal = { withAbortSignal: (_: AbortSignal, action: () => unknown) => action() };
  const paths = pathsOf(folder, folder);
  return { temporal, paths, runtime, progress: (text: string) => void messages.push(text) } as unknown as Connection;
}

/** An error as gRPC throws it. */
const failure = (code: number): Error =>
  Object.assign(new Error(`${code}`), { code, details: 'x', metadata: { getMap: () => ({}) } });

/** An action that fails this number of times, and then succeeds. */
function failing(code: number, times: number) {
  let left = times;
  return vi.fn(async () => {
    left -= 1;
    if (left >= 0) throw failure(code);
    return 'done';
  });
}

test.each([status.UNAVAILABLE, status.CANCELLED])(
  'after the runtime was lost (%d) the action is repeated, and this is reported once',
  async (code) => {
    const connection = sessionWith(announce(GONE));
    const action = failing(code, 1);
    expect(await keepingRuntime(connection, action)).toBe('done');
    expect(action).toHaveBeenCalledTimes(2);
    expect(revived.ensure).toHaveBeenCalledOnce();
    expect(messages).toEqual([expect.stringMatching(/had ended while this command waited; it has been started again/)]);
  },
);

test('one of our errors that wraps a transport error counts as that error', () => {
  const ours = new AbilityError({ code: 'temporal.unavailable', message: 'x' }, { cause: failure(status.UNAVAILABLE) });
  expect(isUnreachable(ours)).toBe(true);
  expect(isUnreachable(failure(status.DEADLINE_EXCEEDED))).toBe(false);
  expect(isUnreachable(new Error('x'))).toBe(false);
});

test.each([
  ['what the server answers', status.NOT_FOUND, true],
  ['a remote server that is gone', status.UNAVAILABLE, false],
])('%s is no reason to start a runtime', async (_, code, isOwn) => {
  const connection = sessionWith(isOwn ? announce(GONE) : undefined);
  const action = failing(code, 1);
  await expect(keepingRuntime(connection, action)).rejects.toMatchObject({ code });
  expect(action).toHaveBeenCalledOnce();
  expect(revived.ensure).not.toHaveBeenCalled();
});

test('a runtime that another command has started is used, and one that runs is not reported as ended', async () => {
  const connection = sessionWith(announce(GONE));
  announce(LIVING);
  expect(await keepingRuntime(connection, failing(status.UNAVAILABLE, 1))).toBe('done');
  expect(revived.ensure).not.toHaveBeenCalled();
  expect(messages).toEqual([expect.stringMatching(/another one is up/)]);
  expect(await keepingRuntime(connection, failing(status.UNAVAILABLE, 1))).toBe('done');
  expect(messages).toHaveLength(1);
});

test('a runtime that `ability down` stopped is not started again', async () => {
  const runtime = announce(GONE);
  writeFileSync(pathsOf(folder, folder).downFile, `${GONE.pid} ${GONE.started}`);
  const waiting = keepingRuntime(sessionWith(runtime), failing(status.UNAVAILABLE, 1));
  await expect(waiting).rejects.toMatchObject({ code: 'runtime.stopped' });
  expect(revived.ensure).not.toHaveBeenCalled();
});

test('an action is given up if the server is lost again and again', async () => {
  const action = failing(status.UNAVAILABLE, 1000);
  await expect(keepingRuntime(sessionWith(announce(GONE)), action)).rejects.toMatchObject({ code: status.UNAVAILABLE });
  expect(action).toHaveBeenCalledTimes(10);
});

test('a caller that gives up ends with its own reason, and others that wait for the same start do not', async () => {
  const connection = sessionWith(announce(GONE));
  let start = (): void => {};
  revived.ensure.mockImplementation(async () => {
    await new Promise<void>((resolve) => {
      start = resolve;
    });
    return { runtime: announce(LIVING), started: true };
  });
  const controller = new AbortController();
  const impatient = keepingRuntime(connection, failing(status.UNAVAILABLE, 1), controller.signal);
  await vi.waitFor(() => expect(revived.ensure).toHaveBeenCalled());
  const [patient, other] = [keepingRuntime(connection, failing(status.UNAVAILABLE, 1)), reviveRuntime(connection)];
  const reason = new Error('the time is up');
  controller.abort(reason);
  await expect(impatient).rejects.toBe(reason);
  start();
  expect(await patient).toBe('done');
  await other;
  expect(revived.ensure).toHaveBeenCalledOnce();
  const [, , signal] = revived.ensure.mock.calls[0] ?? [];
  expect(signal).toBeUndefined();
});
