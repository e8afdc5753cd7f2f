import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isAlive, ownMark, type ProcessMark } from './processes.js';

/** A lock that this process holds until it releases it or dies. */
export interface HeldLock {
  release(): void;
}

/** Taking a lock is a matter of milliseconds; who is longer at it and no longer alive has died at it. */
const TAKING_MS = 1_000;

/**
 * Takes an exclusive lock, a file that names its holder.
 *
 * A lock whose holder is dead is taken over. Looking whether it is stale, removing it and creating it anew happen under
 * a second lock, as every taking does: otherwise one that found it stale could remove what another has got meanwhile.
 *
 * @returns the lock, or the living process that holds it.
 */
export function takeLock(path: string): HeldLock | { holder: ProcessMark } {
  mkdirSync(dirname(path), { recursive: true });
  for (;;) {
    const holder = livingHolder(path);
    if (holder) return { holder };
    if (takeUnlessHeld(path)) return { release: () => releaseOwn(path) };
    pauseShortly();
  }
}

/** Whether {@link takeLock} got the lock. */
export function isHeld(result: HeldLock | { holder: ProcessMark }): result is HeldLock {
  return 'release' in result;
}

/** Takes a lock, waiting for whoever holds it. */
export async function waitForLock(path: string): Promise<HeldLock> {
  for (;;) {
    const result = takeLock(path);
    if (isHeld(result)) return result;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The process named in a lock file, alive or not. */
export function readHolder(path: string): ProcessMark | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const mark = value as ProcessMark;
    return typeof mark?.pid === 'number' && typeof mark.started === 'string' ? mark : undefined;
  } catch {
    return undefined;
  }
}

/** Another process is taking or has just released; there is nothing else to do meanwhile. */
function pauseShortly(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}

/** A link appears whole or not at all, so nobody ever reads half a lock. */
function createExclusively(path: string): boolean {
  const own = `${path}.${randomUUID()}`;
  writeFileSync(own, JSON.stringify(ownMark()));
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(own);
  }
}

function takeUnlessHeld(path: string): boolean {
  const taking = `${path}.taking`;
  if (!createExclusively(taking)) {
    removeIfLeft(taking);
    return false;
  }
  try {
    if (livingHolder(path)) return false;
    removeQuietly(path);
    return createExclusively(path);
  } finally {
    removeQuietly(taking);
  }
}

function livingHolder(path: string): ProcessMark | undefined {
  const holder = readHolder(path);
  return holder && isAlive(holder) ? holder : undefined;
}

function removeIfLeft(path: string): void {
  try {
    if (Date.now() - statSync(path).mtimeMs > TAKING_MS && !livingHolder(path)) removeQuietly(path);
  } catch {
    // It is gone, which is what was wanted.
  }
}

function releaseOwn(path: string): void {
  if (readHolder(path)?.pid === process.pid) removeQuietly(path);
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
