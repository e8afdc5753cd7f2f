import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { loadRegistry } from '../../../../../src/definitions/load-registry.js';
import { fingerprint, untilChange, watchedFolders } from '../../../../../src/doors/cli/input/watch-files.js';
import { operation, type ProjectFolder } from '../../../../fixtures/project-folder.js';
import { temporaryProject } from '../../../temporary-project.js';

let project: ProjectFolder;
let folders: string[];

beforeEach(() => {
  project = temporaryProject({
    ...operation('util.echo', 'return input;'),
    'registry/hooks/PreAbilityCall.yaml': 'hooks: [{ id: h, handler: { script: { path: guards/h.mjs } } }]\n',
    'guards/h.mjs': '// nothing',
    'elsewhere/notes.txt': 'x',
  });
  folders = watchedFolders(loadRegistry(project.root));
});

describe('files that cases depend on', () => {
  test.each([
    'ability.yaml',
    'registry/low-level/util.echo.yaml',
    'registry/low-level/new.test.yaml',
    'registry/hooks/PostAbilityCall.yaml',
    'scripts/util.echo.mjs',
    'scripts/imported-by-it.mjs',
    'guards/h.mjs',
  ])('a change of %s is detected', (file) => {
    const before = fingerprint(project.root, folders);
    project.write({ [file]: 'format: 1\n# another\n' });
    expect(fingerprint(project.root, folders)).not.toBe(before);
  });

  test('the removal of a file is detected, and a change of an unrelated file is ignored', () => {
    const before = fingerprint(project.root, folders);
    project.write({ 'elsewhere/notes.txt': 'other', '.system/runtime.log': 'x' });
    expect(fingerprint(project.root, folders)).toBe(before);
    rmSync(join(project.root, 'scripts/util.echo.mjs'));
    expect(fingerprint(project.root, folders)).not.toBe(before);
  });
});

test('a change ends the wait, even if it came before the wait began', async () => {
  const before = fingerprint(project.root, folders);
  project.write({ 'guards/h.mjs': '// something' });
  await untilChange(project.root, folders, before, new AbortController().signal);
});

test('an aborted wait ends', async () => {
  const stop = new AbortController();
  const waiting = untilChange(project.root, folders, fingerprint(project.root, folders), stop.signal);
  stop.abort();
  await waiting;
});

test('a project whose folders are removed does not cause a crash', () => {
  rmSync(join(project.root, 'registry'), { recursive: true });
  mkdirSync(join(project.root, 'registry'));
  expect(fingerprint(project.root, folders)).toContain('ability.yaml');
});
