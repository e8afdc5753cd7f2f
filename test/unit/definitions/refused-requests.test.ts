import { describe, expect, test } from 'vitest';
import { lowLevel, registryOf } from '../temporary-project.js';

/** The first line of the `api` section in the files of these tests. */
const FIRST_LINE = 7;

/** The problems of an `api` section; `»` marks their expected location. */
function found(api: string) {
  const at = api.indexOf('»');
  const before = api.slice(0, at).split('\n');
  const lines = api.replace('»', '').split('\n');
  const registry = registryOf(
    lowLevel('op', 'implementation:', '  kind: api', '  api:', ...lines.map((line) => `    ${line}`)),
  );
  const place = { line: FIRST_LINE + before.length - 1, column: (before.at(-1)?.length ?? 0) + 5 };
  return { problems: registry.problems, place };
}

function expectRefused(api: string, message: RegExp): void {
  const { problems, place } = found(api);
  expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(message)]);
  expect(problems[0]).toMatchObject({
    code: 'definition.invalid',
    location: { file: 'registry/low-level/op.yaml', ...place },
  });
}

describe('R-000-46: a parameter is refused, with its location,', () => {
  test.each([
    ['in a place that there is not', 'params: { a: { in: »form } }', /One of path, query, header, cookie, body/],
    ['without a place', 'params: { a: »{ name: b } }', /`in` is missing/],
    ['with a key that there is not', 'params: { a: { in: query, »required: true } }', /Unknown key `required`/],
    ['with a style that there is not', 'params: { a: { in: query, style: »csv } }', /One of form, space/],
    ['label in a query', 'params: { a: { in: query, style: »label } }', /`in: query` has no style label/],
    ['form in a header', 'params: { a: { in: header, style: »form } }', /it has simple, json/],
    [
      'deepObject in a path',
      'path: /{a}\nparams: { a: { in: path, style: »deepObject } }',
      /simple, label, matrix, json/,
    ],
    ['simple in a cookie', 'params: { a: { in: cookie, style: »simple } }', /it has form, json/],
    ['JSON that explodes', 'params: { a: { in: query, style: json, explode: »true } }', /no `explode`/],
    ['deepObject that does not', 'params: { a: { in: query, style: deepObject, explode: »false } }', /always explodes/],
    [
      'reserved letters in a header',
      'params: { a: { in: header, allow_reserved: »true } }',
      /`in: query` and for forms/,
    ],
    ['a style in JSON', 'method: POST\nparams: { a: { in: body, style: »form } }', /`style` is for forms/],
    ['explode in JSON', 'method: POST\nparams: { a: { in: body, explode: »true } }', /`explode` is for forms/],
    ['the body of a GET', 'params: { a: { in: »body } }', /A GET has no body/],
    ['a header with blanks', 'params: { "a b": »{ in: header } }', /no name of a header/],
    ['a cookie with an equals sign', 'params: { a: { in: cookie, name: »a=b } }', /no name of a cookie/],
    ['the length of the body', 'params: { a: { in: header, name: »Content-Length } }', /belongs to the connection/],
    ['the host', 'params: { host: »{ in: header } }', /belongs to the connection/],
    ['__proto__', 'method: POST\nparams: { a: { in: body, name: »__proto__ } }', /objects of JavaScript/],
  ])('%s', (_, api, message) => expectRefused(api, message));
});

describe('names that contradict each other are refused:', () => {
  test.each([
    ['a path without the name', 'path: /x/{b}\nparams: { a: { in: »path } }', /The path \/x\/\{b\} has no \{a\}/],
    ['a name of the path sent elsewhere', 'path: /x/{a}\nparams: { a: { in: »query } }', /in: path, name: a/],
    ['kept slashes in a label', 'path: "/x/{+a}"\nparams: { a: { in: path, style: »label } }', /keeps slashes/],
    ['two for one query', 'params: { a: { in: query }, b: { in: query, name: »a } }', /`params.a` sets the query a/],
    [
      'two for one path',
      'path: /{a}\nparams: { a: { in: path }, b: { in: path, name: »a } }',
      /set each name only once/,
    ],
    ['two for one header', 'params: { a: { in: header, name: X-A }, x-a: »{ in: header } }', /sets the header x-a/],
    [
      'two for one field',
      'method: PUT\nparams: { a: { in: body, name: x }, b: { in: body, name: »x } }',
      /sets the body x/,
    ],
    ['`query` as well', 'query: { a: 1 }\nparams: { a: »{ in: query } }', /`query` sets the query a/],
    ['`headers` as well', 'headers: { X-A: b }\nparams: { x-a: »{ in: header } }', /`headers` sets/],
    [
      'a cookie of `headers` as well',
      'headers: { Cookie: "b=1; a=2" }\nparams: { a: »{ in: cookie } }',
      /`headers.Cookie`/,
    ],
    ['`auth.query` as well', 'params: { a: »{ in: query } }\nauth: { query: { a: "{credential:k}" } }', /`auth.query`/],
    ['`query` and `auth.query`', 'query: { k: 1 }\nauth: { query: { k: »"{credential:k}" } }', /`query` sets/],
  ])('%s', (_, api, message) => expectRefused(api, message));

  test('a name in the path whose input is sent under another name', () => {
    const { problems } = found('path: /x/{a}/{c}\nparams: { a: { in: path, name: »c } }');
    expect(problems).toMatchObject([
      { message: expect.stringMatching(/The path needs \{a\}, and this sends the input elsewhere/) },
    ]);
  });

  test('the header that `auth.basic` sets, and another one', () => {
    const basic = 'basic: »{ user: "{credential:u}", password: "" }';
    expectRefused(`headers: { authorization: x }\nauth: { ${basic} }`, /sets Authorization/);
    const param = 'params: { Authorization: »{ in: header } }';
    expectRefused(`auth: { basic: { user: "{credential:u}", password: "" } }\n${param}`, /`auth.basic` sets/);
  });
});

describe('a body is refused', () => {
  test.each([
    ['in a GET', 'body: »{ value: 1 }', /A GET has no body/],
    ['in a HEAD', 'method: HEAD\nbody: »{ type: form }', /A HEAD has no body/],
    ['of another type', 'method: PUT\nbody: { type: »xml }', /One of json, form, multipart, text, binary/],
    ['with a value and fields', 'method: PUT\nparams: { a: { in: »body } }\nbody: { value: 1 }', /is the whole body/],
    ['as text without its value', 'method: PUT\nbody: »{ type: text }', /needs its `value`/],
    ['as bytes without their value', 'method: PUT\nbody: »{ type: binary }', /needs its `value`/],
    ['under no content type', 'method: PUT\nbody: { content_type: »json }', /looks like application/],
    [
      'under two lines of content type',
      'method: PUT\nbody: { content_type: »"a/b\\r\\nX: 1" }',
      /looks like application/,
    ],
    ['as a form under JSON', 'method: PUT\nbody: { type: form, content_type: »a/json }', /sent as application\/x-www/],
    ['as parts under a form', 'method: PUT\nbody: { type: multipart, content_type: »a/b }', /sent as multipart/],
    [
      'with a boundary',
      'method: PUT\nbody: { type: multipart, content_type: »multipart/mixed; boundary=x }',
      /boundary/,
    ],
    [
      'with two content types',
      'method: PUT\nheaders: { Content-Type: »a/b }\nbody: { content_type: a/b }',
      /leave the header/,
    ],
    ['with a credential', 'method: PUT\nbody: { type: text, value: »"{credential:k}" }', /Only `headers` and `auth`/],
  ])('%s', (_, api, message) => expectRefused(api, message));
});

describe('R-000-53: credentials are refused', () => {
  test.each([
    ['that are none', 'auth: { basic: »{ user: ada, password: hunter2 } }', /a secret is a reference/],
    ['in the query that are none', 'auth: { query: { key: »hunter2 } }', /a secret is a reference/],
    [
      'from the input',
      'auth: { query: { key: »"${{ input.k }}{credential:k}" } }',
      /Only text and \{credential:NAME\}/,
    ],
    ['as one text', 'auth: { basic: »"ada:hunter2" }', /a secret is a reference/],
    ['as a number', 'auth: { basic: { user: "{credential:u}", password: »123456 } }', /a secret is a reference/],
    ['as a list', 'auth: { query: »[hunter2] }', /a secret is a reference/],
    ['as the whole of it', 'auth: »hunter2', /a secret is a reference/],
    ['of no kind', 'auth: »{}', /`basic` or `query`/],
    ['of no name', 'auth: »{ query: {} }', /`basic` or `query`/],
    ['without a password', 'auth: { basic: »{ user: "{credential:u}" } }', /`password` is missing/],
  ])('%s', (_, api, message) => expectRefused(api, message));
});

test('R-000-53: a value that is refused as a secret is not repeated', () => {
  for (const auth of ['{ basic: { user: ada, password: hunter2 } }', '{ query: { key: hunter2 } }', 'hunter2']) {
    const { problems } = found(`auth: ${auth}`);
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  }
});

describe('an answer is refused', () => {
  test.each([
    ['as something else', 'response: { as: »xml }', /One of json, text, base64/],
    ['as nothing', 'response: »{}', /`as`, `headers`, `status` or `big_integers`/],
    ['with a status that is none', 'response: { status: »false }', /One of true belongs here/],
    ['with integers as something else', 'response: { big_integers: »number }', /One of text belongs here/],
    [
      'with integers in a text',
      'response: »{ as: text, big_integers: text }',
      /belongs to an answer that is read as JSON/,
    ],
    ['with no headers', 'response: { headers: »[] }', /At least one header/],
    ['with a header twice', 'response: { headers: [etag, »ETag] }', /listed twice/],
    ['with a header that is none', 'response: { headers: [»"a: b"] }', /no name of a header/],
    ['with secrets of sessions', 'response: { headers: [»set-cookie] }', /contains a secret/],
  ])('%s', (_, api, message) => expectRefused(api, message));
});

test('all of answer 26 is accepted', () => {
  const api = [
    'method: POST',
    'path: /x/{id}',
    'params:',
    '  ids: { in: query, style: form, explode: false }',
    '  trace: { in: header, name: X-Trace }',
    '  body_id: { in: body, name: id }',
    'auth: { basic: { user: "{credential:user}", password: "{credential:password}" } }',
    'response: { as: base64, headers: [link, location, etag], status: true }',
  ].join('\n');
  expect(found(api).problems).toEqual([]);
  const whole =
    'method: PATCH\nbody: { type: json, content_type: application/merge-patch+json, value: "${{ input.items }}" }';
  expect(found(whole).problems).toEqual([]);
  expect(found('auth: { query: { key: "{credential:key}" } }').problems).toEqual([]);
});
