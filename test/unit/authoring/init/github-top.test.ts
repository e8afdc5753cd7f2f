import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { githubTopAbove } from '../../../../src/authoring/init/github-top.js';

let top: string;
let project: string;

const git = (...args: string[]) => {
  const { status, stderr } = spawnSync('git', ['-C', top, ...args], { encoding: 'utf8' });
  expect({ status, stderr }).toMatchObject({ status: 0 });
};

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'github-top-')));
  project = join(top, 'tools', 'ops');
  mkdirSync(project, { recursive: true });
  git('init', '-q');
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('workflows of GitHub are searched for above the project', () => {
  test('in a repository without remotes, which may be moved to GitHub', () => {
    expect(githubTopAbove(project)).toBe(top);
  });

  test('in a repository on GitHub, also on an enterprise server', () => {
    git('remote', 'add', 'origin', 'git@github.acme.test:ops/tools.git');
    expect(githubTopAbove(project)).toBe(top);
  });

  test('in a repository with a mirror elsewhere and existing workflows', () => {
    git('remote', 'add', 'origin', 'https://git.acme.test/ops.git');
    mkdirSync(join(top, '.github'));
    expect(githubTopAbove(project)).toBe(top);
  });
});

describe('workflows of GitHub are not searched for above the project', () => {
  test('if the project is the repository', () => {
    expect(githubTopAbove(top)).toBeUndefined();
  });

  test('in a repository that ignores the project, such as one of a home folder', () => {
    writeFileSync(join(top, '.gitignore'), '*\n');
    expect(githubTopAbove(project)).toBeUndefined();
  });

  test('in a repository whose remotes are all elsewhere', () => {
    git('remote', 'add', 'origin', 'https://gitlab.com/ops/tools.git');
    expect(githubTopAbove(project)).toBeUndefined();
  });
});
