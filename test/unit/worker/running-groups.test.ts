import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive, markOf, ownMark } from '../../../src/server/processes/processes.js';
import { RunningGroups } from '../../../src/worker/running-groups.js';

/** A script with a process group of its own, and its mark as a worker stores it. */
async function startScript() {
  const child = spawn(process.execPath, ['-e', "process.stdout.write('ready'); setInterval(() => {}, 1000)"], {
    detached: true,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const mark = markOf(child.pid as number);
  if (!mark) throw new Error('it has ended');
  return { child, mark };
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ability-test-groups-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** How this process names the workers that it can see. */
function spaceHere(): string {
  const folder = makeFolder();
  new RunningGroups(folder).begin().started(process.pid, true);
  const [name = ''] = readdirSync(folder);
  expect(name.startsWith(`${ownMark().pid}@`)).toBe(true);
  return name.slice(name.lastIndexOf('@'));
}

test('what a dead local worker left is killed, but not a group that a remote worker noted under the same pid', async () => {
  const folder = makeFolder();
  const { child, mark } = await startScript();
  const note = (worker: string): void => {
    mkdirSync(join(folder, worker));
    writeFileSync(join(folder, worker, String(mark.pid)), mark.started);
  };
  note('1@1@0123456789abcdef');
  expect(new RunningGroups(folder).reap()).toBe(0);
  expect(isAlive(mark)).toBe(true);
  expect(readdirSync(folder)).toEqual(['1@1@0123456789abcdef']);
  const ended = once(child, 'exit');
  note(`1@1${spaceHere()}`);
  expect(new RunningGroups(folder).reap()).toBe(1);
  await ended;
  expect(readdirSync(folder)).toEqual(['1@1@0123456789abcdef']);
});
