import { writeFileSync } from 'node:fs';
import type { RuntimeFile } from '../../../contracts/runtime.js';
import type { Registry } from '../../../definitions/registry.js';
import { asDiskError } from '../../../disk/disk-errors.js';
import { obtainTemporal } from '../../../server/binary/find-temporal.js';
import { isVisible } from '../../../server/processes/processes.js';
import { type ProjectPaths, pathsOf } from '../../../server/project-paths.js';
import { ensureRuntime } from '../../../server/runtime/ensure-runtime.js';
import { readLivingRuntime } from '../../../server/runtime/runtime-file.js';
import type { ProjectRuntime } from '../../../worker/runtime.js';
import { doorOpener } from '../../runtime/door-opener.js';
import { asTyped } from '../output/typed-command.js';
import { type Context, openRegistry } from '../program/context.js';
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
  return detach ? upDetached(context, registry, paths) : upHere(context, registry, paths);
}

function noteTo({ terminal }: Context): (text: string) => void {
  return (text) => terminal.note(text);
}

async function upDetached(context: Context, { project }: Registry, paths: ProjectPaths): Promise<void> {
  const { runtime } = await ensureRuntime(paths, noteTo(context), undefined, context.env, project.project);
  stay(paths);
  announce(context, project, runtime, 'up');
  context.terminal.note(asTyped('It stays in the background; stop it with `ability down`.', context));
}

async function upHere(context: Context, { project }: Registry, paths: ProjectPaths): Promise<void> {
  const { ProjectRuntime } = await import('../../../worker/runtime.js');
  const { path } = await obtainTemporal((text) => context.terminal.note(text), context.env);
  const isHeld = await withInterruption(context, async (signal) => {
    const runtime = takeRuntime(paths, () =>
      ProjectRuntime.take({
        root: paths.root,
        binary: path,
        foreground: true,
        env: context.env,
        openDoor: doorOpener(paths.root, context.env),
      }),
    );
    if ('holder' in runtime) return true;
    await runHere(context, project, runtime, signal);
    return false;
  });
  if (!isHeld) return;
  const { runtime: other } = await ensureRuntime(paths, noteTo(context), undefined, context.env, project.project);
  return reportThere(context, project, paths, other, false);
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

/** The lock is the first file that a runtime writes, so disk errors show here. */
function takeRuntime<T>(paths: ProjectPaths, take: () => T): T {
  try {
    return take();
  } catch (error) {
    throw asDiskError(error, paths.runtimeLock);
  }
}

async function reportThere(
  context: Context,
  project: Project,
  paths: ProjectPaths,
  living: RuntimeFile,
  detach: boolean,
): Promise<void> {
  const { runtime } =
    living.state === 'up' && isVisible(living) && (living.project ?? project.project) === project.project
      ? { runtime: living }
      : await ensureRuntime(paths, noteTo(context), undefined, context.env, project.project);
  if (detach) stay(paths);
  announce(context, project, runtime, 'up already');
  if (!context.flags.json) context.terminal.note(asTyped('Stop it with `ability down`.', context));
}

function stay(paths: ProjectPaths): void {
  try {
    writeFileSync(paths.stayFile, '');
  } catch (error) {
    throw asDiskError(error, paths.stayFile);
  }
}

function announce({ terminal, flags }: Context, project: Project, runtime: RuntimeFile, how: string): void {
  const { address, ui, pid, version } = runtime;
  if (flags.json) {
    terminal.printJson({ status: how, address, ui, pid, version });
    return;
  }
  const environments = Object.keys(project.environments).join(', ');
  terminal.print(
    [
      `${terminal.style('green', how)}  ${project.project}, for ${environments}`,
      `  UI        ${ui}`,
      `  Temporal  ${address} (process ${pid}, Ability Runtime ${version})`,
    ].join('\n'),
  );
}
