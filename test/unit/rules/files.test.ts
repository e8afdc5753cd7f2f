import { describe, expect, test } from 'vitest';
import { withFiles } from '../../../src/activities/files/task-files.js';
import { type FileValue, isFileValue, type TaskFile } from '../../../src/contracts/files.js';
import type { Json } from '../../../src/contracts/json.js';
import { bytesOfFiles, filesIn } from '../../../src/rules/calls/files-in.js';
import { formatBytes, parseBytes } from '../../../src/text/byte-size.js';
import { endingOf, mediaTypeOf, safeFileName } from '../../../src/text/file-name.js';

const FILE: FileValue = { $file: 'a'.repeat(64), name: 'a.txt', bytes: 3, media_type: 'text/plain' };

describe('a file value', () => {
  test('has four members, each with a fixed form', () => {
    expect(isFileValue(FILE)).toBe(true);
    const wrong = [
      { $file: 'A'.repeat(64) },
      { $file: 'a'.repeat(63) },
      { name: '../a' },
      { name: '..' },
      { name: '' },
      { name: 'a\nb' },
      { bytes: -1 },
      { bytes: 1.5 },
      { media_type: 'text' },
      { more: 1 },
    ];
    for (const change of wrong) expect(isFileValue({ ...FILE, ...change })).toBe(false);
    const { bytes: _, ...rest } = FILE;
    expect([isFileValue(rest), isFileValue(null), isFileValue([FILE]), isFileValue('a')]).toEqual(Array(4).fill(false));
  });

  test('is found anywhere in a value, and counts once', () => {
    const value = { a: [FILE, { b: { ...FILE, name: 'b' } }], c: null, $file: 'no' };
    expect(filesIn(value).map(({ at }) => at)).toEqual(['a.0', 'a.1.b']);
    expect(bytesOfFiles(filesIn(value).map(({ file }) => file))).toBe(3);
  });

  test('is found however deep it is nested', () => {
    const levels = 20_000;
    const deep: Json = JSON.parse(`${'['.repeat(levels)}${JSON.stringify(FILE)}${']'.repeat(levels)}`);
    const found = filesIn(deep);
    expect(found.map(({ file }) => file)).toEqual([FILE]);
    expect(found[0]?.at.split('.')).toHaveLength(levels);
  });
});

describe('a size', () => {
  test.each([
    ['20B', 20],
    ['1.5 KiB', 1536],
    ['500MB', 500_000_000],
    ['1GiB', 1024 ** 3],
    ['1', undefined],
    ['1 XB', undefined],
    ['9999999999TiB', undefined],
  ])('%s is %s', (text, bytes) => expect(parseBytes(text)).toBe(bytes));

  test('is formatted in the unit that fits', () => {
    expect([0, 1023, 1024, 1536, 20 * 1024 ** 2].map(formatBytes)).toEqual([
      '0 B',
      '1023 B',
      '1 KiB',
      '1.5 KiB',
      '20 MiB',
    ]);
  });
});

describe('the name of a file', () => {
  test.each([
    ['a/b\\c', 'a_b_c'],
    ['..', 'file'],
    [' ', 'file'],
    ['a\u0000b', 'a_b'],
    [`${'ä'.repeat(200)}.tar.gz`, `${'ä'.repeat(124)}.tar.gz`],
  ])('%j becomes the safe name %j', (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
    expect(Buffer.byteLength(safeFileName(name))).toBeLessThanOrEqual(255);
  });

  test('determines its type, and a type determines its ending', () => {
    expect([mediaTypeOf('A.HTML'), mediaTypeOf('a'), mediaTypeOf('a.constructor')]).toEqual([
      'text/html',
      'application/octet-stream',
      'application/octet-stream',
    ]);
    expect([endingOf('image/png'), endingOf('text/csv; charset=utf-8'), endingOf('x/y')]).toEqual(['.png', '.csv', '']);
  });
});

test('a retry takes over the files of the steps that it takes over, and of the steps inside them', () => {
  const made = (step: string): TaskFile => ({ step, name: 'x', file: FILE });
  const kept = withFiles({ a: { status: 'succeeded' }, loop: { status: 'pending', items: {} } }, [
    made(''),
    made('a'),
    made('b'),
    made('loop/3/inner'),
  ]);
  expect(kept).toEqual({
    a: { status: 'succeeded', made: [made('a')] },
    loop: { status: 'pending', items: {}, made: [made('loop/3/inner')] },
  });
});
