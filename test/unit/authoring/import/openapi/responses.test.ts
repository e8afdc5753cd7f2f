import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import { content, mapped, whyLeftOut } from './documents.js';

const user = { type: 'object', properties: { id: { type: 'string' } } };
const answers = (responses: JsonObject): ReturnType<typeof mapped> => mapped('/a', 'get', { responses });

test('the output is the JSON of a success', async () => {
  const { output, api } = await answers({
    200: content('application/json', user),
    404: content('application/json', {}),
  });
  expect(output).toEqual(user);
  expect(api.response).toBeUndefined();
});

test('with several successes the output is any of them; one without content is null', async () => {
  const { output } = await answers({
    200: content('application/json', user),
    202: content('application/vnd.x+json', { type: 'array' }),
    204: { description: 'gone' },
  });
  expect(output).toEqual({ anyOf: [user, { type: 'array' }, { type: 'null' }] });
});

test('204 alone is null; a success that declares no content may be anything', async () => {
  expect((await answers({ 204: { description: 'x' } })).output).toEqual({ type: 'null' });
  expect((await answers({ 200: { description: 'x' } })).output).toBeUndefined();
  expect((await answers({ 302: { description: 'x' } })).output).toBeUndefined();
});

test('`default` and `2XX` are successes if no other status is', async () => {
  expect((await answers({ default: content('application/json', user) })).output).toEqual(user);
  expect((await answers({ '2XX': content('application/json', user), default: content('text/plain') })).output).toEqual(
    user,
  );
});

test.each([
  ['text/plain', 'text'],
  ['text/csv', 'text'],
  ['application/xml', 'text'],
  ['application/pdf', 'base64'],
  ['image/*', 'base64'],
])('an answer of %s is returned as %s', async (type, as) => {
  const { output, api } = await answers({ 200: content(type) });
  expect(api.response).toEqual({ as });
  expect(output).toEqual({ type: 'object', required: [as], properties: { [as]: { type: 'string' } } });
});

test('JSON is chosen before other forms of the same answer', async () => {
  const both = { description: 'x', content: { 'text/event-stream': {}, 'application/json': { schema: user } } };
  expect((await answers({ 200: both })).output).toEqual(user);
});

test('answers in several forms may be anything, and this is reported', async () => {
  const { output, notes } = await answers({ 200: content('application/json', user), 201: content('text/plain') });
  expect(output).toBeUndefined();
  expect(notes).toEqual(['Its answers have several forms (JSON, text or bytes); any of them is accepted']);
});

test('a stream of events excludes its operation', async () => {
  expect(await whyLeftOut('/a', 'get', { responses: { 200: content('text/event-stream') } })).toBe(
    'its answer is a stream of events (text/event-stream)',
  );
});

test('write-only properties are not part of the output', async () => {
  const schema = { type: 'object', required: ['p'], properties: { p: { type: 'string', writeOnly: true } } };
  expect((await answers({ 200: content('application/json', schema) })).output).toEqual({
    type: 'object',
    properties: {},
  });
});
