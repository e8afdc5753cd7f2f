import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { isAlive, markOf } from '../../../../src/server/processes/processes.js';
import { compileForChildren } from '../compiled.js';

let compiled: { folder: string; path: string };

beforeAll(() => {
  compiled = compileForChildren('server/temporal/watch-server.ts');
});
afterAll(() => rmSync(compiled.folder, { recursive: true }));

/** A process for a server, in a group of its own. */
async function startServer(word: string) {
  const code = "process.stdout.write('ready'); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ['-e', code, word], { detached: true });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child as typeof child & { pid: number };
}

/** A process that guards a server as a runtime does. */
async function startRuntime(pid: number, word: string) {
  const code = `
    const { watchServer } = await import(${JSON.stringify(compiled.path)});
    watchServer(${pid}, ${JSON.stringify(word)}, 0.1);
    process.stdout.write('ready');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test('a server does not outlive a runtime that was killed', async () => {
  const word = randomUUID();
  const server = await startServer(word);
  const runtime = await startRuntime(server.pid, word);
  const ended = once(server, 'exit');
  expect(markOf(server.pid)).toBeDefined();
  runtime.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('another process that has the pid of the server is not killed', async () => {
  const other = await startServer('another');
  const mark = markOf(other.pid);
  const [word, real] = [randomUUID(), randomUUID()];
  const server = await startServer(real);
  const runtime = await startRuntime(other.pid, word);
  const second = await startRuntime(server.pid, real);
  const ended = once(server, 'exit');
  runtime.kill('SIGKILL');
  await once(runtime, 'exit');
  second.kill('SIGKILL');
  // The guard that started later has finished, so the first one has looked as well.
  await ended;
  expect(mark && isAlive(mark)).toBe(true);
});
