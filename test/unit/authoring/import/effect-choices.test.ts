import { describe, expect, test } from 'vitest';
import { readEffectChoice } from '../../../../src/authoring/import/effect-choices.js';
import { readImport } from '../../../../src/definitions/read-imports.js';
import { errorOf } from '../../error-of.js';
import { temporaryProject } from '../../temporary-project.js';
import { found, importInto, plan, textOf } from './importing.js';

const search = { ...found('search', { effects: 'write_additive' }), namedLike: 'read' } as const;
const erase = { ...found('erase', { effects: 'write_additive' }), namedLike: 'deletion' } as const;
const decided = (...texts: string[]) => ({ effects: texts.map(readEffectChoice) });

describe('effects that people choose', () => {
  test('apply to the operations that match, and are kept for the next import', () => {
    const project = temporaryProject();
    importInto(project, [search, erase], decided('src.sea*=external_read'));
    expect(textOf(project, 'src.search')).toContain('effects: external_read');
    expect(textOf(project, 'src.erase')).toContain('effects: write_additive');
    expect(readImport(project.root, 'mcp', 'src')?.effects).toEqual([{ pattern: 'src.sea*', effect: 'external_read' }]);
    expect(importInto(project, [search, erase]).operations.map(({ status }) => status)).toEqual([
      'unchanged',
      'unchanged',
    ]);
  });

  test('can be chosen later and changed again', () => {
    const project = temporaryProject();
    importInto(project, [search]);
    importInto(project, [search], decided('src.*=read'));
    expect(textOf(project, 'src.search')).toContain('effects: read');
    importInto(project, [search], decided('src.*=default'));
    expect(textOf(project, 'src.search')).toContain('effects: write_additive');
    expect(readImport(project.root, 'mcp', 'src')?.effects).toBeUndefined();
  });

  test('are those of the last pattern that matches', () => {
    const project = temporaryProject();
    importInto(project, [search], decided('src.*=read', 'src.search=destructive'));
    expect(textOf(project, 'src.search')).toContain('effects: destructive');
  });

  test('do not replace what people wrote into the file', () => {
    const project = temporaryProject();
    importInto(project, [search]);
    const file = 'registry/low-level/src.search.yaml';
    project.write({ [file]: textOf(project, 'src.search').replace('write_additive', 'write_idempotent') });
    const { operations } = importInto(project, [search], decided('src.*=read'));
    expect(operations[0]).toMatchObject({ status: 'kept', conflicts: [{ at: 'effects' }] });
  });

  test.each([
    ['a pattern that fits nothing', ['src.serach*=read']],
    ['an effect that is none', ['src.search=safe']],
    ['a pattern without effect', ['src.search']],
    ['an effect without pattern', ['=read']],
  ])('%s is refused', (_, texts) => {
    const project = temporaryProject();
    const error = errorOf(() => plan(project, [search], decided(...texts)));
    expect(error).toMatchObject({ code: 'usage.invalid' });
  });
});

describe('an operation named like a read or a deletion', () => {
  test('is listed as undecided until its effect is chosen', () => {
    const project = temporaryProject();
    const first = importInto(project, [search, erase]);
    expect(first.undecided).toEqual([
      { key: 'src.search', source: 'search', effects: 'write_additive', named_like: 'read' },
      { key: 'src.erase', source: 'erase', effects: 'write_additive', named_like: 'deletion' },
    ]);
    const next = importInto(project, [search, erase], decided('src.search=write_additive'));
    expect(next.undecided.map(({ key }) => key)).toEqual(['src.erase']);
    const file = 'registry/low-level/src.erase.yaml';
    project.write({ [file]: textOf(project, 'src.erase').replace('write_additive', 'destructive') });
    expect(importInto(project, [search, erase]).undecided).toEqual([]);
  });
});
