import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import { waitForLock } from '../processes/lock.js';
import { isNoRoom } from '../runtime/runtime-file.js';
import { cachedPathOf, type FoundProgram, findProgram, type Program, type Progress } from './find-program.js';

/**
 * Finds a program, or fetches the pinned release from one of its sources.
 *
 * Many callers at once fetch it once. Each source is given up after five seconds without a byte. Source: docs/operations.md#the-runtime-of-a-project.
 *
 * @throws AbilityError `temporal.binary_missing` that says what each source answered.
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
    throw asMissing(program, [reasonOf(error)]);
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
      const file = await fetch(folder, progress);
      const version = await program.identify(file);
      if (!version) throw new Error('what it gave does not run on this machine');
      renameSync(file, target);
      progress(`${program.title} ${program.version} is ready in ${dirname(target)}`);
      return { path: target, version, from };
    } catch (error) {
      answers.push(`${from}: ${reasonOf(error)}`);
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

function reasonOf(error: unknown): string {
  if (isNoRoom(error)) return 'the disk is full';
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
}
