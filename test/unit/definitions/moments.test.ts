import { expect, test } from 'vitest';
import { moment } from '../../../src/definitions/formats/values.js';

test.each([
  ['yesterday', /A moment looks like/],
  ['2026-12-24', /A moment looks like/],
  ['2026-12-24T18:00:00', /A moment looks like/],
  ['2026-02-30T18:00:00Z', /A moment looks like|no such moment/],
])('%s is not a moment, which is reported once', (text, message) => {
  const { error } = moment.safeParse(text);
  expect(error?.issues.map((issue) => issue.message)).toEqual([expect.stringMatching(message)]);
});

test.each(['2026-12-24T18:00:00Z', '2026-12-24T18:00:00.5+01:00'])('%s is a moment', (text) => {
  expect(moment.parse(text)).toBe(text);
});
