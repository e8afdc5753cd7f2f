import { expect, test } from 'vitest';
import type { FilePlace, FileValue } from '../../../../src/contracts/files.js';
import { filesIn } from '../../../../src/rules/calls/files-in.js';

const FILE: FileValue = { $file: 'a'.repeat(64), name: 'a.txt', bytes: 3, media_type: 'text/plain' };
const value = { doc: FILE, more: { doc: FILE, list: [FILE, FILE] }, other: [[FILE]] };

test.each<[FilePlace[], string[]]>([
  [[], []],
  [[['doc']], ['doc']],
  [[['doc', 'more']], []],
  [[['more']], []],
  [[['more', 'list', '1']], ['more.list.1']],
  [[['more', { besides: ['list'] }]], ['more.doc']],
  [[['more', { besides: [] }, '0']], ['more.list.0']],
  [[['more', { deep: true }]], ['more.doc', 'more.list.0', 'more.list.1']],
  [[[{ deep: true }]], ['doc', 'more.doc', 'more.list.0', 'more.list.1', 'other.0.0']],
  [
    [['doc'], ['other', '0', '0']],
    ['doc', 'other.0.0'],
  ],
])('the places %j contain the files %j', (places, found) => {
  expect(filesIn(value, places).map(({ at }) => at)).toEqual(found);
});
