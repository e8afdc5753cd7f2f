import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckResult } from '../../contracts/check.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { unlessRefused } from '../../text/attempt.js';
import { findTemporal } from '../binary/find-temporal.js';
import { packageVersion } from '../installation.js';
import { describeHolder, livingHolder, readHolder } from '../processes/lock.js';
import { isVisible, sharesLoopback } from '../processes/processes.js';
import type { ProjectPaths } from '../project-paths.js';
import { readLivingRuntime, readRuntimeFile } from '../runtime/runtime-file.js';

const OLDEST_NODE = [20, 19] as const;
/** With less free space, writing a history, a record or a payload may soon fail. */
const LEAST_FREE_BYTES = 200 * 1024 * 1024;

export function checkNode(version = process.versions.node): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const good = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  if (good) return { name: 'node', status: 'ok', message: `Node ${version}` };
  return {
    name: 'node',
    status: 'failed',
    message: `Node ${version} is older than ${OLDEST_NODE.join('.')}`,
    advice: 'Install a newer Node.',
  };
}

/** Whether the Temporal CLI is installed. A missing one is fine: the first command that needs it fetches it. */
export async function checkBinary(env: NodeJS.ProcessEnv = process.env): Promise<CheckResult> {
  try {
    const found = await findTemporal(env);
    if (found) return { name: 'temporal', status: 'ok', message: `Temporal CLI ${found.version} (${found.from})` };
    return {
      name: 'temporal',
      status: 'warning',
      message: 'The Temporal CLI is not here; the first command that needs it fetches it',
      advice: 'Fetch it now: ability up --detach.',
    };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const { message, suggestion = 'Install the Temporal CLI.' } = error;
    return { name: 'temporal', status: 'failed', message, advice: suggestion };
  }
}

/** A stopped runtime is fine. */
export function checkRuntime(paths: ProjectPaths): CheckResult {
  return unlessRefused<CheckResult, CheckResult>(
    () => lookAtRuntime(paths),
    ({ message, suggestion = 'Fix that.' }) => ({ name: 'runtime', status: 'failed', message, advice: suggestion }),
  );
}

function lookAtRuntime(paths: ProjectPaths): CheckResult {
  const name = 'runtime';
  const living = readLivingRuntime(paths);
  const holder = readHolder(paths.runtimeLock);
  const isHeld = livingHolder(paths.runtimeLock) !== undefined;
  if (holder && isHeld && !isVisible(holder)) {
    const reach = sharesLoopback(holder);
    const message = `The runtime cannot be seen from here, it is ${describeHolder(holder)}`;
    const advice = 'Run commands there, or stop it there: ability down.';
    return { name, status: reach ? 'ok' : 'warning', message, advice };
  }
  if (living) {
    const { version, state, ui } = living;
    if (version === packageVersion()) {
      const [records, shared] = [living.records_missing ?? 0, living.shared_missing ?? 0];
      if (records + shared === 0) return { name, status: 'ok', message: `The runtime is ${state}; UI ${ui}` };
      const lost = [
        ...(records === 0 ? [] : [records === 1 ? '1 record of a task' : `${records} records of tasks`]),
        ...(shared === 0 ? [] : [`${shared} records and logs for the shared store`]),
      ];
      return {
        name,
        status: 'warning',
        message: `The runtime is ${state}; since it started, ${lost.join(' and ')} could not be written`,
        advice: `Read ${living.log}${records > 0 ? '; then `ability task record KEY` writes each from the history' : ''}.`,
      };
    }
    const message = `The runtime is version ${version}, this is ${packageVersion()}`;
    return { name, status: 'failed', message, advice: 'Run `ability down` when its tasks may pause.' };
  }
  if (holder && !isHeld) {
    return {
      name,
      status: 'warning',
      message: `The runtime (process ${holder.pid}) was killed; the next command starts another, and tasks go on`,
      advice: 'Clean up now: ability down.',
    };
  }
  const last = readRuntimeFile(paths);
  if (last?.state === 'failed') {
    const message = `The runtime did not start: ${last.error?.message ?? 'it does not say why'}`;
    return { name, status: 'failed', message, advice: last.error?.suggestion ?? `Read ${last.log}.` };
  }
  return { name, status: 'ok', message: 'The runtime is not up; the next command that needs it starts it' };
}

export function checkDisk(folder: string, name: string): CheckResult {
  const advice = `Make ${folder} writable and make room there.`;
  try {
    mkdirSync(folder, { recursive: true });
    const probe = join(folder, `.doctor-${process.pid}`);
    writeFileSync(probe, 'x');
    rmSync(probe);
  } catch (error) {
    const reason = reasonOf(error);
    return { name, status: 'failed', message: `${folder} cannot be written: ${reason}`, advice };
  }
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const room = `${Math.round(free / 1024 / 1024)} MiB free`;
  if (free >= LEAST_FREE_BYTES) return { name, status: 'ok', message: `${folder}, ${room}` };
  return { name, status: 'warning', message: `${folder} has only ${room}`, advice };
}

const KEY_BYTES = 32;

export function checkKeys(paths: ProjectPaths): CheckResult {
  const name = 'keys';
  if (!existsSync(paths.keys)) return { name, status: 'ok', message: 'Seal keys are made when a worker first starts' };
  try {
    const usable = readdirSync(paths.keys).filter((id) => statSync(join(paths.keys, id)).size >= KEY_BYTES);
    if (usable.length > 0) return { name, status: 'ok', message: 'Seal keys are in .system/keys' };
    const message = `${paths.keys} contains no usable key, so tasks that were sealed with it wait`;
    return { name, status: 'failed', message, advice: 'Put the key back; without it, run those tasks again.' };
  } catch (error) {
    const message = `${paths.keys} cannot be read: ${reasonOf(error)}`;
    return { name, status: 'failed', message, advice: 'Make the user who runs the worker its owner.' };
  }
}
