import { describe, expect, test } from 'vitest';
import {
  codeMatches,
  codeMatchesAny,
  isCatchable,
  isRetryableCode,
  unusableAnswersOf,
} from '../../../../src/rules/calls/error-families.js';

describe('what an entry of `errors` names', () => {
  test.each([
    ['unavailable.connection', 'unavailable', true],
    ['timeout.step', 'timeout', true],
    ['script.exit', 'script', true],
    ['http.409', 'http', true],
    ['http.409', 'http.409', true],
    ['script.exit', 'script.exit', true],
    ['too_many_regions', 'too_many_regions', true],
    ['shop.sold_out', 'shop', true],
    ['script.output_missing', 'script.output', false],
    ['scripts.exit', 'script', false],
    ['script.exit', 'script.exits', false],
    ['http.404', 'http.4', false],
    ['unavailable', 'unavailable.connection', false],
  ])('%s, entry %s: %s', (code, entry, named) => {
    expect(codeMatches(code, entry)).toBe(named);
  });

  test.each([408, 425, 429, 502, 503, 504])('http.%i counts as unavailable', (status) => {
    expect(codeMatches(`http.${status}`, 'unavailable')).toBe(true);
  });

  test.each([400, 404, 409, 500, 501])('http.%i does not count as unavailable', (status) => {
    expect(codeMatches(`http.${status}`, 'unavailable')).toBe(false);
  });

  test('a class of statuses covers all of them and no others', () => {
    expect(codeMatches('http.500', 'http.5xx')).toBe(true);
    expect(codeMatches('http.503', 'http.5xx')).toBe(true);
    expect(codeMatches('http.404', 'http.5xx')).toBe(false);
    expect(codeMatches('http.error', 'http.5xx')).toBe(false);
    expect(codeMatches('script.5xx', 'http.5xx')).toBe(false);
  });

  test('matching one of several entries is enough', () => {
    expect(codeMatchesAny('http.503', ['script', 'http.5xx'])).toBe(true);
    expect(codeMatchesAny('http.503', [])).toBe(false);
  });
});

describe('retries without a list of errors', () => {
  test.each([
    'script.exit',
    'script.start_failed',
    'http.500',
    'http.503',
    'http.429',
    'http.408',
    'unavailable.connection',
    'timeout.call',
    'mcp.tool_error',
    'fail_if.matched',
  ])('%s may be retried', (code) => {
    expect(isRetryableCode(code)).toBe(true);
  });

  test.each([
    'http.301',
    'http.304',
    'http.400',
    'http.401',
    'http.404',
    'http.409',
    'http.422',
    'http.501',
    'http.511',
  ])('%s may not be retried', (code) => {
    expect(isRetryableCode(code)).toBe(false);
  });
});

describe('retries with a list of errors', () => {
  test('only the listed errors are retried', () => {
    expect(isRetryableCode('unavailable.connection', ['unavailable', 'timeout'])).toBe(true);
    expect(isRetryableCode('script.exit', ['unavailable', 'timeout'])).toBe(false);
  });

  test('a listed 4xx status is retried', () => {
    expect(isRetryableCode('http.409', ['http.409'])).toBe(true);
  });
});

test.each([
  'guard.denied',
  'approval.denied',
  'approval.expired',
  'denied.host',
  'hook.failed',
  'input.invalid',
  'output.too_large',
  'config.missing_credential',
  'mcp.start_failed',
  'mcp.definition_changed',
  'mcp.tool_missing',
  'outcome.unknown',
  'timeout.task',
  'seal.invalid',
  'script.missing',
])('%s is never retried, even if it is listed', (code) => {
  expect(isRetryableCode(code)).toBe(false);
  expect(isRetryableCode(code, [code])).toBe(false);
});

describe('a call that was made but whose answer cannot be used', () => {
  test.each([
    'script.output_broken',
    'script.output_invalid',
    'script.output_missing',
    'api.output_invalid',
    'mcp.output_invalid',
  ])('is not made again unless that exact code is listed: %s', (code) => {
    const family = code.split('.', 1)[0] as string;
    expect(isRetryableCode(code)).toBe(false);
    expect(isRetryableCode(code, [family])).toBe(false);
    expect(isRetryableCode(code, [code])).toBe(true);
  });
});

test('a seal whose key the worker does not have yet may be retried', () => {
  expect(isRetryableCode('seal.unknown_key')).toBe(true);
});

describe('what a handler without a list of errors covers', () => {
  test.each([
    'denied.host',
    'approval.denied',
    'approval.expired',
    'guard.denied',
    'hook.failed',
    'timeout.task',
    'outcome.unknown',
    'limit.max_calls',
    'internal.error',
  ])('%s is not covered, so that no fallback hides a denial or an unknown outcome', (code) => {
    expect(isCatchable(code)).toBe(false);
  });

  test.each(['script.exit', 'http.409', 'timeout.step', 'unavailable.connection', 'shop.sold_out'])(
    '%s is covered',
    (code) => {
      expect(isCatchable(code)).toBe(true);
    },
  );
});

test('the unusable answers of a family are those of this family only', () => {
  expect(unusableAnswersOf('file')).toEqual(['file.missing', 'file.too_large']);
  expect(unusableAnswersOf('mcp')).toEqual(['mcp.output_invalid']);
  // `output.too_large` can end any call.
  expect(unusableAnswersOf('output')).toEqual([]);
  expect(unusableAnswersOf('unknown')).toEqual([]);
});
