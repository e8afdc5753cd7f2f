import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  findProcesses,
  isAlive,
  isWorking,
  markOf,
  ownMark,
  signalProcess,
  stopProcess,
} from '../../../../src/server/processes/processes.js';
import { stopOrphans } from '../../../../src/server/temporal/temporal-server.js';

/** A Node process that has begun to run the code. */
async function startNode(code: string, ...args: string[]): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, [
    '-e',
    `${code}; process.stdout.write('ready'); setInterval(() => {}, 1000)`,
    ...args,
  ]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child as ChildProcess & { pid: number };
}

test('a process is distinguished from a later one with the same pid', () => {
  const mark = ownMark();
  expect(mark.pid).toBe(process.pid);
  expect(isAlive(mark)).toBe(true);
  expect(isAlive({ ...mark, started: `${mark.started}0` })).toBe(false);
});

test('a process that ended has no mark', async () => {
  const child = await startNode('');
  const mark = markOf(child.pid);
  expect(mark && isAlive(mark)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(markOf(child.pid)).toBeUndefined();
  expect(mark && isAlive(mark)).toBe(false);
});

test('a signal to a process that is gone is ignored', async () => {
  const child = await startNode('');
  child.kill('SIGKILL');
  await once(child, 'exit');
  signalProcess(child.pid, 'SIGTERM');
});

test('a process is found by whole consecutive arguments, and the searching process is not', async () => {
  const word = `looked-for-${randomUUID()}`;
  const child = await startNode('', 'before', word, 'after');
  const found = (...words: string[]) => findProcesses(words).map(({ pid }) => pid);
  expect(found(word)).toEqual([child.pid]);
  expect(found('before', word, 'after')).toEqual([child.pid]);
  expect(found('before', 'after')).toEqual([]);
  expect(found(word.slice(0, -1))).toEqual([]);
  expect(found(word.slice(1))).toEqual([]);
});

test.skipIf(process.getuid?.() !== 0)('a process of another user is not found (needs root)', async () => {
  const word = `looked-for-${randomUUID()}`;
  await startNode('process.setuid(65534)', word);
  expect(findProcesses([word])).toEqual([]);
});

test('the server of a project whose folder name ends like this one is not an orphan', async () => {
  const folder = `/app-${randomUUID()}`;
  const child = await startNode('', '--', '--db-filename', `/srv${folder}/temporal.db`);
  expect(await stopOrphans(`${folder}/temporal.db`)).toBe(0);
  expect(markOf(child.pid)).toBeDefined();
  expect(await stopOrphans(`/srv${folder}/temporal.db`)).toBe(1);
});

test('a process that handles the signal ends gracefully', async () => {
  const child = await startNode("process.on('SIGTERM', () => process.exit(7))");
  const ended = once(child, 'exit');
  await stopProcess(markOf(child.pid) ?? ownMark(), 10_000);
  expect(await ended).toEqual([7, null]);
});

test('a process that ignores the signal is killed when its time is up', async () => {
  const child = await startNode("process.on('SIGTERM', () => {})");
  const ended = once(child, 'exit');
  await stopProcess(markOf(child.pid) ?? ownMark(), 50);
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a process that is gone already is not waited for', async () => {
  await stopProcess({ ...ownMark(), started: 'long ago' }, 0);
  expect(isAlive(ownMark())).toBe(true);
});

const canUnshare = spawnSync('unshare', ['-m', 'true']).status === 0;

test.skipIf(!canUnshare)(
  'the server of another file with the same path in its container is not an orphan (needs `unshare`)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ability-test-orphans-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const database = join(folder, 'temporal.db');
    writeFileSync(database, '');
    const code = "process.stdout.write('ready'); setInterval(() => {}, 1000)";
    const serve = async (before: string): Promise<ChildProcess> => {
      const script = `${before}; exec "$0" -e "$1" -- --db-filename "$2"`;
      const child = spawn('unshare', ['-m', 'sh', '-c', script, process.execPath, code, database]);
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child.stdout, 'data');
      return child;
    };
    const hidden = await serve(`mount -t tmpfs none ${folder} && touch ${database}`);
    const ended = once(await serve('true'), 'exit');
    expect(await stopOrphans(database)).toBe(1);
    await ended;
    expect(hidden.exitCode).toBeNull();
    expect(hidden.signalCode).toBeNull();
  },
);

test('a killed process counts as not working from that moment on', async () => {
  const { pid } = await startNode('');
  const mark = markOf(pid) as NonNullable<ReturnType<typeof markOf>>;
  expect(isWorking(mark)).toBe(true);
  expect(isWorking({ ...mark, started: `${mark.started}0` })).toBe(false);
  process.kill(pid, 'SIGKILL');
  // Other systems do not report a process that is about to end.
  if (process.platform === 'linux') expect(isWorking(mark)).toBe(false);
  await vi.waitFor(() => expect(isAlive(mark)).toBe(false));
  expect(isWorking(mark)).toBe(false);
});
