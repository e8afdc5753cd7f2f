import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { errorOf } from '../../../error-of.js';
import { requestOf } from './planned-request.js';

/** The parts of a body, as a form parser reads them: texts, and files with their name, type and content. */
async function partsOf(input: JsonObject): Promise<[name: string, part: unknown][]> {
  const { body, headers } = requestOf({ method: 'POST', body: { type: 'multipart' } }, input);
  const type = { 'content-type': headers['content-type'] ?? '' };
  const form = await new Response(new Uint8Array(body as Buffer), { headers: type }).formData();
  return Promise.all(
    [...form].map(async ([name, part]): Promise<[string, unknown]> => {
      return [name, typeof part === 'string' ? part : [part.name, part.type, await part.text()]];
    }),
  );
}

const HI = { base64: 'aGk=' };

test.each<[string, Json, unknown[]]>([
  ['a text is itself', 'x\r\ny', ['x\r\ny']],
  ['a number and a truth value are texts', [1, true], ['1', 'true']],
  ['a list repeats its field, without what is null', ['a', null, 'b'], ['a', 'b']],
  ['null is no part', null, []],
  ['a file has the name of its field and the type of bytes', HI, [['f', 'application/octet-stream', 'hi']]],
  [
    'a file has its own name and type where it says them',
    { ...HI, filename: 'a "b".txt', content_type: 'text/plain' },
    [['a "b".txt', 'text/plain', 'hi']],
  ],
  [
    'a file may say that it has none',
    { ...HI, filename: null, content_type: null },
    [['f', 'application/octet-stream', 'hi']],
  ],
])('%s', async (_, value, parts) => {
  expect(await partsOf({ f: value })).toEqual(parts.map((part) => ['f', part]));
});

test.each<[string, JsonObject]>([
  ['any map', { a: 1 }],
  ['one that has more than a file', { ...HI, size: 2 }],
  ['one that has a name and no bytes', { filename: 'a.txt' }],
])('a map that is not a file is JSON: %s', (_, value) => {
  const { body } = requestOf({ method: 'POST', body: { type: 'multipart' } }, { f: value });
  expect(String(body)).toContain(`name="f"\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(value)}\r\n`);
});

describe('an invalid file is refused', () => {
  test.each<[string, JsonObject]>([
    ['bytes that are no text', { base64: 1 }],
    ['a name that is no text', { ...HI, filename: 7 }],
    ['a type that is no text', { ...HI, content_type: 7 }],
    ['letters outside of base64', { base64: 'a-b_' }],
  ])('%s', (_, value) => {
    const refused = errorOf(() => requestOf({ method: 'POST', body: { type: 'multipart' } }, { f: value }));
    expect(refused).toMatchObject({ code: 'input.invalid', suggestion: expect.any(String) });
  });
});

test('a field name cannot end its line', () => {
  const { body } = requestOf({ method: 'POST', body: { type: 'multipart' } }, { 'a"\r\nX-Evil: 1': 'x' });
  expect(String(body)).toContain('name="a%22%0D%0AX-Evil: 1"\r\n\r\nx');
});

test('a list is not a map, and has no parts', () => {
  const body = { type: 'multipart', value: '${{ input.v }}' };
  expect(errorOf(() => requestOf({ method: 'POST', body }, { v: ['a'] })).code).toBe('input.invalid');
});

test('the content type of a definition also gets the boundary', () => {
  const { headers } = requestOf(
    { method: 'POST', body: { type: 'multipart', content_type: 'multipart/mixed' } },
    { f: 'a' },
  );
  expect(headers['content-type']).toMatch(/^multipart\/mixed; boundary=\S+$/);
});
