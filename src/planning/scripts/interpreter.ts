import { basename, extname, resolve } from 'node:path';
import type { PlanScript } from '../../contracts/plan.js';
import { AbilityError, type SourceLocation } from '../../contracts/problem.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';

/** What the first bytes of a file say of how it is run: no words for a binary; undefined: nothing. */
export type FileStart = { words: string[] } | { fault: string } | undefined;

const ELF = '\x7fELF';
/** The same in UTF-8 with a byte order mark, and in UTF-16: Linux sees no `#!` there. */
const MARKED = /^(?:\xef\xbb\xbf#!|\xff\xfe#\0!|\xfe\xff\0#\0!)/;
/** With the line feed. Source: BINPRM_BUF_SIZE of Linux. */
const MAX_LINE = 256;

/**
 * Reads the first line as Linux does: the path of a program, then the rest as one argument. A fault is what would
 * start nothing, a part of the line, or the script itself without end. Source: execve(2), fs/binfmt_script.c.
 */
export function startOf(bytes: Buffer): FileStart {
  const head = bytes.toString('latin1', 0, MAX_LINE);
  if (head.startsWith(ELF)) return { words: [] };
  if (MARKED.test(head)) return { fault: 'has a byte order mark before `#!`; save the file as UTF-8 without one' };
  if (!head.startsWith('#!')) return undefined;
  const end = head.indexOf('\n');
  if (end < 0 && bytes.length >= MAX_LINE) return { fault: `is longer than ${MAX_LINE - 1} bytes` };
  const line = bytes.toString('utf8', 2, end < 0 ? MAX_LINE : end);
  if (/[\0\r]/.test(line)) return { fault: 'has a Windows line ending or a zero byte; end it with a line feed alone' };
  const [, program = '', argument = ''] = /^[ \t]*([^ \t]*)[ \t]*(.*?)[ \t]*$/s.exec(line) ?? [];
  if (program === '') return { fault: 'names no program' };
  if (!program.includes('/')) return { fault: `names ${program} without a folder; write \`/usr/bin/env ${program}\`` };
  const isOne = /^(?:[^-\s=][^\s=]*|(?:-[iv0]*S|--split-string=).*)$/s.test(argument);
  if (isEnv(program) && (!isOne || programOfEnv([argument]) === '')) {
    return { fault: 'makes `env` start no other program; options and variables need `env -S`, with a program' };
  }
  return { words: argument === '' ? [program] : [program, argument] };
}

/** The program that runs a script without a first line `#!`. Source: docs/guide.md#script. */
const BY_EXTENSION: Record<string, string> = {
  '.mjs': 'node',
  '.js': 'node',
  '.cjs': 'node',
  '.py': 'python3',
  '.sh': 'sh',
};

/**
 * The one rule of how a file of the project is run where no `interpreter` is stated: by its first line, else by its
 * extension; its run bit does not matter. Empty: the file is a binary. @param path as in the definition.
 * @throws AbilityError `script.not_executable`.
 */
export function wordsToRun(
  { real, start }: { real: string; start: FileStart },
  path: string,
  location?: SourceLocation,
): string[] {
  if (start && 'words' in start) return start.words;
  const known = BY_EXTENSION[extname(real)];
  if (!start && known !== undefined) return [known];
  throw new AbilityError({
    code: 'script.not_executable',
    message: start
      ? `The first line of ${path} ${start.fault}`
      : `${path} has no first line \`#!\`, and ${extname(real) || 'its name'} names no interpreter`,
    ...(location && { location }),
    suggestion: `${start ? 'Correct' : 'Write'} its first line, such as \`#!/bin/bash\`, or set \`interpreter\`.`,
  });
}

/** @param words that start it. @throws AbilityError `config.missing_program` for one that is not on this machine. */
export function refuseMissing(
  words: readonly string[],
  { env, variables }: Pick<PlanScript, 'env' | 'variables'>,
  { root, path, location }: { root: string; path: string; location: SourceLocation },
  machine: Pick<EnvironmentVariables, 'inherited' | 'hasProgram'>,
): void {
  const programs = programsIn(words);
  const isComputed = variables?.PATH !== undefined || env.secrets.PATH !== undefined;
  const folders = (
    env.set.PATH ??
    (env.pass.includes('PATH') ? machine.inherited('PATH') : undefined) ??
    NO_PATH
  ).split(':');
  for (const program of programs) {
    if (!program || program.startsWith('{pinned}')) continue;
    const places = program.includes('/') ? [''] : isComputed ? undefined : folders;
    if (!places || machine.hasProgram(places.map((folder) => resolve(root, folder, program)))) continue;
    throw new AbilityError({
      code: 'config.missing_program',
      message: `${program}, which ${path} needs to run, is not a program of this machine`,
      location,
      suggestion: `Install ${program} where the workers run, on the PATH of the env_profile, or name another program.`,
    });
  }
}

/** The program that words start, and with `env` the one that this starts; undefined: only the run can tell. */
export function programsIn(words: readonly string[]): (string | undefined)[] {
  const [first = ''] = words;
  return [first, ...(isEnv(first) ? [programOfEnv(words.slice(1))] : [])];
}

/** What execvp(3) searches for a process without `PATH`. */
export const NO_PATH = '/usr/local/bin:/bin:/usr/bin';

function isEnv(program: string): boolean {
  return basename(program) === 'env';
}

/** Empty: none; undefined: only the run can tell. Source: env(1). */
function programOfEnv(words: readonly string[]): string | undefined {
  const text = words.join(' ').replace(/^(?:-[iv0]*S|--split-string=)\s*/, '');
  if (/["'\\$]|(?:^|\s)PATH=/.test(text)) return undefined;
  return /^(?:(?:-[uC]\s+\S+|-\S*|[^\s=]*=\S*)(?:\s+|$))*([^\s=-][^\s=]*)?/.exec(text)?.[1] ?? '';
}
