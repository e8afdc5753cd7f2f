import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { appendItem, setValue } from '../../../src/authoring/write-yaml.js';
import { errorOf } from '../error-of.js';

const item = '- id: new\n  handler:\n    builtin: usage\n';
const added = { id: 'new', handler: { builtin: 'usage' } };
const append = (text: string): string => appendItem({ file: 'h.yaml', text }, 'hooks', item);

describe('appendItem', () => {
  test.each([
    ['items at the margin', '# top\nhooks:\n- id: a   # why\n  match: {   tags: [x] }\n# the end\n'],
    ['items that are indented', 'hooks:\n    - id: a\n      reason: >-\n        two\n        lines\n'],
    ['an item that ends without a line break', 'hooks:\n  - id: a # last'],
    ['a block scalar at the end', 'hooks:\n  - id: a\n    text: |\n      x\n      y\n\nother: 1\n'],
    ['no such key yet', '# only\nother: [1]\n'],
    ['nothing but a comment', '# yaml-language-server: $schema=x\n'],
    ['nothing at all', ''],
  ])('keeps every byte of a file with %s', (_, text) => {
    const edited = append(text);
    expect(parse(edited)).toEqual({
      ...((parse(text) as object | null) ?? {}),
      hooks: [...((parse(text) as { hooks?: unknown[] } | null)?.hooks ?? []), added],
    });
    const lines = edited.split('\n');
    for (const line of text.split('\n')) expect(lines).toContain(line);
  });

  test.each([
    ['an empty list', '# a\nhooks: []   # b\n'],
    ['a list in brackets', '# a\nhooks: [{ id: x }] # b\n'],
    ['a key without a value', '# a\nhooks: # b\n'],
  ])('keeps the comments of a file with %s', (_, text) => {
    const edited = append(text);
    expect((parse(edited) as { hooks: unknown[] }).hooks.at(-1)).toEqual(added);
    expect(edited).toContain('# a');
    expect(edited).toContain('# b');
  });

  test('keeps Windows line endings', () => {
    expect(append('hooks:\r\n  - id: a\r\n')).toBe(
      'hooks:\r\n  - id: a\r\n  - id: new\r\n    handler:\r\n      builtin: usage\r\n',
    );
  });

  test('refuses a file that is not YAML, and one whose key does not hold a list', async () => {
    expect(await errorOf(() => append('hooks: [\n'))).toMatchObject({ code: 'definition.syntax' });
    expect(await errorOf(() => append('hooks: { a: 1 }\n'))).toMatchObject({ code: 'definition.invalid' });
    expect(await errorOf(() => append('- a\n'))).toMatchObject({ code: 'definition.invalid' });
  });
});

describe('setValue', () => {
  test('sets a value that does not exist yet, and keeps comments and order', () => {
    const text = '# top\nabilities:\n  - id: a # first\n    environments:\n  - id: b\n';
    const edited = setValue({ file: 'c.yaml', text }, ['abilities', 0, 'environments', 'dev', 'x'], 1);
    expect(parse(edited)).toEqual({ abilities: [{ id: 'a', environments: { dev: { x: 1 } } }, { id: 'b' }] });
    expect(edited).toMatch(/# top[\s\S]*# first[\s\S]*id: b/);
  });
});
