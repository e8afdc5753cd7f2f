import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { CALL_ID_VARIABLE, NO_CALL } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import { asDiskError } from '../../disk/disk-errors.js';
import { unlessAborted } from '../../rules/unless-aborted.js';
import { obtainTemporal, type Progress } from '../binary/find-temporal.js';
import { packageVersion, RUNTIME_PROGRAM } from '../installation.js';
import { livingHolder } from '../processes/lock.js';
import { isAlive, isVisible, isWorking, signalProcess } from '../processes/processes.js';
import type { ProjectPaths } from '../project-paths.js';
import { makeSystemFolder, readLivingRuntime, readRuntimeFile, touchRuntime } from './runtime-file.js';
import { reachUnseen } from './unseen-runtime.js';

const START_MS = 60_000;
const POLL_MS = 25;
const MAX_ATTEMPTS = 3;

/** Exit code of a runtime that cannot even write the reason: the disk is full. */
export const NO_ROOM = 28;

export interface EnsuredRuntime {
  runtime: RuntimeFile;
  started: boolean;
}

/**
 * Returns the project's runtime, starting it if there is none. Concurrent callers may each start one: the first to
 * take the lock stays, the others exit. A runtime that cannot be seen is used if it can be reached.
 * @param signal ends the waiting, with its reason. @param env of the caller: to find programs, and for the
 * runtime. @param project its name in `ability.yaml`; a runtime with a former name is replaced when idle. @throws
 * AbilityError `runtime.failed`, `runtime.version_mismatch`, `runtime.renamed`, `runtime.elsewhere`,
 * `temporal.binary_missing`.
 */
export async function ensureRuntime(
  paths: ProjectPaths,
  progress: Progress,
  signal?: AbortSignal,
  env: NodeJS.ProcessEnv = process.env,
  project?: string,
): Promise<EnsuredRuntime> {
  try {
    touchRuntime(paths);
  } catch (error) {
    throw asDiskError(error, paths.touchFile);
  }
  const unseen = await reachUnseen(paths, progress, signal);
  if (unseen) {
    const runtime = ofThisVersion(unseen);
    if (isRenamed(runtime, project)) throw stillRenamed(runtime, project);
    return { runtime, started: false };
  }
  const living = readLivingRuntime(paths);
  const isUnfit = living && (living.version !== packageVersion() || isRenamed(living, project));
  if (living?.state === 'up' && !isUnfit) return { runtime: living, started: false };
  if (isUnfit && living.state !== 'stopping') {
    await askToLeave(living, project, signal);
    if (isRenamed(living, project)) progress(renamedWords(living, project));
  }
  const { path } = await unlessAborted(obtainTemporal(progress, env), signal);
  const spawn = (): SpawnedRuntime => spawnRuntime(paths, path, env);
  return { runtime: await startAndWait(paths, spawn, progress, signal), started: true };
}

/** Throws for another version: from here, that runtime cannot be stopped. */
function ofThisVersion(runtime: RuntimeFile): RuntimeFile {
  if (runtime.version === packageVersion()) return runtime;
  throw new AbilityError({
    code: 'runtime.version_mismatch',
    message: `The runtime of this project is version ${runtime.version}, this is ${packageVersion()}; it runs as process ${runtime.pid} on ${runtime.host}, and cannot be seen from here`,
    suggestion: 'Stop it there, `ability down`, when its tasks may pause, or use that version.',
  });
}

/** Asks a runtime of another version or name to exit, which it does only if it is idle. */
async function askToLeave(runtime: RuntimeFile, project: string | undefined, signal?: AbortSignal): Promise<void> {
  signalProcess(runtime.pid, 'SIGUSR2');
  const deadline = Date.now() + 10_000;
  while (isAlive(runtime)) {
    signal?.throwIfAborted();
    if (Date.now() > deadline) {
      if (runtime.version === packageVersion()) throw stillRenamed(runtime, project);
      throw new AbilityError({
        code: 'runtime.version_mismatch',
        message: `The runtime of this project is version ${runtime.version}, this is ${packageVersion()}, and it has work`,
        suggestion: 'Run `ability down` when its tasks may pause, or use that version.',
      });
    }
    await pause();
  }
}

/** A task queue contains its project's name, so a runtime serves only the name it started with. */
function isRenamed(runtime: RuntimeFile, project: string | undefined): boolean {
  return runtime.project !== undefined && project !== undefined && runtime.project !== project;
}

function stillRenamed(runtime: RuntimeFile, project: string | undefined): AbilityError {
  return new AbilityError({
    code: 'runtime.renamed',
    message: `The project is called ${project} now, and its runtime still works for ${runtime.project}`,
    suggestion: `Wait until its tasks are done, or run \`ability down\`; or write \`project: ${runtime.project}\` again.`,
  });
}

function renamedWords(runtime: RuntimeFile, project: string | undefined): string {
  return `The project was called ${runtime.project} and is ${project} now, so its runtime starts anew. Open tasks of ${runtime.project} wait until it is called so again.`;
}

async function startAndWait(
  paths: ProjectPaths,
  spawn: () => SpawnedRuntime,
  progress: Progress,
  signal?: AbortSignal,
): Promise<RuntimeFile> {
  const deadline = Date.now() + START_MS;
  const earlier = identityOf(readRuntimeFile(paths));
  let attempts = 0;
  let spawned: SpawnedRuntime | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const file = readRuntimeFile(paths);
    if (file?.state === 'up' && isVisible(file) && isWorking(file)) return file;
    if (file?.state === 'failed' && identityOf(file) !== earlier) throw failed(file);
    const holder = livingHolder(paths.runtimeLock);
    if (holder && !isVisible(holder)) {
      // A process that cannot be seen from here took the lock first.
      const unseen = await reachUnseen(paths, progress, signal);
      if (unseen) return ofThisVersion(unseen);
    }
    if (!holder && spawned?.exitCode !== undefined) {
      if (spawned.exitCode === NO_ROOM) throw asDiskError({ code: 'ENOSPC' }, paths.runtimeFile);
      if (attempts === MAX_ATTEMPTS) throw failed(file, `its process ended with exit code ${spawned.exitCode}`);
      spawned = undefined;
    }
    if (!holder && !spawned) {
      attempts += 1;
      spawned = spawn();
    }
    if (Date.now() > deadline) throw failed(file);
    await pause();
  }
}

/** A runtime that finds the lock taken leaves at once; then the one that has the lock comes up. */
interface SpawnedRuntime {
  exitCode: number | undefined;
}

function identityOf(file: RuntimeFile | undefined): string {
  return file ? `${file.pid} ${file.started}` : '';
}

/** A larger log of the runtime is replaced at its next start, and kept as `runtime.log.1`. Bytes. */
const MAX_LOG = 16 * 1024 * 1024;

function spawnRuntime(paths: ProjectPaths, binary: string, env: NodeJS.ProcessEnv): SpawnedRuntime {
  let log: number;
  try {
    makeSystemFolder(paths, true);
    if ((statSync(paths.runtimeLog, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG) {
      renameSync(paths.runtimeLog, `${paths.runtimeLog}.1`);
    }
    log = openSync(paths.runtimeLog, 'a');
  } catch (error) {
    throw error instanceof AbilityError ? error : asDiskError(error, paths.runtimeLog);
  }
  try {
    const child = spawn(process.execPath, [RUNTIME_PROGRAM, '--project', paths.root, '--temporal', binary], {
      cwd: paths.root,
      detached: true,
      stdio: ['ignore', log, log],
      // A script's command may start the runtime, which must outlive that call.
      env: { ...env, [CALL_ID_VARIABLE]: NO_CALL },
    });
    const spawned: SpawnedRuntime = { exitCode: undefined };
    child.once('exit', (code) => (spawned.exitCode = code ?? -1));
    child.once('error', () => (spawned.exitCode = -1));
    child.unref();
    return spawned;
  } finally {
    closeSync(log);
  }
}

function failed(file: RuntimeFile | undefined, otherwise = 'it did not come up within a minute'): AbilityError {
  const reason = file?.error?.message ?? otherwise;
  return new AbilityError({
    code: 'runtime.failed',
    message: `The runtime of this project did not start: ${reason}`,
    suggestion: file?.error?.suggestion ?? `Read ${file?.log ?? '.system/runtime.log'}, or run \`ability doctor\`.`,
  });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
