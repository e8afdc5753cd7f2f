import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { writeTogetherOr } from '../../../../src/authoring/write-together.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import type { ProjectFolder } from '../../../fixtures/project-folder.js';
import { temporaryProject } from '../../temporary-project.js';
import { found, importInto, plan, sourceOf, statuses, textOf } from './importing.js';

const FILE = 'registry/low-level/src.a.yaml';
const edit = (project: ProjectFolder, change: (text: string) => string, file = FILE): void =>
  project.write({ [file]: change(readFileSync(join(project.root, file), 'utf8')) });

describe('a first import', () => {
  test('writes one file for each operation, which loads as described', () => {
    const project = temporaryProject();
    const planned = importInto(project, [found('a'), found('B', { summary: 'x: "y" # z', notes: 'one\n two\n' })]);
    expect(statuses(planned)).toEqual({ 'src.a': 'new', 'src.b': 'new' });
    const registry = loadRegistry(project.root);
    expect(registry.problems).toEqual([]);
    expect(registry.operations.get('src.b')?.value).toMatchObject({ summary: 'x: "y" # z', notes: 'one\n two\n' });
    expect(textOf(project, 'src.a')).toMatch(/^# Made by `ability import mcp src`/);
    expect(textOf(project, 'src.a')).not.toContain('yaml-language-server');
  });

  test('names the JSON Schema of its kind only if the project has one', () => {
    const project = temporaryProject({ 'registry/schemas/low-level.schema.json': '{}' });
    importInto(project, [found('a')]);
    expect(textOf(project, 'src.a')).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/schemas\/low-level\.schema\.json\n/,
    );
  });

  test('writes nothing when it is only planned', () => {
    const project = temporaryProject();
    plan(project, [found('a')]);
    expect(existsSync(join(project.root, 'registry'))).toBe(false);
  });

  test('takes what is selected by globs over keys and names, and remembers the selection', () => {
    const project = temporaryProject();
    const all = [found('readA'), found('readB'), found('write')];
    expect(importInto(project, all, { select: ['read*', 'src.nothing'] })).toMatchObject({
      notSelected: ['src.write'],
    });
    expect(statuses(plan(project, all))).toEqual({ 'src.reada': 'unchanged', 'src.readb': 'unchanged' });
    expect(statuses(plan(project, all, { select: ['*'] }))).toMatchObject({ 'src.write': 'new' });
    expect(() => plan(project, all, { select: ['nope*'] })).toThrow('Nothing fits --select nope*');
  });

  test('of a key that ends in .test does not create a file of test cases', () => {
    const project = temporaryProject();
    importInto(project, [found('test')]);
    expect([...loadRegistry(project.root).operations.keys()]).toEqual(['src.test']);
  });
});

describe('what cannot become an ability is omitted by name, with the reason', () => {
  test.each([
    [
      'a schema that is none',
      found('a', { input_schema: { type: 'objekt' } }),
      /its input_schema is not a JSON Schema/,
    ],
    [
      'a pattern that RE2 does not have',
      found('a', { input_schema: { type: 'object', properties: { x: { pattern: '(?=a)b' } } } }),
      /RE2/,
    ],
    ['a definition that is too large', found('a', { notes: 'x'.repeat(1024 * 1024) }), /larger than 1024 KiB/],
    ['a schema nested too deep', found('a', { input_schema: nested(100) }), /nested/],
    [
      'a key that reaches into JavaScript',
      found('a', JSON.parse('{"input_schema": {"properties": {"__proto__": {"type": "string"}}}}')),
      /__proto__/,
    ],
    ['a form that the format does not have', found('a', { effects: 'none' }), /external_read/],
    [
      'something that this version does not do',
      found('a', { implementation: { kind: 'api', api: { tls: {} } } }),
      /not supported/,
    ],
  ])('%s', (_, operation, reason) => {
    const planned = plan(temporaryProject(), [operation, found('b')]);
    expect(planned.leftOut).toEqual([{ source: 'a', reason: expect.stringMatching(reason) }]);
    expect(statuses(planned)).toEqual({ 'src.b': 'new' });
  });

  function nested(levels: number): never {
    return (levels === 0 ? { type: 'object' } : { type: 'object', properties: { a: nested(levels - 1) } }) as never;
  }

  test('two with the same key, unless one of them is selected', () => {
    const project = temporaryProject();
    const twins = [found('read'), found('READ'), found('b')];
    expect(plan(project, twins)).toMatchObject({
      leftOut: [
        { source: 'read', reason: expect.stringContaining('READ would be src.read as well') },
        { source: 'READ', reason: expect.stringContaining('read would be src.read as well') },
      ],
    });
    expect(statuses(plan(project, twins, { select: ['READ'] }))).toEqual({ 'src.read': 'new' });
  });

  test.each([
    ['the file of its key', FILE, 'operation_key: src.a\nsummary: Mine.\n', 'defines src.a already'],
    [
      'another file that has its key',
      'registry/low-level/own.yaml',
      'operation_key: src.a\nsummary: Mine.\n',
      'own.yaml defines src.a already',
    ],
    [
      'a broken file that has its key',
      'registry/low-level/own.yaml',
      'operation_key: src.a\nsumary: Mine.\n',
      'own.yaml defines src.a already',
    ],
    [
      'a workflow of its key',
      'registry/high-level/w.yaml',
      'id: src.a\ntype: workflow\nversion: 1\nsummary: x\nsteps: [{ id: a, wait: 1s }]\n',
      'w.yaml defines src.a already',
    ],
    ['a file of its name', FILE, 'operation_key: other\nsummary: Mine.\n', 'is there already'],
  ])('one for which people have %s, which stays unchanged', (_, file, text, reason) => {
    const project = temporaryProject({ [file]: text });
    const planned = importInto(project, [found('a')], { overwrite: true });
    expect(planned.leftOut).toEqual([{ source: 'a', reason: expect.stringContaining(reason) }]);
    expect(readFileSync(join(project.root, file), 'utf8')).toBe(text);
  });

  test('one whose file would replace a dangling link', () => {
    const project = temporaryProject({ 'registry/low-level/x.yaml': 'operation_key: x\nsummary: x\n' });
    symlinkSync('/nowhere', join(project.root, FILE));
    expect(plan(project, [found('a')]).leftOut).toHaveLength(1);
  });
});

describe('a second import', () => {
  test('of the same operations writes nothing', () => {
    const project = temporaryProject();
    importInto(project, [found('a')]);
    const planned = plan(project, [found('a')]);
    expect(statuses(planned)).toEqual({ 'src.a': 'unchanged' });
    expect(planned.writes).toEqual([]);
  });

  test('writes what changed at the source and keeps what people changed, their comments and their order', () => {
    const project = temporaryProject();
    importInto(project, [found('a', { notes: 'Old.' })]);
    edit(project, (text) =>
      text
        .replace('summary: Does a.', '# Reviewed by bob.\nsummary: Reads the thing. # short')
        .replace('effects: read\n', '')
        .concat('routing_hints: { keywords: [thing] }\neffects: external_read # it asks a service\n'),
    );
    const properties = { a: { type: 'string' }, b: { type: 'integer' } };
    const planned = importInto(project, [found('a', { notes: 'New.', input_schema: { type: 'object', properties } })]);
    expect(planned.operations[0]).toMatchObject({
      status: 'changed',
      conflicts: [],
      differences: [
        { at: 'notes', before: '"Old."', after: '"New."' },
        { at: 'input_schema.properties.b', before: null, after: '{"type":"integer"}' },
      ].sort((a, b) => (a.at < b.at ? -1 : 1)),
    });
    const text = textOf(project, 'src.a');
    expect(text).toContain('# Reviewed by bob.\nsummary: Reads the thing. # short\n');
    expect(text).toContain('effects: external_read # it asks a service');
    expect(text.indexOf('routing_hints')).toBeLessThan(text.indexOf('effects:'));
    expect(parse(text)).toMatchObject({ notes: 'New.', input_schema: { properties } });
    expect(
      statuses(plan(project, [found('a', { notes: 'New.', input_schema: { type: 'object', properties } })])),
    ).toEqual({
      'src.a': 'kept',
    });
  });

  test('shows what both changed, and keeps what people wrote unless overwriting is requested', () => {
    const project = temporaryProject();
    importInto(project, [found('a')]);
    edit(project, (text) => text.replace('summary: Does a.', 'summary: Mine. # why'));
    const changed = [found('a', { summary: 'Theirs.' })];
    const [operation] = plan(project, changed).operations;
    expect(operation).toMatchObject({
      status: 'kept',
      conflicts: [{ at: 'summary', before: '"Mine."', after: '"Theirs."' }],
    });
    importInto(project, changed, { overwrite: true });
    expect(textOf(project, 'src.a')).toContain('summary: Theirs. # why');
  });

  test('reports a conflict once: then what people wrote is theirs', () => {
    const project = temporaryProject();
    importInto(project, [found('a')]);
    edit(project, (text) => text.replace('summary: Does a.', 'summary: Mine.'));
    importInto(project, [found('a', { summary: 'Theirs.' })]);
    expect(plan(project, [found('a', { summary: 'Theirs.' })]).operations[0]).toMatchObject({
      status: 'kept',
      conflicts: [],
      differences: [{ at: 'summary', before: '"Theirs."', after: '"Mine."' }],
    });
  });

  test('reports what its source no longer has, and deletes nothing', () => {
    const project = temporaryProject();
    importInto(project, [found('a'), found('b')]);
    const planned = importInto(project, [found('b')]);
    expect(planned.gone).toEqual([{ key: 'src.a', source: 'a', file: FILE }]);
    expect(existsSync(join(project.root, FILE))).toBe(true);
    rmSync(join(project.root, FILE));
    expect(plan(project, [found('b')]).gone).toEqual([]);
  });

  test('does not restore a file that people deleted, unless this is requested', () => {
    const project = temporaryProject();
    importInto(project, [found('a')]);
    rmSync(join(project.root, FILE));
    const changed = [found('a', { summary: 'Theirs.' })];
    expect(importInto(project, changed).operations[0]).toMatchObject({
      status: 'kept',
      reason: expect.stringContaining('deleted'),
    });
    expect(existsSync(join(project.root, FILE))).toBe(false);
    expect(statuses(importInto(project, changed, { overwrite: true }))).toEqual({ 'src.a': 'new' });
  });

  test('finds a file that people moved', () => {
    const project = temporaryProject();
    importInto(project, [found('a')]);
    mkdirSync(join(project.root, 'registry/low-level/team'));
    renameSync(join(project.root, FILE), join(project.root, 'registry/low-level/team/mine.yaml'));
    expect(importInto(project, [found('a', { summary: 'Theirs.' })]).operations[0]).toMatchObject({
      status: 'changed',
      file: 'registry/low-level/team/mine.yaml',
    });
    expect(existsSync(join(project.root, FILE))).toBe(false);
  });

  test.each([
    ['that people broke', (text: string) => `${text}"never closed\n`, 'Not valid YAML'],
    ['that the registry refuses', (text: string) => text.replace('summary:', 'sumary:'), 'Unknown key'],
    [
      'whose changed part is an alias',
      (text: string) => text.replace('summary: Does a.', 'notes: &s Does a.\nsummary: *s'),
      'cannot be written into it',
    ],
  ])('does not change a file %s', (_, breakIt, reason) => {
    const project = temporaryProject();
    importInto(project, [found('a')]);
    edit(project, breakIt);
    const before = textOf(project, 'src.a');
    const [operation] = importInto(project, [found('a', { summary: 'Theirs.' })]).operations;
    if (operation?.status === 'changed') expect(parse(textOf(project, 'src.a'))).toMatchObject({ summary: 'Theirs.' });
    else {
      expect(operation).toMatchObject({ status: 'kept', reason: expect.stringContaining(reason) });
      expect(textOf(project, 'src.a')).toBe(before);
    }
  });

  test('merges a configuration ability by ability', () => {
    const project = temporaryProject();
    const config = (b: string) => ({
      abilities: [
        { id: 'src.a', environments: { dev: { endpoints: { default: 'http://127.0.0.1:1' } } } },
        { id: 'src.b', environments: { dev: { endpoints: { default: b } } } },
      ],
    });
    const operations = [found('a'), found('b')];
    importInto(project, sourceOf(operations, { config: config('http://127.0.0.1:2') }));
    edit(project, (text) => text.replace('http://127.0.0.1:1', 'env:A_URL'), 'registry/config/src.yaml');
    const planned = importInto(project, sourceOf(operations, { config: config('http://127.0.0.1:3') }));
    expect(planned.config).toMatchObject({ status: 'changed', conflicts: [] });
    const text = readFileSync(join(project.root, 'registry/config/src.yaml'), 'utf8');
    expect(text).toContain('env:A_URL');
    expect(text).toContain('http://127.0.0.1:3');
  });

  test('refuses another prefix, which would import everything again', () => {
    const project = temporaryProject();
    importInto(project, [found('a')]);
    expect(() => plan(project, [found('a')], { prefix: 'other' })).toThrow('imported with the prefix src');
  });
});

test('a configuration file that is not from the import stops it', () => {
  const project = temporaryProject({ 'registry/config/src.yaml': 'env_profiles: { x: {} }\n' });
  const imported = sourceOf([found('a')], { config: { mcp_servers: { src: { command: 'node' } } } });
  expect(() => plan(project, imported)).toThrow('registry/config/src.yaml exists already');
});

test('the record of the last import may be missing: equal files are recognized, others are left unchanged', () => {
  const project = temporaryProject();
  importInto(project, [found('a'), found('b')]);
  rmSync(join(project.root, 'registry/.imports'), { recursive: true });
  const planned = importInto(project, [found('a'), found('b', { summary: 'Theirs.' })]);
  expect(statuses(planned)).toEqual({ 'src.a': 'unchanged' });
  expect(planned.leftOut).toEqual([{ source: 'b', reason: expect.stringContaining('not from this import') }]);
});

describe('an agent that has the id', () => {
  const there = { 'registry/high-level/any.yaml': 'id: src.a\ntype: agent\nsummary: s\ninstructions: i\n' };

  test('is left, and nothing is written that would break it', () => {
    const project = temporaryProject(there);
    const planned = importInto(project, [found('a')]);
    const reason = 'registry/high-level/any.yaml defines src.a already, and is not from this import';
    expect(planned.leftOut).toEqual([{ source: 'a', reason }]);
    expect(loadRegistry(project.root).problems).toEqual([]);
  });

  test('is kept in the place of what was imported', () => {
    const project = temporaryProject();
    importInto(project, [found('a')]);
    rmSync(join(project.root, FILE));
    project.write(there);
    const [first] = plan(project, [found('a', { summary: 'Theirs.' })]).operations;
    expect(first).toMatchObject({ status: 'kept', reason: 'it is an agent now' });
  });
});

test.each(['{', '[]', '{"format": 2}', '{"__proto__": 1}'])(
  'a broken record of the last import is reported: %s',
  (text) => {
    const project = temporaryProject({ 'registry/.imports/mcp.src.json': text });
    expect(() => plan(project, [found('a')])).toThrow('The record of the last import cannot be read');
  },
);

describe('all files are written or none', () => {
  const files = ({ root }: ProjectFolder): string[] =>
    existsSync(join(root, 'registry'))
      ? readdirSync(join(root, 'registry'), { recursive: true }).map(String).sort()
      : [];

  test('when one of them is created meanwhile', () => {
    const project = temporaryProject();
    const planned = plan(project, [found('a'), found('b')]);
    project.write({ 'registry/low-level/src.b.yaml': 'mine' });
    expect(() => writeTogetherOr('import.write_failed', planned.root, planned.writes)).toThrow('nothing was written');
    expect(files(project)).toEqual(['low-level', 'low-level/src.b.yaml']);
    expect(textOf(project, 'src.b')).toBe('mine');
  });

  test('when one of them is edited meanwhile', () => {
    const project = temporaryProject();
    importInto(project, [found('a'), found('b')]);
    const before = textOf(project, 'src.a');
    const planned = plan(
      project,
      ['a', 'b', 'c'].map((source) => found(source, { summary: 'Theirs.' })),
    );
    edit(project, (text) => `${text}# mine\n`, 'registry/low-level/src.b.yaml');
    expect(() => writeTogetherOr('import.write_failed', planned.root, planned.writes)).toThrow(
      'src.b.yaml was changed meanwhile',
    );
    expect(textOf(project, 'src.a')).toBe(before);
    expect(files(project)).toEqual([
      '.imports',
      '.imports/mcp.src.json',
      'low-level',
      'low-level/src.a.yaml',
      'low-level/src.b.yaml',
    ]);
  });

  test('when a folder cannot be created', () => {
    const project = temporaryProject({
      'registry/.imports': 'a file',
      'registry/low-level/x.yaml': 'operation_key: x\nsummary: x\n',
    });
    const planned = plan(project, sourceOf([found('a')]));
    expect(() => writeTogetherOr('import.write_failed', planned.root, planned.writes)).toThrow(
      expect.objectContaining({ code: 'import.write_failed' }),
    );
    expect(files(project)).toEqual(['.imports', 'low-level', 'low-level/x.yaml']);
  });

  test('and never outside the project', () => {
    const [project, other] = [temporaryProject(), temporaryProject()];
    mkdirSync(join(project.root, 'registry'));
    symlinkSync(other.root, join(project.root, 'registry/low-level'));
    const planned = plan(project, [found('a')]);
    expect(() => writeTogetherOr('import.write_failed', planned.root, planned.writes)).toThrow(
      'outside the project, through a link',
    );
    expect(readdirSync(other.root)).toEqual(['ability.yaml']);
  });

  test('and the next import completes one that was killed', () => {
    const project = temporaryProject();
    const planned = plan(project, [found('a'), found('b')]);
    project.write({
      'registry/low-level/src.a.yaml': planned.writes[0]?.content ?? '',
      'registry/low-level/.src.b.yaml.ability-new': 'half',
    });
    expect(statuses(importInto(project, [found('a'), found('b')]))).toEqual({ 'src.a': 'unchanged', 'src.b': 'new' });
    expect(files(project)).toEqual([
      '.imports',
      '.imports/mcp.src.json',
      'low-level',
      'low-level/src.a.yaml',
      'low-level/src.b.yaml',
    ]);
  });
});

test('a change that only a digest reveals is shown from the pinned definitions', () => {
  const project = temporaryProject();
  const [before, after] = ['a', 'b'].map((letter) => letter.repeat(64)) as [string, string];
  const pinning = (digest: string, title: string) => {
    const implementation = { kind: 'mcp', mcp: { server: 'src', tool: 'a', pinned: `sha256:${digest}` } };
    return sourceOf([found('a', { implementation })], { pinned: { [digest]: { name: 'a', title } } });
  };
  importInto(project, pinning(before, 'Old'));
  expect(importInto(project, pinning(after, 'New')).operations[0]).toMatchObject({
    status: 'changed',
    differences: [{ at: 'implementation.mcp.pinned' }, { at: 'tool.title', before: '"Old"', after: '"New"' }],
  });
  const state = JSON.parse(readFileSync(join(project.root, 'registry/.imports/mcp.src.json'), 'utf8'));
  expect(Object.keys(state.pinned)).toEqual([after]);
});
