import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { usageError } from '../../contracts/problem.js';
import { PROJECT_FILE } from '../../definitions/find-project.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import type { Registry } from '../../definitions/registry.js';

const PARTS = [PROJECT_FILE, 'registry', '.system/registry', '.system/hooks'];

const MAX_BYTES = 256 * 1024 * 1024;

/**
 * The definitions at a Git revision; undefined if the project did not exist then.
 * @throws AbilityError `usage.invalid` without Git, outside a repository, and for a missing revision.
 */
export function readRevision(
  root: string,
  revision: string,
  env: NodeJS.ProcessEnv = process.env,
): Registry | undefined {
  const git = gitIn(root, revision, env);
  const files = listFiles(git, revision);
  if (!files.includes(PROJECT_FILE)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'ability-since-'));
  try {
    for (const [name, content] of readFiles(git, revision, files)) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    return new RegistryLoader(folder).load();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Regular files only: the target of a link is not part of the revision. */
function listFiles(git: Git, revision: string): string[] {
  const commit = git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
  const listed = git(['ls-tree', '-r', '-z', commit.toString('utf8').trim(), '--', ...PARTS]);
  return listed
    .toString('utf8')
    .split('\0')
    .flatMap((entry) => {
      const [, mode, name] = /^(\d+) blob [0-9a-f]+\t(.*)$/.exec(entry) ?? [];
      const isRead = name === PROJECT_FILE || /\.ya?ml$/.test(name ?? '');
      return name !== undefined && mode?.startsWith('100') && isRead ? [name] : [];
    });
}

/** Reads all files in one process. Git writes each as `<id> blob <bytes>`, a newline, its bytes, a newline. */
function* readFiles(git: Git, revision: string, files: readonly string[]): Generator<[string, Buffer]> {
  const input = files.map((name) => `${revision}:./${name}\n`).join('');
  const answer = git(['cat-file', '--batch'], input);
  let at = 0;
  for (const name of files) {
    const end = answer.indexOf(10, at);
    const [, size] = / blob (\d+)$/.exec(answer.toString('utf8', at, end)) ?? [];
    if (size === undefined) return;
    const begin = end + 1;
    at = begin + Number(size) + 1;
    yield [name, answer.subarray(begin, begin + Number(size))];
  }
}

/** Runs Git in the project. @throws AbilityError `usage.invalid` when it fails. */
type Git = (args: string[], input?: string) => Buffer;

function gitIn(root: string, revision: string, env: NodeJS.ProcessEnv): Git {
  return (args, input) => {
    try {
      return execFileSync('git', ['-C', root, ...args], {
        maxBuffer: MAX_BYTES,
        stdio: ['pipe', 'pipe', 'pipe'],
        env,
        ...(input !== undefined && { input }),
      });
    } catch (error) {
      throw usageError(
        `${revision} cannot be read from Git: ${reasonOf(error)}`,
        'Name a branch, tag or commit of the repository that the project is in, such as origin/main.',
        error,
      );
    }
  };
}

function reasonOf(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'there is no `git` here';
  const { stderr } = error as { stderr?: Buffer };
  return stderr?.toString('utf8').trim().split('\n', 1)[0] || 'there is no such commit';
}
