import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { filePlaces } from '../../../../../src/planning/input/json-schema/file-places.js';
import { filesIn } from '../../../../../src/rules/calls/files-in.js';

const FILE = { $file: 'a'.repeat(64), name: 'a', bytes: 1, media_type: 'text/plain' };
const ASKED = { type: 'object', format: 'file' };
const found = (schema: JsonObject, value: Json) => filesIn(value, filePlaces(schema)).map(({ at }) => at);

describe('a file in an input counts only if the schema has `format: file` there', () => {
  const cases: [string, JsonObject, Json, string[]][] = [
    [
      'a property, and no free part',
      { properties: { page: ASKED, note: {} } },
      { page: FILE, note: FILE, more: { page: FILE } },
      ['page'],
    ],
    [
      'the items of a list',
      { properties: { all: { items: ASKED } } },
      { all: [FILE, FILE], x: [FILE] },
      ['all.0', 'all.1'],
    ],
    [
      'the first items of a list',
      { properties: { all: { prefixItems: [ASKED, {}], items: {} } } },
      { all: [FILE, FILE, FILE] },
      ['all.0'],
    ],
    [
      'members that are not listed',
      { properties: { note: {} }, additionalProperties: ASKED },
      { note: FILE, a: FILE, b: { c: FILE } },
      ['a'],
    ],
    ['one of several forms', { properties: { f: { anyOf: [{ type: 'string' }, ASKED] } } }, { f: FILE }, ['f']],
    [
      'a reference',
      { $defs: { 'a/b': ASKED }, properties: { f: { $ref: '#/$defs/a~1b' }, g: {} } },
      { f: FILE, g: FILE },
      ['f'],
    ],
    [
      'a schema that goes round, from there on at any depth',
      {
        $defs: { tree: { properties: { leaf: ASKED, inner: { $ref: '#/$defs/tree' } } } },
        properties: { tree: { $ref: '#/$defs/tree' } },
      },
      { tree: { leaf: FILE, inner: { inner: { leaf: FILE } } }, other: FILE },
      ['tree.leaf', 'tree.inner.inner.leaf'],
    ],
    ['what must not be', { properties: { f: { not: ASKED } } }, { f: FILE }, []],
    ['a key with a dot is one key', { properties: { 'a.b': ASKED } }, { 'a.b': FILE, a: { b: FILE } }, ['a.b']],
  ];
  test.each(cases)('%s', (_, schema, value, places) => {
    expect(found(schema, value)).toEqual(places);
  });

  test('a schema with very many places accepts files anywhere', () => {
    const properties = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}`, ASKED]));
    expect(found({ properties }, { f1: FILE, other: FILE })).toEqual(['f1', 'other']);
  });

  test('a value without known places, such as an output, may have files anywhere', () => {
    expect(filesIn({ a: { b: FILE } })).toHaveLength(1);
  });
});
