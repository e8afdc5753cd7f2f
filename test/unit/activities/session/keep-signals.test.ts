import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepSignals } from '../../../../src/activities/session/keep-signals.js';
import { makeProject, type ProjectFolder } from '../../../fixtures/project-folder.js';

const SIGNAL = { at: '2026-01-02T03:04:05.000Z', hook: 'hints', name: 'mood', value: 'calm' };
let project: ProjectFolder;
let other: ProjectFolder;

beforeEach(() => {
  project = makeProject();
  other = makeProject();
});
afterEach(() => {
  project.remove();
  other.remove();
});

test('R-002-47: a signal is written once, however often an activity is tried', () => {
  for (let attempt = 0; attempt < 2; attempt += 1) keepSignals(project.root, 'modules/users', 's-1', [SIGNAL]);
  const text = readFileSync(join(project.root, 'modules/users/workdocs/hook-signals.md'), 'utf8');
  expect(text.split('\n')).toEqual([expect.stringMatching(/^- 2026-01-02T03:04:05.000Z s-1 hints .*calm/), '']);
});

test('a scope that leads out of the project makes nothing there', () => {
  const scope = `../${basename(other.root)}/made`;
  expect(() => keepSignals(project.root, scope, 's-1', [SIGNAL])).toThrow(/leads out of the project/);
  expect(existsSync(join(other.root, 'made'))).toBe(false);
});

test('a folder or a file that is no plain file out of the project is not written through', () => {
  symlinkSync(other.root, join(project.root, 'linked'));
  expect(() => keepSignals(project.root, 'linked', 's-1', [SIGNAL])).toThrow(/leads out of the project/);
  mkdirSync(join(project.root, 'ops/workdocs'), { recursive: true });
  symlinkSync(join(other.root, 'ability.yaml'), join(project.root, 'ops/workdocs/hook-signals.md'));
  expect(() => keepSignals(project.root, 'ops', 's-1', [SIGNAL])).toThrow(/is no plain file/);
  expect(readFileSync(join(other.root, 'ability.yaml'), 'utf8')).not.toContain('calm');
});
