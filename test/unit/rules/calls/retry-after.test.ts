import { expect, test } from 'vitest';
import { waitAskedFor } from '../../../../src/rules/calls/call-defaults.js';
import { headersThatMatter, retryAtOf } from '../../../../src/rules/calls/retry-after.js';

const NOW = Date.parse('2026-11-23T12:00:00Z');

test.each([
  ['seconds', { 'retry-after': '5' }, 5000],
  ['none', { 'retry-after': '0' }, 0],
  ['a date', { 'retry-after': 'Mon, 23 Nov 2026 12:01:00 GMT' }, 60_000],
  ['a date of the last century form', { 'retry-after': 'Monday, 23-Nov-26 12:01:00 GMT' }, 60_000],
  ['a date that is over', { 'retry-after': 'Mon, 23 Nov 2026 11:00:00 GMT' }, 0],
  [
    'a date by another clock',
    { 'retry-after': 'Mon, 23 Nov 2026 15:01:00 GMT', date: 'Mon, 23 Nov 2026 15:00:00 GMT' },
    60_000,
  ],
  ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  ['a time', { 'retry-after': '1m6.5s' }, 66_500],
  ['a limit that is used up', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '120ms' }, 120],
  ['limits that are used up', { 'ratelimit-remaining': '0', 'ratelimit-reset': '7', 'retry-after': '' }, 7000],
  [
    'the later of two limits',
    {
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '2026-11-23T12:02:00Z',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-11-23T12:01:00Z',
    },
    120_000,
  ],
  ['a time since 1970', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${NOW / 1000 + 60}` }, 60_000],
  ['a time since 1970 in milliseconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${NOW + 60}` }, 60],
  ['a limit with something left', { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '60' }, undefined],
  ['words', { 'retry-after': 'soon' }, undefined],
  ['a negative number', { 'retry-after': '-1' }, undefined],
  ['nothing', {}, undefined],
])('a wait given as %s', (_, headers, wait) => {
  const { retry_at } = retryAtOf(headers, NOW);
  expect(retry_at === undefined ? undefined : Date.parse(retry_at) - NOW).toBe(wait);
  expect(waitAskedFor({ code: 'http.429', message: '', details: { retry_at } }, NOW)).toBe(wait);
});

test('a wait beyond all dates is one until the last', () => {
  expect(retryAtOf({ 'retry-after': '9'.repeat(30) }, NOW)).toEqual({ retry_at: '+275760-09-13T00:00:00.000Z' });
});

test.each([undefined, null, 'later', { retry_at: 'later' }, { retry_at: 7 }])(
  'details %j ask for no wait',
  (details) => {
    expect(waitAskedFor({ code: 'a.b', message: '', details }, NOW)).toBeUndefined();
  },
);

test('of the headers of an answer those are kept that matter, shortened', () => {
  const headers = { 'ratelimit-reset': '5', 'anthropic-ratelimit-tokens-reset': 'x', 'set-cookie': ['a'], via: 'b' };
  expect(headersThatMatter({ ...headers, etag: 'e'.repeat(999) })).toEqual({
    'ratelimit-reset': '5',
    'anthropic-ratelimit-tokens-reset': 'x',
    etag: 'e'.repeat(300),
  });
});
