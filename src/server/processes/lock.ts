import { randomUUID } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { attempt } from '../../text/attempt.js';
import { createExclusively, type Link, readCreated, removeCreated } from './create-exclusively.js';
import { giveSign, HEARTBEAT, type HeartbeatLimits, isFresh, staysSilent } from './heartbeat.js';
import { isAlive, isVisible, ownMark, ownSpace, type ProcessMark, type ProcessSpace } from './processes.js';

/** What a lock says of its holder. `since`: ISO 8601; `token`: unique for each attempt to take it. */
export type LockHolder = ProcessMark & ProcessSpace & { since: string; token: string };

/** A lock that this process holds until it releases it, dies, or is silent for so long that another one takes it. */
export interface HeldLock {
  /** The earlier holder, if it was on another host or namespace and fell silent; it may resume. */
  readonly takenFrom: LockHolder | undefined;
  /** Whether the lock is still ours; to be checked after a pause or sleep of the process. */
  isOwn(): boolean;
  /** Called once, with the reason, when the lock is lost; the guarded work must end at once. */
  onLost(listener: (reason: string) => void): void;
  release(): void;
}

/** For tests. */
export interface LockOptions {
  link?: Link;
  limits?: HeartbeatLimits;
}

/** Taking a lock takes milliseconds: an older attempt of a dead process was left behind. */
const TAKING_MS = 1_000;

/**
 * Takes an exclusive lock, a file that names its holder, also from a dead holder. A holder that cannot be seen (on
 * another host, of another boot, in another PID namespace) counts as alive while its heartbeat is fresh; blocks
 * for some seconds to watch a silent one. A second lock guards checking, removing and creating the lock: otherwise
 * a process that found it stale could remove one taken meanwhile. @returns the lock, or the living process that
 * holds it. @throws AbilityError as {@link readHolder}.
 */
export function takeLock(path: string, options: LockOptions = {}): HeldLock | { holder: LockHolder } {
  mkdirSync(dirname(path), { recursive: true });
  for (;;) {
    const holder = livingHolder(path, options.limits);
    if (holder) return { holder };
    const taken = takeUnlessHeld(path, options);
    if (taken) return hold(path, taken, options);
    pauseShortly();
  }
}

/** Whether {@link takeLock} got the lock. */
export function isHeld(result: HeldLock | { holder: LockHolder }): result is HeldLock {
  return 'release' in result;
}

export async function waitForLock(path: string): Promise<HeldLock> {
  for (;;) {
    const result = takeLock(path);
    if (isHeld(result)) return result;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The process named in a lock, alive or not. @throws AbilityError `runtime.failed` if it cannot be read. */
export function readHolder(path: string): LockHolder | undefined {
  const content = readContent(path);
  return attempt(() => {
    const value: unknown = JSON.parse(content ?? '');
    const mark = value as LockHolder;
    const isWhole = typeof mark?.pid === 'number' && [mark.started, mark.boot, mark.pids].every(isText);
    return isWhole ? mark : undefined;
  });
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** Throws for an unreadable lock, since its holder may be alive. */
function readContent(path: string): string | undefined {
  try {
    return readCreated(path);
  } catch (error) {
    const reason = reasonOf(error);
    const message = `${path} could not be read, so whether its holder lives is not known: ${reason}`;
    const suggestion =
      'Check its permissions: another user may have made it. Remove it once no process of that user runs here.';
    throw new AbilityError({ code: 'runtime.failed', message, suggestion }, { cause: error });
  }
}

/** A lock's holder; undefined if dead, or unseen and silent. @throws AbilityError as {@link readHolder}. */
export function livingHolder(path: string, limits: HeartbeatLimits = HEARTBEAT): LockHolder | undefined {
  const holder = readHolder(path);
  if (!holder) return undefined;
  return (isVisible(holder) ? isAlive(holder) : isFresh(path, limits)) ? holder : undefined;
}

export function describeHolder({ pid, host, pids, since }: LockHolder): string {
  return `process ${pid} on ${host} (PID namespace ${pids}, since ${since})`;
}

/** Blocks for 5 ms while another process takes or releases the lock. */
function pauseShortly(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}

/** Unique for each attempt. */
function contentOfLock(): string {
  return JSON.stringify({ ...ownMark(), ...ownSpace(), since: new Date().toISOString(), token: randomUUID() });
}

interface Taken {
  content: string;
  from: LockHolder | undefined;
}

function takeUnlessHeld(path: string, { link, limits }: LockOptions): Taken | undefined {
  const taking = `${path}.taking`;
  if (!createExclusively(taking, contentOfLock(), link)) {
    removeIfLeft(taking, limits);
    return undefined;
  }
  try {
    if (livingHolder(path, limits)) return undefined;
    const last = readHolder(path);
    const unseen = last && !isVisible(last) ? last : undefined;
    if (unseen && !staysSilent(path, limits)) return undefined;
    removeCreated(path);
    const content = contentOfLock();
    return createExclusively(path, content, link) ? { content, from: unseen } : undefined;
  } finally {
    removeCreated(taking);
  }
}

/** Writes heartbeats until the lock is released or lost; does not keep the process alive. */
function hold(path: string, { content, from }: Taken, { limits = HEARTBEAT }: LockOptions): HeldLock {
  const listeners: ((reason: string) => void)[] = [];
  let lastGood = performance.now();
  let lost: string | undefined;
  const lose = (reason: string): void => {
    if (lost !== undefined) return;
    lost = reason;
    clearInterval(timer);
    for (const listener of listeners) listener(reason);
  };
  const beat = (): boolean => {
    if (lost !== undefined) return false;
    try {
      if (giveSign(path, content)) lastGood = performance.now();
      else lose(`${path} is no longer the lock of this process`);
    } catch (error) {
      const reason = reasonOf(error);
      if (performance.now() - lastGood > limits.giveUp) lose(`${path} could not be written for too long: ${reason}`);
    }
    return lost === undefined;
  };
  const timer = setInterval(beat, limits.beat).unref();
  return {
    takenFrom: from,
    isOwn: beat,
    onLost: (listener) => void (lost === undefined ? listeners.push(listener) : listener(lost)),
    release() {
      clearInterval(timer);
      if (isStill(path, content)) removeCreated(path);
    },
  };
}

/** False if the lock is unreadable: it must not be removed then. */
function isStill(path: string, content: string): boolean {
  return attempt(() => readCreated(path) === content, false);
}

function removeIfLeft(path: string, limits?: HeartbeatLimits): void {
  const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (made === undefined || Date.now() - made <= TAKING_MS) return;
  if (!livingHolder(path, limits)) removeCreated(path);
}
