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

describe('workflows of GitHub are looked for above the project', () => {
  test('in a repository without remotes, which may go there', () => {
    expect(githubTopAbove(project)).toBe(top);
  });

  test('in one of GitHub, also of an enterprise', () => {
    git('remote', 'add', 'origin', 'git@github.acme.test:ops/tools.git');
    expect(githubTopAbove(project)).toBe(top);
  });

  test('in one with a mirror elsewhere and workflows already', () => {
    git('remote', 'add', 'origin', 'https://git.acme.test/ops.git');
    mkdirSync(join(top, '.github'));
    expect(githubTopAbove(project)).toBe(top);
  });
});

describe('nowhere above the project', () => {
  test('where the project is the repository', () => {
    expect(githubTopAbove(top)).toBeUndefined();
  });

  test('in a repository that ignores the project, such as one of a home folder', () => {
    writeFileSync(join(top, '.gitignore'), '*\n');
    expect(githubTopAbove(project)).toBeUndefined();
  });

  test('in one whose remotes are all elsewhere', () => {
    git('remote', 'add', 'origin', 'https://gitlab.com/ops/tools.git');
    expect(githubTopAbove(project)).toBeUndefined();
  });
});
