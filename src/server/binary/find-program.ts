import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import { diskReason } from '../../disk/disk-errors.js';
import { isExecutable } from '../../disk/paths.js';
import { waitForLock } from '../processes/lock.js';
import { cacheFolder } from '../project-paths.js';

export type Progress = (text: string) => void;

/** Fetches a program into a folder. @returns its path there. @throws if it cannot. */
export type FetchProgram = (folder: string, progress: Progress, program: Program) => Promise<string>;

export interface Program {
  /** For people, such as `Temporal CLI`. */
  title: string;
  /** Its file name, on the `PATH` and in the cache. */
  file: string;
  /** Environment variable that may contain its path. */
  variable: string;
  version: string;
  /** The version that a file reports, or undefined if it is another program or cannot be run. */
  identify(path: string): Promise<string | undefined>;
  isRecent(version: string): boolean;
  /** Tried in this order. */
  sources: readonly (readonly [from: 'download' | 'pip', fetch: FetchProgram])[];
}

export interface FoundProgram {
  path: string;
  version: string;
  /** Name of the environment variable, `PATH`, `cache` or a source. */
  from: string;
}

export function cachedPathOf({ file, version }: Program, env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), `${file}-${version}`, file);
}

/** Does not fetch it. @throws AbilityError `temporal.binary_missing` if its variable names anything else. */
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

export function findOnPath(file: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, file))
    .find(isExecutable);
}

/**
 * Fetches the pinned release once for concurrent callers; gives up a source after five seconds without a byte.
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
      if (!version) throw new Error('the fetched program does not run on this machine');
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
