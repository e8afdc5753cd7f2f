import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folder above a new project in which GitHub looks for workflows; undefined where it looks in the project, or nowhere.
 *
 * A repository above counts where it takes the project up, and may go to GitHub: one that ignores the project, or whose
 * remotes are all elsewhere, runs no workflow of it.
 */
export function githubTopAbove(root: string): string | undefined {
  const top = findUpwards(root, '.git');
  if (top === undefined || top === root || isIgnored(root)) return undefined;
  if (existsSync(join(top, '.github'))) return top;
  const remotes = git(root, 'config', '--get-regexp', '^remote\\..*\\.url$').trim();
  return remotes === '' || /github/i.test(remotes) ? top : undefined;
}

function isIgnored(folder: string): boolean {
  return spawnSync('git', ['-C', folder, 'check-ignore', '-q', '.'], { stdio: 'ignore' }).status === 0;
}

/** The output of Git; empty if it fails. */
function git(folder: string, ...args: string[]): string {
  return spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).stdout ?? '';
}

function findUpwards(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
