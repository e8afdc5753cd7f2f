import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, utimesSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isHeld, readHolder, takeLock, waitForLock } from '../../../../src/server/processes/lock.js';
import { markOf, ownMark, ownSpace } from '../../../../src/server/processes/processes.js';
import { compileForChildren } from '../compiled.js';

const TAKER = fileURLToPath(new URL('lock-taker.mjs', import.meta.url));
let compiled: { folder: string; path: string };
let folder: string;
let children: ChildProcessWithoutNullStreams[];

beforeAll(() => {
  compiled = compileForChildren('server/processes/lock.ts');
});
afterAll(() => rmSync(compiled.folder, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-test-lock-'));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

interface Taker {
  pid: number;
  process: ChildProcessWithoutNullStreams;
  /** Makes it take a lock and returns its answer. */
  take(path: string): Promise<string>;
}

/** A process that takes locks. `command` may start it through another process. */
async function startTaker(command: (node: string[]) => string[] = (node) => node): Promise<Taker> {
  const [program = '', ...args] = command([process.execPath, TAKER, compiled.path]);
  const child = spawn(program, args);
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  const pid = Number((await next()).split(' ')[1]);
  const take = (path: string): Promise<string> => {
    child.stdin.write(`${path}\n`);
    return next();
  };
  return { pid, process: child, take };
}

const startTakers = (count: number): Promise<Taker[]> => Promise.all(Array.from({ length: count }, () => startTaker()));

/** A lock whose holder is dead. */
async function leaveStaleLocks(paths: string[]): Promise<void> {
  const taker = await startTaker();
  for (const path of paths) expect(await taker.take(path)).toBe('held');
  taker.process.kill('SIGKILL');
  await once(taker.process, 'exit');
}

describe('in one process', () => {
  test('a taken lock is refused to every caller, including its holder', () => {
    const path = join(folder, 'deep/er/lock');
    expect(isHeld(takeLock(path))).toBe(true);
    expect(takeLock(path)).toMatchObject({ holder: ownMark() });
  });

  test('a released lock can be taken again', () => {
    const path = join(folder, 'lock');
    const lock = takeLock(path);
    if (isHeld(lock)) lock.release();
    expect(isHeld(takeLock(path))).toBe(true);
  });

  test('a lock names its holder and leaves nothing else behind', () => {
    takeLock(join(folder, 'lock'));
    expect(readHolder(join(folder, 'lock'))).toMatchObject({ ...ownMark(), ...ownSpace() });
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test.each(['', 'no JSON', '{}', '{"pid":"1"}', 'null'])(
    'a lock without a valid holder (%j) is taken over',
    (content) => {
      writeFileSync(join(folder, 'lock'), content);
      expect(isHeld(takeLock(join(folder, 'lock')))).toBe(true);
    },
  );

  test('a lock of an earlier process with the pid of a living one is taken over', () => {
    writeFileSync(join(folder, 'lock'), JSON.stringify({ ...ownMark(), started: 'long ago' }));
    expect(isHeld(takeLock(join(folder, 'lock')))).toBe(true);
  });

  test('waiting for a lock ends when it is released', async () => {
    const path = join(folder, 'lock');
    const first = takeLock(path);
    const second = waitForLock(path);
    if (isHeld(first)) first.release();
    expect(isHeld(await second)).toBe(true);
  });
});

describe('among processes', () => {
  test('exactly one of many at once gets a free lock, and the others learn which', async () => {
    const takers = await startTakers(12);
    for (const path of ['a', 'b', 'c', 'd', 'e'].map((name) => join(folder, name))) {
      const answers = await Promise.all(takers.map((taker) => taker.take(path)));
      const winner = takers[answers.indexOf('held')]?.pid;
      expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
      expect(answers.filter((answer) => answer === `other ${winner}`)).toHaveLength(11);
    }
  });

  test('exactly one of many at once takes over a stale lock', async () => {
    const paths = Array.from({ length: 60 }, (_, index) => `stale-${index}`).map((name) => join(folder, name));
    await leaveStaleLocks(paths);
    const takers = await startTakers(12);
    for (const path of paths) {
      const answers = await Promise.all(takers.map((taker) => taker.take(path)));
      expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
    }
  }, 60_000);

  test('a lock does not outlive its holder: after kill -9 it can be taken', async () => {
    const path = join(folder, 'lock');
    await leaveStaleLocks([path]);
    expect(isHeld(takeLock(path))).toBe(true);
  });

  test('a lock that another process holds is not released by its former holder', async () => {
    const path = join(folder, 'lock');
    const own = takeLock(path);
    rmSync(path);
    const taker = await startTaker();
    expect(await taker.take(path)).toBe('held');
    if (isHeld(own)) own.release();
    expect(readHolder(path)?.pid).toBe(taker.pid);
  });

  test('a process that is taking a lock is waited for, however long it takes', async () => {
    const path = join(folder, 'lock');
    const taking = `${path}.taking`;
    writeFileSync(taking, JSON.stringify({ ...ownMark(), ...ownSpace() }));
    utimesSync(taking, 0, 0);
    const taker = await startTaker();
    let tries = 0;
    const watcher = watch(folder, (_, name) => {
      if (name?.startsWith('lock.taking.')) tries += 1;
    });
    const answer = taker.take(path);
    await vi.waitFor(() => expect(tries).toBeGreaterThan(10), { timeout: 10_000, interval: 10 });
    watcher.close();
    expect(readdirSync(folder)).toContain('lock.taking');
    expect(readdirSync(folder)).not.toContain('lock');
    rmSync(taking);
    expect(await answer).toBe('held');
  });

  test('a zombie holds no lock', async () => {
    const path = join(folder, 'lock');
    const neverReaping = ([node = '', ...args]: string[]): string[] => [
      'sh',
      '-c',
      'exec 3<&0; "$@" <&3 & exec sleep 60',
      'sh',
      node,
      ...args,
    ];
    const taker = await startTaker(neverReaping);
    expect(await taker.take(path)).toBe('held');
    expect(takeLock(path)).toMatchObject({ holder: { pid: taker.pid } });
    taker.process.stdin.write('exit\n');
    await vi.waitFor(() => expect(markOf(taker.pid)).toBeUndefined(), { timeout: 10_000, interval: 10 });
    expect(() => process.kill(taker.pid, 0)).not.toThrow();
    expect(isHeld(takeLock(path))).toBe(true);
  });
});
