import { validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiPlace, ApiStyle } from '../../../../../src/contracts/api.js';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import type { ApiImplementation } from '../../../../../src/contracts/plan.js';
import { AbilityError } from '../../../../../src/contracts/problem.js';
import { STYLES_IN } from '../../../../../src/definitions/api-styles.js';
import type { ApiRequest } from '../../../../../src/kinds/api/call/build-request.js';
import { plannedApi, requestFrom } from './planned-request.js';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '..',
    '.',
    '',
    '%2e%2e',
    '/../',
    '\r\nX-Evil: 1',
    'a&b=c',
    'a;b',
    '#',
    '?',
    '\\..\\',
    '\ud800',
    '//x',
  ),
);
const value = fc.oneof(text, fc.jsonValue()) as fc.Arbitrary<Json>;

/** The same inputs each time: a test that fails only now and then helps no one. */
const RUNS = { seed: 26, numRuns: 200 };

/** A request, or undefined if the input was refused; any other error fails the test. */
function requestOrRefused(planned: ApiImplementation, input: JsonObject): ApiRequest | undefined {
  try {
    return requestFrom(planned, input);
  } catch (error) {
    if (error instanceof AbilityError && error.code === 'input.invalid') return undefined;
    throw error;
  }
}

/** What no input may change: the target of a request, the start and the end of its path, and valid headers. */
function expectInPlace({ url, headers }: ApiRequest): void {
  expect(url.origin).toBe('http://x.test');
  expect(url.hash).toBe('');
  expect(url.pathname).toMatch(/^\/before\/[^/]+\/after$/);
  expect(url.searchParams.getAll('fixed')).toEqual(['1']);
  expect(url.searchParams.getAll('api_key')).toHaveLength(1);
  for (const [name, content] of Object.entries(headers)) validateHeaderValue(name, content);
}

const fixed = { query: { fixed: 1 }, auth: { query: { api_key: '{credential:key}' } } };

describe('whatever the input is, a request stays within its definition, or is refused', () => {
  const places: [ApiPlace, ApiStyle, boolean | undefined][] = (['path', 'query', 'header', 'cookie'] as const).flatMap(
    (place) =>
      STYLES_IN[place].flatMap((style): [ApiPlace, ApiStyle, boolean | undefined][] => {
        const hasExplode = style !== 'json' && style !== 'deepObject';
        return hasExplode
          ? [
              [place, style, true],
              [place, style, false],
            ]
          : [[place, style, undefined]];
      }),
  );

  test.each(places)('in the %s as %s, explode %s', (place, style, explode) => {
    const param = { in: place, style, ...(explode !== undefined && { explode }) };
    const params: JsonObject = place === 'path' ? { v: param } : { v: param, id: { in: 'path' } };
    const name = place === 'path' ? 'v' : 'id';
    const planned = plannedApi({ ...fixed, path: `/before/{${name}}/after`, params });
    fc.assert(
      fc.property(value, text, (v, other) => {
        const request = requestOrRefused(planned, { v, ...(place !== 'path' && { id: other }) });
        if (request) expectInPlace(request);
      }),
      RUNS,
    );
  });

  test('without a named place', () => {
    const planned = plannedApi({ ...fixed, path: '/before/x/after' });
    fc.assert(
      fc.property(fc.dictionary(text, value), (input) => {
        const request = requestOrRefused(planned, input);
        if (request) expectInPlace(request);
      }),
      RUNS,
    );
  });
});

describe('a parser reads what was sent', () => {
  const whole = text.filter((content) => !/\p{Surrogate}/u.test(content));

  test('in a query', () => {
    const planned = plannedApi({ params: { v: { in: 'query' } } });
    fc.assert(
      fc.property(fc.array(whole, { minLength: 1 }), (v) => {
        expect(requestFrom(planned, { v }).url.searchParams.getAll('v')).toEqual(v);
      }),
      RUNS,
    );
  });

  test('in a path', () => {
    const planned = plannedApi({ path: '/before/{v}/after', params: { v: { in: 'path' } } });
    fc.assert(
      fc.property(whole, (v) => {
        const request = requestOrRefused(planned, { v });
        if (request) expect(decodeURIComponent(request.url.pathname.split('/')[2] ?? '')).toBe(v);
        else expect(['', '.', '..']).toContain(v);
      }),
      RUNS,
    );
  });

  test('in a form', () => {
    const planned = plannedApi({ method: 'POST', body: { type: 'form' } });
    fc.assert(
      fc.property(fc.dictionary(whole, whole, { minKeys: 1 }), (fields) => {
        expect(Object.fromEntries(new URLSearchParams(String(requestFrom(planned, fields).body)))).toEqual(fields);
      }),
      RUNS,
    );
  });

  test('in a multipart body', async () => {
    const planned = plannedApi({ method: 'POST', body: { type: 'multipart' } });
    const file = fc.record({ bytes: fc.uint8Array(), filename: whole.filter((name) => !name.includes('\0')) });
    await fc.assert(
      fc.asyncProperty(whole, file, async (content, { bytes, filename }) => {
        const upload = { base64: Buffer.from(bytes).toString('base64'), filename };
        const { body, headers } = requestFrom(planned, { content, upload });
        const type = headers['content-type'] ?? '';
        const parsed = await new Response(new Uint8Array(body as Buffer), {
          headers: { 'content-type': type },
        }).formData();
        expect([...parsed.keys()]).toEqual(['content', 'upload']);
        expect(parsed.get('content')).toBe(content);
        const arrived = await (parsed.get('upload') as File).arrayBuffer();
        expect(new Uint8Array(arrived)).toEqual(new Uint8Array(bytes));
      }),
      RUNS,
    );
  });
});
