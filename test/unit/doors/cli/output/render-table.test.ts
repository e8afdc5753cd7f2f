import { expect, test } from 'vitest';
import { renderTable } from '../../../../../src/doors/cli/output/render-table.js';

test('columns are as wide as their content', () => {
  const rows = [
    ['t-1', 'deploy', 'ada'],
    ['t-22', 'x', ''],
  ];
  expect(renderTable(['TASK', 'ABILITY', 'BY'], rows)).toBe(
    ['TASK  ABILITY  BY', 't-1   deploy   ada', 't-22  x'].join('\n'),
  );
});

test('a row is one line, whatever its cells contain', () => {
  const rows = [
    ['t-1', 'mallory\nt-2  ada\r\u202e'],
    ['t-3', 'bob'],
  ];
  expect(renderTable(['TASK', 'BY'], rows).split('\n')).toEqual([
    'TASK  BY',
    't-1   mallory t-2  ada \\u202e',
    't-3   bob',
  ]);
});
