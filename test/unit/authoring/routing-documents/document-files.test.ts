import { chmodSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  findDocuments,
  placesToAdd,
  selectDocuments,
} from '../../../../src/authoring/routing-documents/find-documents.js';
import { loadDocument } from '../../../../src/authoring/routing-documents/plan-documents.js';
import { writeTogetherOr } from '../../../../src/authoring/write-together.js';
import { errorOf } from '../../error-of.js';
import { temporaryProject } from '../../temporary-project.js';

describe('routing documents are found', () => {
  test('R-000-01, R-000-02, R-000-03: wherever a file is called ABILITY.md, and nowhere else', () => {
    const { root } = temporaryProject({
      'ABILITY.md': '',
      'integration/ABILITY.md': '',
      'modules/users/ABILITY.md': '',
      'modules/users/ability.md.txt': '',
      'modules/users/README.md': '',
    });
    expect(findDocuments(root)).toEqual(['ABILITY.md', 'integration/ABILITY.md', 'modules/users/ABILITY.md']);
  });

  test('but not in dependencies, hidden folders, projects within the project, and behind links', () => {
    const { root } = temporaryProject({
      'node_modules/a/ABILITY.md': '',
      '.git/ABILITY.md': '',
      'other/ability.yaml': 'format: 1\nproject: other\nenvironments: { dev: {} }\n',
      'other/deep/ABILITY.md': '',
      'here/ABILITY.md': '',
    });
    symlinkSync(root, join(root, 'loop'));
    expect(findDocuments(root)).toEqual(['here/ABILITY.md']);
  });
});

describe('documents are named by people', () => {
  const files = { 'ABILITY.md': '', 'a/ABILITY.md': '', 'a/b/ABILITY.md': '', 'c/x.md': '' };

  test('by file or folder, relative to the current folder, and each is used once', () => {
    const { root } = temporaryProject(files);
    expect(selectDocuments(root, root, [])).toEqual(['ABILITY.md', 'a/ABILITY.md', 'a/b/ABILITY.md']);
    expect(selectDocuments(root, join(root, 'a'), ['.', 'b/ABILITY.md'])).toEqual(['a/ABILITY.md', 'a/b/ABILITY.md']);
  });

  test.each([
    ['nothing', /There is no nothing/, 'usage.invalid'],
    ['c/x.md', /is called ABILITY\.md, not x\.md/, 'usage.invalid'],
    ['c', /no ABILITY\.md in c or below/, 'docs.none'],
    ['..', /not in the project/, 'usage.invalid'],
  ])('%s is refused', (path, message, code) => {
    const { root } = temporaryProject(files);
    const error = errorOf(() => selectDocuments(root, root, [path]));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  test.each(['other', 'other/deep', 'node_modules/x', '.hidden', 'a/.hidden/b'])(
    'but not in %s, which has no documents of this project',
    (folder) => {
      const { root } = temporaryProject({
        'other/ability.yaml': 'format: 1\nproject: other\nenvironments: { dev: {} }\n',
        [`${folder}/ABILITY.md`]: '',
      });
      for (const path of [folder, `${folder}/ABILITY.md`]) {
        expect(errorOf(() => selectDocuments(root, root, [path])).message).toMatch(/where this project has no pages/);
        expect(errorOf(() => placesToAdd(root, root, [path])).message).toMatch(/where this project has no pages/);
      }
    },
  );

  test('to add them by folder, existing or not, or by file', () => {
    const { root } = temporaryProject(files);
    expect(placesToAdd(root, root, [])).toEqual(['ABILITY.md']);
    expect(placesToAdd(root, root, ['new/folder', 'c', 'c/ABILITY.md'])).toEqual([
      'new/folder/ABILITY.md',
      'c/ABILITY.md',
    ]);
    expect(errorOf(() => placesToAdd(root, root, ['c/y.md'])).message).toMatch(/is called ABILITY\.md, not y\.md/);
    expect(errorOf(() => placesToAdd(root, root, ['../away'])).message).toMatch(/not in the project/);
    const outside = temporaryProject({});
    symlinkSync(outside.root, join(root, 'out'));
    expect(errorOf(() => placesToAdd(root, root, ['out/new'])).message).toMatch(/not in the project/);
  });
});

describe('a document is refused', () => {
  test('that is a link out of the project, or a dangling one', () => {
    const outside = temporaryProject({ 'x.md': 'secret' });
    const { root } = temporaryProject({ 'a/b': '' });
    symlinkSync(join(outside.root, 'x.md'), join(root, 'ABILITY.md'));
    symlinkSync('nowhere', join(root, 'a', 'ABILITY.md'));
    symlinkSync('loop.md', join(root, 'loop.md'));
    expect(loadDocument(root, 'ABILITY.md')).toMatchObject({
      code: 'docs.invalid',
      message: expect.stringMatching(/leads out/),
    });
    expect(loadDocument(root, 'a/ABILITY.md')).toMatchObject({ message: expect.stringMatching(/not there/) });
    expect(loadDocument(root, 'loop.md')).toMatchObject({ message: expect.stringMatching(/cannot be read/) });
  });

  test('that is not in UTF-8, since it would not be written back unchanged', () => {
    const { root } = temporaryProject({});
    writeFileSync(join(root, 'ABILITY.md'), Buffer.from([0x47, 0x72, 0xfc, 0xdf]));
    expect(loadDocument(root, 'ABILITY.md')).toMatchObject({ message: 'ABILITY.md is not in UTF-8' });
  });

  test('that is larger than a megabyte', () => {
    const { root } = temporaryProject({ 'ABILITY.md': 'x'.repeat(1024 * 1024 + 1) });
    expect(loadDocument(root, 'ABILITY.md')).toMatchObject({ message: expect.stringMatching(/larger than 1024 KiB/) });
  });
});

describe('documents are written', () => {
  const document = (path: string, before?: string) => ({
    path,
    content: 'new',
    ...(before !== undefined && { before }),
  });
  const write = (root: string, ...documents: ReturnType<typeof document>[]) =>
    writeTogetherOr('docs.write_failed', root, documents);

  test('completely, with the mode they had, and nothing else is left in the folder', () => {
    const { root } = temporaryProject({ 'ABILITY.md': 'old' });
    chmodSync(join(root, 'ABILITY.md'), 0o664);
    write(root, document('ABILITY.md', 'old'), document('deep/er/ABILITY.md'));
    expect(readFileSync(join(root, 'ABILITY.md'), 'utf8')).toBe('new');
    expect(statSync(join(root, 'ABILITY.md')).mode & 0o777).toBe(0o664);
    expect(readdirSync(join(root, 'deep/er'))).toEqual(['ABILITY.md']);
    expect(readdirSync(root).sort()).toEqual(['ABILITY.md', 'ability.yaml', 'deep']);
  });

  test('and a link within the project stays a link', () => {
    const { root } = temporaryProject({ 'pages/abilities.md': 'old' });
    symlinkSync('pages/abilities.md', join(root, 'ABILITY.md'));
    const loaded = loadDocument(root, 'ABILITY.md');
    if ('code' in loaded) throw new Error(loaded.message);
    write(root, document('ABILITY.md', loaded.text));
    expect(realpathSync(join(root, 'ABILITY.md'))).toBe(join(root, 'pages/abilities.md'));
    expect(readFileSync(join(root, 'pages/abilities.md'), 'utf8')).toBe('new');
  });

  test('and none of them if one cannot be written, or was changed meanwhile', () => {
    const { root } = temporaryProject({ 'ABILITY.md': 'old', 'a/ABILITY.md': 'saved by an editor' });
    const one = document('ABILITY.md', 'old');
    const changed = errorOf(() => write(root, one, document('a/ABILITY.md', 'old')));
    expect(changed).toMatchObject({ code: 'docs.write_failed', message: expect.stringMatching(/changed meanwhile/) });
    const inFile = errorOf(() => write(root, one, document('ability.yaml/ABILITY.md')));
    expect(inFile).toMatchObject({ code: 'docs.write_failed', location: { file: 'ability.yaml/ABILITY.md' } });
    expect(readFileSync(join(root, 'ABILITY.md'), 'utf8')).toBe('old');
    expect(readdirSync(root).sort()).toEqual(['ABILITY.md', 'a', 'ability.yaml']);
  });
});
