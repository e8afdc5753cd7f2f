import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findProjectRoot, foldersOf } from '../../../src/definitions/find-project.js';
import { errorOf } from '../error-of.js';
import { temporaryProject } from '../temporary-project.js';

test('the nearest project upwards is used', () => {
  const outer = temporaryProject({ 'inner/ability.yaml': 'format: 1', 'inner/deep/er/file': '', 'other/file': '' });
  expect(findProjectRoot(join(outer.root, 'inner/deep/er'))).toBe(join(outer.root, 'inner'));
  expect(findProjectRoot(join(outer.root, 'inner'))).toBe(join(outer.root, 'inner'));
  expect(findProjectRoot(join(outer.root, 'other'))).toBe(outer.root);
});

test('an explicit project takes precedence, relative to the current folder', () => {
  const outer = temporaryProject({ 'inner/ability.yaml': 'format: 1' });
  expect(findProjectRoot(outer.root, 'inner')).toBe(join(outer.root, 'inner'));
  expect(findProjectRoot('/', join(outer.root, 'inner'))).toBe(join(outer.root, 'inner'));
});

test('a project reached through a link has one root, the real one', () => {
  const { root } = temporaryProject({ 'real/ability.yaml': 'format: 1' });
  symlinkSync(join(root, 'real'), join(root, 'link'));
  expect(findProjectRoot(root, 'link')).toBe(join(root, 'real'));
});

test('no project above is project.not_found, with a suggestion', () => {
  const error = errorOf(() => findProjectRoot('/'));
  expect(error.code).toBe('project.not_found');
  expect(error.suggestion).toMatch(/--project/);
});

test('an explicit folder without a project is project.not_found, whatever is above it', () => {
  const { root } = temporaryProject({ 'folder/file': '' });
  const error = errorOf(() => findProjectRoot(root, 'folder'));
  expect(error.code).toBe('project.not_found');
  expect(error.message).toContain(join(root, 'folder'));
});

test('definitions live in registry/, hooks in registry/hooks', () => {
  const { root } = temporaryProject({ 'registry/low-level/.keep': '' });
  expect(foldersOf(root)).toEqual({
    root,
    registry: join(root, 'registry'),
    hooks: join(root, 'registry/hooks'),
  });
});

test('a project with .system/registry is served from there and from .system/hooks', () => {
  const { root } = temporaryProject({ '.system/registry/low-level/.keep': '' });
  expect(foldersOf(root)).toEqual({
    root,
    registry: join(root, '.system/registry'),
    hooks: join(root, '.system/hooks'),
  });
});

test('both registries together are refused', () => {
  const { root } = temporaryProject();
  mkdirSync(join(root, 'registry'));
  mkdirSync(join(root, '.system/registry'), { recursive: true });
  expect(errorOf(() => foldersOf(root)).code).toBe('project.two_registries');
});
