import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folder above a new project where GitHub looks for workflows; undefined: in the project, or nowhere. A
 * repository that ignores the project, or whose remotes are all elsewhere, runs none of its workflows.
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

/** Output of Git; empty if the command fails. */
function git(folder: string, ...args: string[]): string {
  return spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).stdout ?? '';
}

function findUpwards(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
