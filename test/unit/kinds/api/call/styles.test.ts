import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { errorOf } from '../../../error-of.js';
import { addressOf, requestOf } from './planned-request.js';

/** The values of "Style Examples" in the OpenAPI Specification 3.1.1. */
const COLOR = {
  text: 'blue',
  list: ['blue', 'black', 'brown'],
  map: { R: 100, G: 200, B: 150 },
} as const satisfies Record<string, Json>;
type Kind = keyof typeof COLOR;

const color = (param: JsonObject, kind: Kind, path = '/') =>
  requestOf({ path, params: { color: param } }, { color: COLOR[kind] as Json });

describe('a parameter in the query is written as the OpenAPI specification says', () => {
  test.each<[string, boolean | undefined, Kind, string]>([
    ['form', undefined, 'text', 'color=blue'],
    ['form', undefined, 'list', 'color=blue&color=black&color=brown'],
    ['form', undefined, 'map', 'R=100&G=200&B=150'],
    ['form', true, 'list', 'color=blue&color=black&color=brown'],
    ['form', false, 'text', 'color=blue'],
    ['form', false, 'list', 'color=blue,black,brown'],
    ['form', false, 'map', 'color=R,100,G,200,B,150'],
    ['spaceDelimited', undefined, 'list', 'color=blue%20black%20brown'],
    ['spaceDelimited', false, 'map', 'color=R%20100%20G%20200%20B%20150'],
    ['spaceDelimited', true, 'list', 'color=blue&color=black&color=brown'],
    ['pipeDelimited', undefined, 'list', 'color=blue%7Cblack%7Cbrown'],
    ['pipeDelimited', false, 'map', 'color=R%7C100%7CG%7C200%7CB%7C150'],
    ['deepObject', undefined, 'map', 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    ['deepObject', true, 'map', 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    ['deepObject', undefined, 'list', 'color%5B%5D=blue&color%5B%5D=black&color%5B%5D=brown'],
    ['deepObject', undefined, 'text', 'color=blue'],
    ['json', undefined, 'text', 'color=%22blue%22'],
    ['json', undefined, 'map', 'color=%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D'],
  ])('%s, explode %s, a %s: %s', (style, explode, kind, expected) => {
    const param = { in: 'query', style, ...(explode !== undefined && { explode }) };
    expect(addressOf(color(param, kind))).toBe(`/?${expected}`);
  });

  test('form with explode is the default style of a query', () => {
    expect(addressOf(color({ in: 'query' }, 'map'))).toBe('/?R=100&G=200&B=150');
  });
});

describe('a parameter in the path is written as the OpenAPI specification says', () => {
  test.each<[string, boolean, Kind, string]>([
    ['simple', false, 'text', 'blue'],
    ['simple', false, 'list', 'blue,black,brown'],
    ['simple', false, 'map', 'R,100,G,200,B,150'],
    ['simple', true, 'list', 'blue,black,brown'],
    ['simple', true, 'map', 'R=100,G=200,B=150'],
    ['label', false, 'text', '.blue'],
    ['label', false, 'list', '.blue,black,brown'],
    ['label', false, 'map', '.R,100,G,200,B,150'],
    ['label', true, 'text', '.blue'],
    ['label', true, 'list', '.blue.black.brown'],
    ['label', true, 'map', '.R=100.G=200.B=150'],
    ['matrix', false, 'text', ';color=blue'],
    ['matrix', false, 'list', ';color=blue,black,brown'],
    ['matrix', false, 'map', ';color=R,100,G,200,B,150'],
    ['matrix', true, 'text', ';color=blue'],
    ['matrix', true, 'list', ';color=blue;color=black;color=brown'],
    ['matrix', true, 'map', ';R=100;G=200;B=150'],
  ])('%s, explode %s, a %s: %s', (style, explode, kind, expected) => {
    expect(addressOf(color({ in: 'path', style, explode }, kind, '/x/{color}/y'))).toBe(`/x/${expected}/y`);
  });

  test('JSON is escaped as a whole', () => {
    const { url } = color({ in: 'path', style: 'json' }, 'map', '/x/{color}');
    expect(decodeURIComponent(url.pathname)).toBe('/x/{"R":100,"G":200,"B":150}');
  });

  test('simple is the default style of a path', () => {
    expect(addressOf(color({ in: 'path' }, 'map', '/x/{color}'))).toBe('/x/R,100,G,200,B,150');
  });

  test('an empty text can be written only in the style matrix', () => {
    const empty = (style: string) => requestOf({ path: '/x/{a}', params: { a: { in: 'path', style } } }, { a: '' });
    expect(addressOf(empty('matrix'))).toBe('/x/;a');
    expect(errorOf(() => empty('simple')).code).toBe('input.invalid');
    expect(errorOf(() => empty('label')).code).toBe('input.invalid');
  });
});

describe('a parameter in a header is written as the OpenAPI specification says', () => {
  test.each<[string, boolean | undefined, Kind, string]>([
    ['simple', false, 'text', 'blue'],
    ['simple', undefined, 'list', 'blue,black,brown'],
    ['simple', undefined, 'map', 'R,100,G,200,B,150'],
    ['simple', true, 'list', 'blue,black,brown'],
    ['simple', true, 'map', 'R=100,G=200,B=150'],
    ['json', undefined, 'list', '["blue","black","brown"]'],
  ])('%s, explode %s, a %s: %s', (style, explode, kind, expected) => {
    const param = { in: 'header', name: 'X-Color', style, ...(explode !== undefined && { explode }) };
    expect(color(param, kind).headers['x-color']).toBe(expected);
  });

  test('JSON is restricted to characters that a header can contain', () => {
    const param = { in: 'header', style: 'json' };
    const { headers } = requestOf({ params: { note: param } }, { note: 'ü 😀\r\n' });
    expect(headers.note).toBe('"\\u00fc \\ud83d\\ude00\\r\\n"');
    expect(JSON.parse(headers.note ?? '')).toBe('ü 😀\r\n');
  });
});

describe('a parameter in a cookie', () => {
  test.each<[boolean | undefined, Kind, string]>([
    [undefined, 'text', 'color=blue'],
    [false, 'list', 'color=blue,black,brown'],
    [false, 'map', 'color=R,100,G,200,B,150'],
    [undefined, 'list', 'color=blue; color=black; color=brown'],
    [undefined, 'map', 'R=100; G=200; B=150'],
  ])('explode %s, a %s: %s', (explode, kind, expected) => {
    const param = { in: 'cookie', ...(explode !== undefined && { explode }) };
    expect(color(param, kind).headers.cookie).toBe(expected);
  });

  test('is added to the cookie that `headers` writes', () => {
    const api = { headers: { Cookie: 's={credential:user}' }, params: { tab: { in: 'cookie' } } };
    expect(requestOf(api, { tab: 'a;b=c' }).headers.cookie).toBe('s=ada-the-user; tab=a%3Bb%3Dc');
  });
});

describe('the value of a parameter', () => {
  const query = (value: Json, more: JsonObject = {}) =>
    addressOf(requestOf({ params: { v: { in: 'query', ...more } } }, { v: value }));

  test('is escaped so that it cannot end early', () => {
    expect(query('a&b=c#d+e ü/?')).toBe('/?v=a%26b%3Dc%23d%2Be%20%C3%BC%2F%3F');
    expect(query(['a,b', 'c'], { explode: false })).toBe('/?v=a%2Cb,c');
  });

  test('keeps reserved characters only on request, and never those that would end it', () => {
    expect(query('/a:b?c=1,2&d#e+f[g]', { allow_reserved: true })).toBe('/?v=/a:b?c=1,2%26d%23e%2Bf%5Bg%5D');
  });

  test.each<[string, Json]>([
    ['null', null],
    ['an empty list', []],
    ['an empty map', {}],
    ['a list of nothing', [null]],
  ])('is omitted when it is %s', (_, value) => {
    expect(query(value)).toBe('/');
    expect(query(value, { style: 'form', explode: false })).toBe('/');
    expect(query(value, { style: 'deepObject' })).toBe('/');
  });

  test('is omitted when it is absent; an empty text, 0 and false are not', () => {
    expect(addressOf(requestOf({ params: { v: { in: 'query' } } }, {}))).toBe('/');
    expect([query(''), query(0), query(false)]).toEqual(['/?v=', '/?v=0', '/?v=false']);
  });

  test('must be flat, unless the style allows more', () => {
    const nested = { a: { b: [1, { c: 'x' }] } };
    expect(errorOf(() => query(nested))).toMatchObject({
      code: 'input.invalid',
      suggestion: expect.stringMatching(/deepObject/),
    });
    expect(decodeURIComponent(query(nested, { style: 'deepObject' }))).toBe('/?v[a][b][0]=1&v[a][b][1][c]=x');
    expect(decodeURIComponent(query(nested, { style: 'json' }))).toBe('/?v={"a":{"b":[1,{"c":"x"}]}}');
  });

  test('is input.invalid if it contains half a character', () => {
    expect(errorOf(() => query('\ud800')).code).toBe('input.invalid');
    expect(errorOf(() => query({ '\ud800': 1 })).code).toBe('input.invalid');
  });

  test('may have a hundred thousand items', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => index);
    expect(query(many)).toHaveLength('/?'.length + many.join('&v=').length + 'v='.length);
    expect(query(many, { style: 'deepObject' }).split('&')).toHaveLength(many.length);
  });

  test('in a header has no comma inside an item, since it would begin another item', () => {
    const error = errorOf(() => requestOf({ params: { v: { in: 'header' } } }, { v: ['a,b', 'c'] }));
    expect(error).toMatchObject({ code: 'input.invalid', message: expect.stringMatching(/comma/) });
  });
});
