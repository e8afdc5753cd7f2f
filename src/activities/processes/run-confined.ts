import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlanScript } from '../../contracts/plan.js';
import { formatBytes } from '../../text/byte-size.js';
import { CallFailure } from '../call/call-failure.js';
import type { FoundScript } from './pinned-scripts.js';
import { type ProcessGroups, type ProcessOutcome, type ProcessRequest, runProcess } from './run-process.js';

export interface ScriptRun {
  script: PlanScript;
  found: FoundScript;
  /** Called when the box is ready, before the program starts. */
  begin: () => Promise<void>;
  /** What it may write; absent for hooks. */
  room?: CallRoom;
}

export interface CallRoom {
  /** Absolute path of the call's folder. */
  folder: string;
  fileBytes: number;
  /** By how much all files in the folder together may grow. */
  bytes: number;
}

/** Milliseconds between two looks at the folder of a call in a box. */
const LOOK_MS = 200;

/**
 * Runs a script in its box and within its limits, if it has any; `cwd` of the request is the project.
 * @throws CallFailure `sandbox.*` before it starts, `file.too_large` for a folder that grew too much in a box.
 */
export async function runConfined(
  request: ProcessRequest,
  { script, found, room, begin }: ScriptRun,
  groups: ProcessGroups,
): Promise<ProcessOutcome> {
  const { sandbox, limits } = script;
  if (!sandbox && !limits) {
    await begin();
    return runProcess(request, groups);
  }
  const { confine, endInBox } = await import('./box/confine.js');
  const { leave, ...command } = await confine({
    root: request.cwd,
    words: [request.command, ...request.args],
    env: request.env,
    confinement: { ...(sandbox && { sandbox }), ...(limits && { limits }) },
    reads: found.reads,
    ...(room && { room }),
    report: (line) => request.log.add('runtime', line),
  });
  try {
    await begin();
    if (!sandbox) return await runProcess({ ...request, ...command }, groups);
    const watch = await watchFolder(request.signal, script, room);
    const outcome = await runProcess({ ...request, ...command, signal: watch.signal }, groups).finally(watch.end);
    const failure = watch.failure();
    if (failure) throw failure;
    return endInBox(outcome, script.exit_codes);
  } finally {
    await leave();
  }
}

/** Aborts with the call, and when its folder has grown too much; `failure` says so then. */
async function watchFolder(call: AbortSignal, { path }: PlanScript, room: CallRoom | undefined) {
  const controller = new AbortController();
  const { signal } = controller;
  const abort = (): void => controller.abort();
  if (call.aborted) abort();
  call.addEventListener('abort', abort, { once: true });
  const before = room ? await bytesIn(room.folder) : 0;
  let failure: CallFailure | undefined;
  const look = async ({ folder, bytes }: CallRoom): Promise<void> => {
    if (failure || (await bytesIn(folder)) - before <= bytes) return;
    const message = `${path} wrote more than the ${formatBytes(bytes)} that its files may have together`;
    failure = new CallFailure({ code: 'file.too_large', message }, { unclear: true });
    abort();
  };
  const timer = room && setInterval(() => void look(room), LOOK_MS);
  const end = (): void => {
    clearInterval(timer);
    call.removeEventListener('abort', abort);
  };
  return { signal, end, failure: () => failure };
}

/** What the files in a folder take on the disk; those that just went take nothing. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries.map(async ({ parentPath, name }) => {
    const stat = await lstat(join(parentPath, name)).catch(() => undefined);
    return stat === undefined ? 0 : stat.blocks * 512;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
