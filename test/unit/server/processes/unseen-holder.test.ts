import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createExclusively } from '../../../../src/server/processes/create-exclusively.js';
import { lastSign } from '../../../../src/server/processes/heartbeat.js';
import {
  describeHolder,
  type HeldLock,
  isHeld,
  type LockOptions,
  livingHolder,
  readHolder,
  takeLock,
} from '../../../../src/server/processes/lock.js';
import { isVisible, ownMark, ownSpace, sharesLoopback } from '../../../../src/server/processes/processes.js';

const LIMITS = { beat: 20, stale: 300, confirm: 100, giveUp: 150 };
/** Other work on the machine may delay a timer for a long time. */
const PATIENT = { timeout: 10_000 };
const FOREIGN = {
  pid: 17,
  started: '1',
  host: 'far',
  boot: 'b',
  pids: '42',
  net: '1',
  since: '2026-01-01T00:00:00.000Z',
  token: 't',
};

let folder: string;
let path: string;
let held: HeldLock[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-test-unseen-'));
  path = join(folder, 'lock');
  held = [];
});
afterEach(() => {
  for (const lock of held) lock.release();
  rmSync(folder, { recursive: true });
});

/** Leaves a lock to a holder whose last sign of life is of that age. */
function leaveLock(ageMs: number, holder: object = FOREIGN): void {
  writeFileSync(path, JSON.stringify(holder));
  const then = new Date(Date.now() - ageMs);
  utimesSync(path, then, then);
}

function take(options: LockOptions = {}): HeldLock {
  const lock = takeLock(path, { limits: LIMITS, ...options });
  if (!isHeld(lock)) throw new Error(`held by ${describeHolder(lock.holder)}`);
  held.push(lock);
  return lock;
}

describe('a holder that cannot be seen', () => {
  test.each([
    ['of another boot', { boot: 'another' }],
    ['in another PID namespace', { pids: '1' }],
  ])('counts as alive %s while its heartbeat is fresh, whichever process has its pid here', (_, there) => {
    const holder = { ...ownMark(), ...ownSpace(), started: 'long ago', ...there };
    leaveLock(0, holder);
    expect(isVisible(holder)).toBe(false);
    expect(takeLock(path, { limits: LIMITS })).toEqual({ holder });
    leaveLock(LIMITS.stale * 2, { ...holder, ...ownMark() });
    expect(take().takenFrom).toMatchObject(there);
  });

  test('counts as alive if the age of its heartbeat cannot be determined', () => {
    // No file can be created next to it, since its name would be too long.
    path = join(folder, 'l'.repeat(240));
    leaveLock(LIMITS.stale * 100);
    expect(takeLock(path, { limits: LIMITS })).toEqual({ holder: FOREIGN });
  });

  test('is described by process, host, namespace and time', () => {
    expect(describeHolder(FOREIGN)).toBe('process 17 on far (PID namespace 42, since 2026-01-01T00:00:00.000Z)');
  });

  test('keeps its lock if its heartbeat looks old because of a wrong clock but continues', async () => {
    leaveLock(3_600_000);
    const beating = `
      const { utimesSync } = require('node:fs');
      const { workerData, parentPort } = require('node:worker_threads');
      let at = 1;
      setInterval(() => utimesSync(workerData, at, at++), 5);
      parentPort.postMessage('ready');`;
    const worker = new Worker(beating, { eval: true, workerData: path });
    try {
      await new Promise((resolve) => worker.once('message', resolve));
      const taking = takeOnce();
      expect(taking).toBe('watched, and left alone');
      expect(readHolder(path)).toMatchObject({ pid: 17 });
    } finally {
      await worker.terminate();
    }
  });

  test('is not waited for if its last sign of life is from the future, as after a start without a clock', () => {
    leaveLock(-3_600_000);
    expect(take().takenFrom).toMatchObject({ pid: 17 });
  });

  test('shares no loopback unless the kernel and the network are the same', () => {
    expect(sharesLoopback({ ...ownSpace(), pids: '1' })).toBe(true);
    expect(sharesLoopback({ ...ownSpace(), net: '1' })).toBe(false);
    expect(sharesLoopback({ ...ownSpace(), boot: '1' })).toBe(false);
  });
});

/** `takeLock` tries indefinitely; only its first watch matters here. */
function takeOnce(): string {
  const real = Atomics.wait;
  let watched = 0;
  const wait = vi.spyOn(Atomics, 'wait').mockImplementation((...args: Parameters<typeof Atomics.wait>) => {
    if (args[3] === LIMITS.confirm) watched += 1;
    else if (watched > 0) throw new Error('watched, and left alone');
    return real.apply(Atomics, args);
  });
  try {
    take();
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    wait.mockRestore();
  }
}

test('an existing lock that cannot be read is not taken, and the error states why', () => {
  // A folder in place of the file with the content, for tests that run as root.
  mkdirSync(join(path, 'holder'), { recursive: true });
  utimesSync(path, 0, 0);
  for (const ask of [() => takeLock(path, { limits: LIMITS }), () => livingHolder(path)]) {
    expect(ask).toThrow(expect.objectContaining({ code: 'runtime.failed', message: expect.stringMatching(/EISDIR/) }));
  }
  expect(readdirSync(folder)).toEqual(['lock']);
});

test('a lock is not taken either while the process that takes it cannot be read', () => {
  mkdirSync(join(`${path}.taking`, 'holder'), { recursive: true });
  utimesSync(`${path}.taking`, 0, 0);
  expect(() => takeLock(path, { limits: LIMITS })).toThrow(expect.objectContaining({ code: 'runtime.failed' }));
});

describe('the holder of a lock', () => {
  test('gives signs of life, and does not change the content of the lock', async () => {
    take();
    const content = readFileSync(path, 'utf8');
    const first = lastSign(path) ?? 0;
    await vi.waitFor(() => expect(lastSign(path)).toBeGreaterThan(first), PATIENT);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test.each([
    ['another one has it', () => leaveLock(0)],
    ['it is gone', () => rmSync(path)],
  ])('learns within a moment that %s, and does not touch it', async (_, lose) => {
    const lock = take();
    const onLost = vi.fn();
    lock.onLost(onLost);
    // As another process does it, with a file of its own.
    renameSync(path, `${path}.old`);
    renameSync(`${path}.old`, path);
    rmSync(path);
    leaveLock(0);
    lose();
    const before = existsSync(path);
    await vi.waitFor(() => expect(onLost).toHaveBeenCalledOnce(), PATIENT);
    expect(lock.isOwn()).toBe(false);
    lock.release();
    expect(existsSync(path)).toBe(before);
    if (before) expect(readHolder(path)).toEqual(FOREIGN);
  });

  test('gives it up after too long without a sign of life, before others may take it', async () => {
    const lock = take();
    const onLost = vi.fn();
    lock.onLost(onLost);
    const since = performance.now();
    rmSync(path);
    symlinkSync(path, path);
    expect(lock.isOwn()).toBe(true);
    await vi.waitFor(() => expect(onLost).toHaveBeenCalledOnce(), PATIENT);
    expect(onLost.mock.calls).toEqual([[expect.stringContaining('could not be written for too long')]]);
    expect(performance.now() - since).toBeGreaterThan(LIMITS.giveUp - LIMITS.beat);
    expect(lock.isOwn()).toBe(false);
  });

  test('learns of the loss at once when it checks, as after a sleep', () => {
    const lock = take({ limits: { ...LIMITS, beat: 1_000_000 } });
    expect(lock.isOwn()).toBe(true);
    rmSync(path);
    leaveLock(0);
    expect(lock.isOwn()).toBe(false);
  });
});

describe('without hard links', () => {
  const link = () => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM', syscall: 'link' });
  };

  test('a lock is still taken, described, protected, kept alive and released', async () => {
    const lock = take({ link });
    expect(takeLock(path, { link })).toMatchObject({ holder: ownMark() });
    expect(takeLock(path)).toMatchObject({ holder: ownMark() });
    const first = lastSign(path) ?? 0;
    await vi.waitFor(() => expect(lastSign(path)).toBeGreaterThan(first), PATIENT);
    expect(lock.isOwn()).toBe(true);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
    take({ link });
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test('a dead holder is replaced, and an existing file stays unchanged', () => {
    leaveLock(0, { ...ownMark(), started: 'long ago' });
    take({ link });
    expect(readHolder(path)).toMatchObject(ownMark());
    const other = join(folder, 'other');
    expect([createExclusively(other, 'a', link), createExclusively(other, 'b', link)]).toEqual([true, false]);
    expect(createExclusively(other, 'c')).toBe(false);
  });

  test('and if every other way fails too, the error states both reasons', () => {
    const long = join(folder, 'x'.repeat(200));
    expect(() => createExclusively(long, 'a', link)).not.toThrow();
    const gone = () => {
      rmSync(folder, { recursive: true });
      link();
    };
    expect(() => createExclusively(join(folder, 'lock'), 'a', gone)).toThrow(/no hard links \(EPERM.*ENOENT/s);
    writeFileSync(join(mkdtempAgain(), 'x'), '');
  });
});

function mkdtempAgain(): string {
  folder = mkdtempSync(join(tmpdir(), 'ability-test-unseen-'));
  return folder;
}
