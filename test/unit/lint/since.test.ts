import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RegistryLoader } from '../../../src/definitions/load-registry.js';
import { lintProject } from '../../../src/lint/lint-project.js';
import { readRevision } from '../../../src/lint/since/read-revision.js';
import { errorOf } from '../error-of.js';
import { temporaryProject } from '../temporary-project.js';
import { SOUND, workflow } from './lint-case.js';

function git(root: string, ...args: string[]): void {
  execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@t.test', ...args], { stdio: 'ignore' });
}

function commitAll(root: string): void {
  git(root, 'init', '--quiet');
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message', 'all');
}

test('a revision is read in a subfolder of the repository, whatever the working tree contains', () => {
  const { root, write } = temporaryProject(
    Object.fromEntries(Object.entries(SOUND).map(([name, content]) => [`apps/one/${name}`, content])),
  );
  commitAll(root);
  const project = join(root, 'apps/one');
  write({ 'apps/one/registry/low-level/op.read.yaml': 'broken: [' });
  rmSync(join(project, 'ability.yaml'));
  expect([...(readRevision(project, 'HEAD')?.operations.keys() ?? [])]).toEqual(['op.read']);
});

test('a revision without the project has nothing to compare with', () => {
  const { root, write } = temporaryProject();
  rmSync(join(root, 'ability.yaml'));
  write({ 'README.md': 'Nothing yet.' });
  commitAll(root);
  write(SOUND);
  expect(readRevision(root, 'HEAD')).toBeUndefined();
  expect(lintProject(new RegistryLoader(root), { since: 'HEAD' }).findings).toEqual([]);
});

test.each(['no-such-branch', '--output=/tmp/x', 'HEAD:ability.yaml', ''])(
  '%j is refused, and is not treated as an option of Git',
  (revision) => {
    const { root } = temporaryProject(SOUND);
    commitAll(root);
    expect(errorOf(() => readRevision(root, revision))).toMatchObject({ code: 'usage.invalid' });
  },
);

test('a project outside a repository is refused', () => {
  const { root } = temporaryProject(SOUND);
  expect(errorOf(() => readRevision(root, 'HEAD')).code).toBe('usage.invalid');
});

test('links of a revision are not followed', () => {
  const { root } = temporaryProject({ ...SOUND, ...workflow('steps: [{ id: one, let: {} }]') });
  symlinkSync('/etc/passwd', join(root, 'registry/low-level/link.yaml'));
  commitAll(root);
  expect(readRevision(root, 'HEAD')?.problems).toEqual([]);
});
