import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeTogether, writeTogetherOr } from '../../../src/authoring/write-together.js';
import { makeProject, type ProjectFolder } from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';

let project: ProjectFolder;
let before: string[];
const all = (): string[] => readdirSync(project.root, { recursive: true, encoding: 'utf8' }).sort();

beforeEach(() => {
  project = makeProject({ 'hooks.yaml': 'hooks: []\n' });
  before = all();
});
afterEach(() => project.remove());

describe('writeTogether', () => {
  test('writes new files with their folders, and a script with its executable bit', () => {
    const { created, changed } = writeTogether(project.root, [
      { path: 'a/b/c.yaml', content: 'x: 1\n' },
      { path: 'a/run.sh', content: '#!/bin/sh\n' },
      { path: 'hooks.yaml', content: 'hooks: [1]\n', before: 'hooks: []\n' },
    ]);
    expect({ created, changed }).toEqual({ created: ['a/b/c.yaml', 'a/run.sh'], changed: ['hooks.yaml'] });
    expect(statSync(join(project.root, 'a/run.sh')).mode & 0o111).toBe(0o111);
    expect(all()).toEqual([...before, 'a', 'a/b', 'a/b/c.yaml', 'a/run.sh'].sort());
  });

  test('undoes everything, folders included', () => {
    const { undo } = writeTogether(project.root, [
      { path: 'a/b/c.yaml', content: 'x: 1\n' },
      { path: 'hooks.yaml', content: 'hooks: [1]\n', before: 'hooks: []\n' },
    ]);
    undo();
    expect(all()).toEqual(before);
    expect(readFileSync(join(project.root, 'hooks.yaml'), 'utf8')).toBe('hooks: []\n');
  });

  test('refuses with a list of the files that exist, dangling links included, and writes none', async () => {
    project.write({ 'a/one.yaml': '1\n' });
    symlinkSync('nowhere', join(project.root, 'a/two.yaml'));
    const there = all();
    const error = await errorOf(() =>
      writeTogether(project.root, [
        { path: 'a/new.yaml', content: '' },
        { path: 'a/one.yaml', content: '' },
        { path: 'a/two.yaml', content: '' },
      ]),
    );
    expect(error).toMatchObject({ code: 'scaffold.exists', details: { files: ['a/one.yaml', 'a/two.yaml'] } });
    expect(all()).toEqual(there);
  });

  test('writes none when one cannot be written', async () => {
    project.write({ file: 'no folder\n' });
    const there = all();
    const error = await errorOf(() =>
      writeTogether(project.root, [
        { path: 'a/one.yaml', content: '1\n' },
        { path: 'file/two.yaml', content: '2\n' },
      ]),
    );
    expect(error).toMatchObject({ code: 'scaffold.write_failed' });
    expect(error.message).toMatch(/file\/two\.yaml could not be written, so nothing was written: a file is where/);
    expect(all()).toEqual(there);
  });

  test('writes none if one was changed after it was planned', async () => {
    const error = await errorOf(() =>
      writeTogether(project.root, [
        { path: 'a/one.yaml', content: '1\n' },
        { path: 'hooks.yaml', content: 'hooks: [1]\n', before: 'hooks: [2]\n' },
      ]),
    );
    expect(error).toMatchObject({ code: 'scaffold.changed' });
    expect(all()).toEqual(before);
  });

  test('never writes through a link that leads out of the project', async () => {
    const outside = join(tmpdir(), `outside-${process.pid}`);
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'theirs\n');
    symlinkSync(outside, join(project.root, 'registry'));
    symlinkSync(join(outside, 'file'), join(project.root, 'config.yaml'));
    try {
      const through = await errorOf(() =>
        writeTogether(project.root, [{ path: 'registry/low-level/x.yaml', content: '' }]),
      );
      expect(through.message).toMatch(/outside the project/);
      const linked = [{ path: 'config.yaml', content: 'mine\n', before: 'theirs\n' }];
      expect((await errorOf(() => writeTogether(project.root, linked))).message).toMatch(/outside the project/);
      expect(readdirSync(outside)).toEqual(['file']);
      expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('theirs\n');
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test('a command reports every failure with one code of its own, here a link out of the project', () => {
    const outside = makeProject({});
    symlinkSync(outside.root, join(project.root, 'registry'));
    try {
      const files = [{ path: 'registry/a.yaml', content: 'a: 1\n' }];
      expect(errorOf(() => writeTogetherOr('import.write_failed', project.root, files))).toMatchObject({
        code: 'import.write_failed',
        message: expect.stringContaining('registry/a.yaml would be written outside the project, through a link'),
        location: { file: 'registry/a.yaml' },
        suggestion: expect.stringContaining('Replace the link'),
      });
      expect(existsSync(join(outside.root, 'a.yaml'))).toBe(false);
    } finally {
      outside.remove();
    }
  });

  describe('without hard links', () => {
    const link = (from: string) => {
      throw Object.assign(new Error(`EPERM: operation not permitted, link '${from}'`), {
        code: 'EPERM',
        syscall: 'link',
      });
    };

    test('writes the same files, a script with its executable bit', () => {
      const files = [
        { path: 'a/b/c.yaml', content: 'x: 1\n' },
        { path: 'a/run.sh', content: '#!/bin/sh\n' },
      ];
      const { undo } = writeTogether(project.root, files, link);
      expect(readFileSync(join(project.root, 'a/b/c.yaml'), 'utf8')).toBe('x: 1\n');
      expect(statSync(join(project.root, 'a/run.sh')).mode & 0o111).toBe(0o111);
      expect(all()).toEqual([...before, 'a', 'a/b', 'a/b/c.yaml', 'a/run.sh'].sort());
      undo();
      expect(all()).toEqual(before);
    });

    test('never overwrites a file that has just been created', async () => {
      const late = (from: string) => {
        project.write({ 'x.yaml': 'theirs\n' });
        link(from);
      };
      const error = await errorOf(() => writeTogether(project.root, [{ path: 'x.yaml', content: 'mine\n' }], late));
      expect(error).toMatchObject({ code: 'scaffold.exists' });
      expect(readFileSync(join(project.root, 'x.yaml'), 'utf8')).toBe('theirs\n');
      expect(all()).toEqual([...before, 'x.yaml'].sort());
    });
  });

  test('a temporary file of a killed command does not get in the way', () => {
    project.write({ '.x.yaml.ability-new': 'half' });
    writeTogether(project.root, [{ path: 'x.yaml', content: 'whole\n' }]);
    expect(readFileSync(join(project.root, 'x.yaml'), 'utf8')).toBe('whole\n');
    expect(existsSync(join(project.root, '.x.yaml.ability-new'))).toBe(false);
  });
});
