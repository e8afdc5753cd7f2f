/** Runs git on a repository without a shell, its hooks, filters, pagers, external programs and the settings of the machine. */
import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';

const MOST_BYTES = 16 * 1024 * 1024;

/** What git prints. */
export function git(folder, ...args) {
  const data = join(folder, '.git');
  if (!lstatSync(data, { throwIfNoEntry: false })?.isDirectory())
    throw new Error('The folder is not a git repository of its own');
  const fixed = [`--git-dir=${data}`, `--work-tree=${folder}`, '--no-pager', '--literal-pathspecs'];
  const settings = ['core.fsmonitor=false', `core.hooksPath=${devNull}`, 'protocol.allow=never'].flatMap((one) => [
    '-c',
    one,
  ]);
  try {
    return execFileSync('git', [...fixed, ...settings, ...args], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: MOST_BYTES,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: devNull,
        GIT_OPTIONAL_LOCKS: '0',
        GIT_NO_LAZY_FETCH: '1',
        GIT_TERMINAL_PROMPT: '0',
      },
    });
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error('git is not installed where the worker runs');
    throw new Error(
      String(error.stderr || error.message)
        .trim()
        .split('\n')[0],
    );
  }
}

/** The commit that a name means. */
export function commitOf(folder, name) {
  return git(folder, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`).trim();
}
