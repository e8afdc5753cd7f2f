import { expect, test } from 'vitest';
import { turnOf } from '../../../../src/rules/steps/step-tree.js';
import { defaultLabel, labelFrom } from '../../../../src/workflows/steps/run-foreach.js';

test.each([
  ['web-1', 'web-1'],
  ['  two\nlines', 'two lines'],
  ['', undefined],
  ['  \n', undefined],
  ['x'.repeat(80), 'x'.repeat(80)],
  ['x'.repeat(81), `${'x'.repeat(77)}...`],
])('the text %j gives the label %j', (text, label) => {
  expect(labelFrom(text)).toBe(label);
});

test.each([
  ['web-1', 'web-1'],
  [7, '7'],
  [false, 'false'],
  [null, undefined],
  [{ host: 'a' }, '{"host":"a"}'],
  [[1, 'b'], '[1,"b"]'],
])('the item %j without a label is called %j', (item, label) => {
  expect(defaultLabel(item)).toBe(label);
});

test.each([
  ['hosts/12/check', 12],
  ['hosts/12/each/3/check', 3],
  ['hosts', 0],
  ['hosts/12', 0],
])('the path %s belongs to the turn %i', (path, turn) => {
  expect(turnOf(path)).toBe(turn);
});
