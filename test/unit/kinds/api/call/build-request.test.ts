import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { errorOf } from '../../../error-of.js';
import { addressOf, plannedApi, requestOf, SECRETS } from './planned-request.js';

const refused = (api: JsonObject, input: JsonObject) => errorOf(() => requestOf(api, input));
const INVALID = { code: 'input.invalid' };

describe('the plan of a request', () => {
  test('of a definition that names no form has not changed since forms were added', () => {
    const { api } = plannedApi({ method: 'PUT', path: '/x', body: { type: 'json', value: { a: 1 } } });
    expect(api).toEqual({
      method: 'PUT',
      path: '/x',
      base_url: 'http://x.test',
      query: {},
      headers: {},
      body: { value: { a: 1 } },
      credentials: expect.anything(),
      allowed_hosts: ['x.test:80'],
      rate_limit: null,
    });
  });

  test('contains each parameter with its defaults, so that stating them changes no digest', () => {
    const short = {
      method: 'POST',
      params: { a: { in: 'query' }, b: { in: 'body', name: 'c' } },
      body: { type: 'form' },
    };
    const long = {
      a: { in: 'query', name: 'a', style: 'form', explode: true },
      b: { in: 'body', name: 'c', style: 'form', explode: true },
    };
    expect(plannedApi(short).api.params).toEqual(long);
    expect(plannedApi({ ...short, params: long })).toEqual(plannedApi(short));
  });

  test('R-000-53: contains references, and no credential', () => {
    const basic = { user: '{credential:user}', password: '{credential:password}' };
    const plan = plannedApi({ auth: { basic, query: { key: '{credential:key}' } } });
    expect(plan.api.auth).toEqual({ basic, query: { key: '{credential:key}' } });
    for (const secret of Object.values(SECRETS)) expect(JSON.stringify(plan)).not.toContain(secret);
  });
});

describe('a required body', () => {
  const api = { method: 'POST', path: '/x', body: { required: true } };

  test.each<[string, JsonObject, string]>([
    ['json', {}, '{}'],
    ['form', { body: { type: 'form', required: true } }, ''],
  ])('is sent as %s without any field', (_, more, body) => {
    expect(String(requestOf({ ...api, ...more }, {}).body)).toBe(body);
  });

  test('contains the fields that are passed', () => {
    expect(JSON.parse(String(requestOf(api, { a: 1 }).body))).toEqual({ a: 1 });
  });

  test('is not sent if it is not required', () => {
    expect(requestOf({ method: 'POST', path: '/x' }, {}).body).toBeUndefined();
  });
});

describe('where input goes', () => {
  test('one name may occur in two places', () => {
    const api = { method: 'PUT', path: '/users/{id}', params: { body_id: { in: 'body', name: 'id' } } };
    const request = requestOf(api, { id: 'u1', body_id: 'b1', rest: true });
    expect(addressOf(request)).toBe('/users/u1');
    expect(JSON.parse(String(request.body))).toEqual({ rest: true, id: 'b1' });
  });

  test('an input may fill a place with another name', () => {
    const api = { path: '/users/{id}', params: { user: { in: 'path', name: 'id' } } };
    expect(addressOf(requestOf(api, { user: 'u1', id: 'q' }))).toBe('/users/u1?id=q');
  });

  test('unnamed input goes to the query of DELETE, and to its body if it defines one', () => {
    const body = { body_id: { in: 'body', name: 'id' } };
    const request = requestOf({ method: 'DELETE', params: body }, { body_id: 1, why: 'old' });
    expect([addressOf(request), request.body]).toEqual(['/?why=old', '{"id":1}']);
    const whole = requestOf({ method: 'DELETE', body: { type: 'json' } }, { why: 'old' });
    expect([addressOf(whole), whole.body]).toEqual(['/', '{"why":"old"}']);
  });

  test('null in JSON is kept, and an absent value is omitted', () => {
    const api = { method: 'POST', params: { a: { in: 'body', name: 'x' }, b: { in: 'body', name: 'y' } } };
    expect(requestOf(api, { a: null }).body).toBe('{"x":null}');
    expect(requestOf(api, {}).body).toBeUndefined();
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['a parameter of `params`', { params: { a: { in: 'query', name: 'id' } } }, { a: 1, id: 2 }],
    ['what `query` writes', { query: { admin: false } }, { admin: true }],
    ['a credential', { auth: { query: { key: '{credential:key}' } } }, { key: 'mine' }],
    ['a field', { method: 'POST', params: { a: { in: 'body', name: 'id' } } }, { a: 1, id: 2 }],
    ['a member of a map', { query: { admin: false }, params: { f: { in: 'query' } } }, { f: { admin: true } }],
    [
      'a field of a form',
      { method: 'POST', params: { f: { in: 'body' } }, body: { type: 'form' } },
      { f: { a: 1 }, a: 2 },
    ],
    ['a cookie', { headers: { Cookie: 's={credential:key}' }, params: { c: { in: 'cookie' } } }, { c: { s: 'x' } }],
  ])('input cannot give %s a second value', (_, api, input) => {
    expect(refused(api, input)).toMatchObject({ ...INVALID, message: expect.stringMatching(/second value/) });
  });
});

describe('hostile input', () => {
  const path = (template: string, value: Json, param: JsonObject = {}) =>
    refused({ path: template, params: { p: { in: 'path', ...param } } }, { p: value });

  test.each<[string, string, Json, JsonObject]>([
    ['..', '/a/{p}/b', '..', {}],
    ['. after a dot of the path', '/a/.{p}', '.', {}],
    ['an escaped dot of the path', '/a/%2e{p}', '.', {}],
    ['. as a label', '/a/{p}', '.', { style: 'label' }],
    ['nothing as a label', '/a/{p}', [''], { style: 'label' }],
    ['.. among kept slashes', '/a/{+p}', 'x/../../y', {}],
    ['an empty list', '/a/{p}', [], {}],
    ['an empty item', '/a/{p}', [''], {}],
    ['null', '/a/{p}', null, {}],
    ['a map inside a map', '/a/{p}', { a: { b: 1 } }, {}],
  ])('%s cannot lead a path elsewhere', (_, template, value, param) => {
    expect(path(template, value, param)).toMatchObject(INVALID);
  });

  test('slashes, backslashes and line ends are characters of their segment', () => {
    const request = requestOf({ path: '/a/{p}', params: { p: { in: 'path' } } }, { p: ['../x', '\\..\\y', '\r\nz?#'] });
    expect(addressOf(request)).toBe('/a/..%2Fx,%5C..%5Cy,%0D%0Az%3F%23');
  });

  test('names from the input are escaped as well', () => {
    const request = requestOf({ params: { p: { in: 'query' } } }, { p: { 'a&b=c#d': 1 } });
    expect(addressOf(request)).toBe('/?a%26b%3Dc%23d=1');
  });

  test.each(['a\r\nX-Evil: 1', 'a\nb', 'ü€', '\u0000'])('%j in a header is refused', (value) => {
    expect(refused({ params: { p: { in: 'header' } } }, { p: value })).toMatchObject(INVALID);
    expect(refused({ params: { p: { in: 'header' } } }, { p: [value, 'x'] })).toMatchObject(INVALID);
  });

  test('text that looks like a credential or a template stays unchanged', () => {
    const api = { params: { h: { in: 'header' }, q: { in: 'query' } } };
    const request = requestOf(api, { h: '{credential:key}', q: '${{ input.h }}' });
    expect(request.headers.h).toBe('{credential:key}');
    expect(request.url.searchParams.get('q')).toBe('${{ input.h }}');
  });

  test('the name of a built-in JavaScript property is an ordinary name', () => {
    const request = requestOf({ method: 'POST', params: { c: { in: 'body', name: 'constructor' } } }, { c: 1 });
    expect(request.body).toBe('{"constructor":1}');
  });
});

describe('a form', () => {
  const form = (input: JsonObject, params: JsonObject = {}) =>
    requestOf({ method: 'POST', params, body: { type: 'form' } }, input);

  test('contains texts; lists repeat, and null is omitted', () => {
    const { body, headers } = form({ a: 'x y&z', tags: ['1', '2'], none: null, yes: true });
    expect(body).toBe('a=x%20y%26z&tags=1&tags=2&yes=true');
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  test('refuses maps, unless a style defines how they are written', () => {
    const input = { card: { number: '4', exp: { month: 1 } }, items: [{ price: 'p' }] };
    expect(errorOf(() => form(input))).toMatchObject({ ...INVALID, suggestion: expect.stringMatching(/deepObject/) });
    const deep = { in: 'body', style: 'deepObject' };
    expect(decodeURIComponent(String(form(input, { card: deep, items: deep }).body))).toBe(
      'card[number]=4&card[exp][month]=1&items[0][price]=p',
    );
    const json = { in: 'body', name: 'payload', style: 'json' };
    expect(decodeURIComponent(String(form({ card: { a: 1 } }, { card: json }).body))).toBe('payload={"a":1}');
  });

  test('may be one value, with its own content type', () => {
    const body = {
      type: 'form',
      content_type: 'application/x-www-form-urlencoded; charset=utf-8',
      value: '${{ input.f }}',
    };
    const request = requestOf({ method: 'POST', body }, { f: { a: 1 }, unused: 2 });
    expect([request.body, request.headers['content-type']]).toEqual(['a=1', body.content_type]);
    expect(refused({ method: 'POST', body }, { f: [1] })).toMatchObject(INVALID);
  });
});

describe('a JSON body', () => {
  test('is one value that keeps its type, under any content type', () => {
    const body = { content_type: 'application/merge-patch+json', value: '${{ input.items }}' };
    const request = requestOf({ method: 'PATCH', body }, { items: [{ a: null }] });
    expect([request.body, request.headers['content-type']]).toEqual(['[{"a":null}]', body.content_type]);
  });

  test('is not sent if its one value is absent', () => {
    const request = requestOf({ method: 'PUT', body: { value: '${{ input.?items }}' } }, {});
    expect(request.body).toBeUndefined();
    expect(request.headers).not.toHaveProperty('content-type');
  });
});

describe('text and bytes', () => {
  const send = (body: JsonObject, value: Json) =>
    requestOf({ method: 'PUT', body: { value: '${{ input.?v }}', ...body } }, { v: value });

  test('text is sent unchanged', () => {
    const { body, headers } = send({ type: 'text' }, 'ä\r\nb');
    expect([body, headers['content-type']]).toEqual(['ä\r\nb', 'text/plain; charset=utf-8']);
    expect(send({ type: 'text', content_type: 'text/csv' }, 1).headers['content-type']).toBe('text/csv');
    expect(errorOf(() => send({ type: 'text' }, ['a'])).code).toBe('input.invalid');
  });

  test('bytes are passed as base64, alone or as a file', () => {
    const bytes = Buffer.from([0, 255, 13, 10]);
    const base64 = bytes.toString('base64');
    expect(send({ type: 'binary' }, base64).body).toEqual(bytes);
    expect(send({ type: 'binary' }, base64).headers['content-type']).toBe('application/octet-stream');
    const file = send({ type: 'binary' }, { base64, content_type: 'image/png' });
    expect([file.body, file.headers['content-type']]).toEqual([bytes, 'image/png']);
    expect(send({ type: 'binary' }, null).body).toBeUndefined();
  });

  test.each<[string, Json]>([
    ['other letters', 'a-b_'],
    ['half a byte', 'YWJjZ'],
    ['padding in the middle', 'YQ==YQ=='],
    ['nothing but padding', '===='],
    ['a million signs of padding and a letter', `${'='.repeat(1_000_000)}a`],
    ['a number', 1],
    ['a map of something else', { base64: 'YQ==', path: '/etc/passwd' }],
    ['a type that is none', { base64: 'YQ==', content_type: 'a/b\r\nX: 1' }],
  ])('%s is not a file', (_, value) => {
    expect(errorOf(() => send({ type: 'binary' }, value)).code).toBe('input.invalid');
  });
});

describe('credentials', () => {
  test('of `basic` form the header of RFC 7617, in UTF-8', () => {
    const basic = { user: '{credential:user}', password: '{credential:password}' };
    const { headers, secretHeaders, log } = requestOf({ auth: { basic } });
    const encoded = Buffer.from(`${SECRETS.USER_NAME}:${SECRETS.PASSWORD}`).toString('base64');
    expect(headers.authorization).toBe(`Basic ${encoded}`);
    expect(secretHeaders).toContain('authorization');
    expect(log.mask(`${encoded} ${SECRETS.PASSWORD}`)).toBe('*** ***');
  });

  test('may be one half of `basic`, as with many services', () => {
    const { headers } = requestOf({ auth: { basic: { user: '{credential:user}', password: '' } } });
    expect(headers.authorization).toBe(`Basic ${Buffer.from(`${SECRETS.USER_NAME}:`).toString('base64')}`);
  });

  test('in the query are escaped, and masked in each form in which they may appear', () => {
    const request = requestOf({ query: { a: 1 }, auth: { query: { api_key: '{credential:key}' } } }, { b: 2 });
    expect(request.url.searchParams.get('api_key')).toBe(SECRETS.KEY);
    expect([...request.url.searchParams.keys()]).toEqual(['a', 'b', 'api_key']);
    const forms = [SECRETS.KEY, request.url.href, encodeURIComponent(SECRETS.KEY), JSON.stringify({ k: SECRETS.KEY })];
    for (const shown of forms) expect(request.log.mask(shown)).toContain('***');
    expect(request.log.mask(request.url.href)).toBe('http://x.test/?a=1&b=2&api_key=***');
  });
});

test('headers that have a credential, or usually have one, are secret', () => {
  const headers = { 'X-Key': '{credential:key}', 'X-Plain': 'a' };
  expect(requestOf({ headers }).secretHeaders).toEqual(['authorization', 'cookie', 'proxy-authorization', 'x-key']);
});

describe('the Accept header of a request', () => {
  test.each<[JsonObject, string]>([
    [{}, 'application/json'],
    [{ response: { as: 'json' } }, 'application/json'],
    [{ response: { as: 'text' } }, '*/*'],
    [{ response: { as: 'base64' } }, '*/*'],
    [{ response: { as: 'base64' }, headers: { Accept: 'image/png' } }, 'image/png'],
  ])('%j: %s', (api, accept) => {
    expect(requestOf(api).headers.accept).toBe(accept);
  });
});
