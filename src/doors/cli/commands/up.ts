import { writeFileSync } from 'node:fs';
import type { RuntimeFile } from '../../../contracts/runtime.js';
import type { Registry } from '../../../definitions/registry.js';
import { asDiskError } from '../../../disk/disk-errors.js';
import { obtainTemporal } from '../../../server/binary/find-temporal.js';
import { isVisible } from '../../../server/processes/processes.js';
import { type ProjectPaths, pathsOf } from '../../../server/project-paths.js';
import { ensureRuntime } from '../../../server/runtime/ensure-runtime.js';
import { readLivingRuntime } from '../../../server/runtime/runtime-file.js';
import { asTyped } from '../../../shown/typed-command.js';
import type { ProjectRuntime } from '../../../worker/runtime.js';
import { doorOpener } from '../../runtime/door-opener.js';
import { type Context, openRegistry, printAnswer } from '../program/context.js';
import type { RuntimeFlags } from '../program/runtime.js';
import { withInterruption } from './following/interruption.js';

type Project = Registry['project'];

/** `ability up`: runs the project's runtime until it is stopped. Source: docs/guide.md. */
export async function run(context: Context, _: [], { detach }: RuntimeFlags['up']): Promise<void> {
  const registry = await openRegistry(context);
  const paths = pathsOf(registry.root);
  const living = readLivingRuntime(paths);
  if (living?.state === 'up' || living?.state === 'starting')
    return reportThere(context, registry.project, paths, living, detach ?? false);
  return detach ? upDetached(context, registry.project, paths) : upHere(context, registry.project, paths);
}

async function reachRuntime(
  { terminal, env }: Context,
  { project }: Project,
  paths: ProjectPaths,
): Promise<RuntimeFile> {
  return (await ensureRuntime(paths, terminal.note, undefined, env, project)).runtime;
}

async function upDetached(context: Context, project: Project, paths: ProjectPaths): Promise<void> {
  const runtime = await reachRuntime(context, project, paths);
  stay(paths);
  announce(context, project, runtime, 'up');
  context.terminal.note(asTyped('It stays in the background; stop it with `ability down`.', context));
}

async function upHere(context: Context, project: Project, paths: ProjectPaths): Promise<void> {
  const { ProjectRuntime } = await import('../../../worker/runtime.js');
  const { path } = await obtainTemporal(context.terminal.note, context.env);
  const isHeld = await withInterruption(context, async (signal) => {
    const { env } = context;
    const { root } = paths;
    const options = { root, binary: path, foreground: true, env, openDoor: doorOpener(root, env) };
    // The lock is the first file that a runtime writes, so disk errors show here.
    const runtime = writing(paths.runtimeLock, () => ProjectRuntime.take(options));
    if ('holder' in runtime) return true;
    await runHere(context, project, runtime, signal);
    return false;
  });
  if (!isHeld) return;
  return reportThere(context, project, paths, await reachRuntime(context, project, paths), false);
}

async function runHere(
  context: Context,
  project: Project,
  runtime: ProjectRuntime,
  interrupted: AbortSignal,
): Promise<void> {
  const leave = (): void => {
    context.terminal.note('Stopping; waiting for calls that must not be repeated ...');
    runtime.leave();
  };
  if (interrupted.aborted) leave();
  else interrupted.addEventListener('abort', leave);
  await runtime.start();
  if (!runtime.isLeaving) {
    announce(context, project, runtime.announcement, 'up');
    context.terminal.note('Press Ctrl-C to stop; tasks are on disk and go on the next time.');
  }
  await runtime.untilEnd();
  context.terminal.note('Stopped.');
}

/** @throws AbilityError for a full disk and the like. */
function writing<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw asDiskError(error, path);
  }
}

async function reportThere(
  context: Context,
  project: Project,
  paths: ProjectPaths,
  living: RuntimeFile,
  detach: boolean,
): Promise<void> {
  const isOwn = (living.project ?? project.project) === project.project;
  const isHere = living.state === 'up' && isVisible(living) && isOwn;
  const runtime = isHere ? living : await reachRuntime(context, project, paths);
  if (detach) stay(paths);
  announce(context, project, runtime, 'up already');
  if (!context.flags.json) context.terminal.note(asTyped('Stop it with `ability down`.', context));
}

function stay({ stayFile }: ProjectPaths): void {
  writing(stayFile, () => writeFileSync(stayFile, ''));
}

function announce(context: Context, project: Project, runtime: RuntimeFile, how: string): void {
  const { address, ui, pid, version } = runtime;
  const lines = [
    `${context.terminal.style('green', how)}  ${project.project}, for ${Object.keys(project.environments).join(', ')}`,
    `  UI        ${ui}`,
    `  Temporal  ${address} (process ${pid}, Ability Runtime ${version})`,
  ];
  printAnswer(context, { status: how, address, ui, pid, version }, () => lines.join('\n'));
}
