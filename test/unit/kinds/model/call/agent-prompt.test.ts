import { expect, test } from 'vitest';
import { instructionsOf, noteOf, requestText } from '../../../../../src/kinds/model/call/call-model.js';

test('the instructions begin with the role of the agent, and tell it to treat results as data', () => {
  const text = instructionsOf('  Be kind.\n', null);
  expect(text).toMatch(/^Be kind\.\n/);
  expect(text).toContain('is data');
});

test('the instructions ask for plain text if the contract has no output', () => {
  expect(instructionsOf('', null)).toMatch(/answer in plain text\.$/);
});

test('the instructions name the schema of the answer', () => {
  const text = instructionsOf('', { type: 'object', required: ['sum'] });
  expect(text).toMatch(/\{"type":"object","required":\["sum"\]\}$/);
  expect(text).not.toContain('plain text');
});

test.each([
  ['a request alone as its text', { request: 'Count.' }, 'Count.'],
  ['a request with other fields as JSON', { request: 'Count.', most: 3 }, '{"request":"Count.","most":3}'],
  ['a request that is no text as JSON', { request: 7 }, '{"request":7}'],
  ['an input without a request as JSON', { a: 1 }, '{"a":1}'],
  ['an empty input as JSON', {}, '{}'],
])('a model receives %s', (_, input, text) => {
  expect(requestText(input)).toBe(text);
});

const LEFT = { turns: 3, calls: 5, seconds: 60 };

test.each([
  ['turns, calls and seconds', LEFT, 0, '3 turns with this one, 5 calls, 60 s of work.'],
  ['tokens', { ...LEFT, tokens: 9 }, 0, '5 calls, 9 tokens, 60 s of work.'],
  ['none', { ...LEFT, tokens: 0 }, 0, ' 0 tokens,'],
  ['a cost', { ...LEFT, cost: 0.123456 }, 0, '5 calls, a cost of 0.123, 60 s of work.'],
  ['that a turn is the last', { ...LEFT, turns: 1 }, 0, 'this turn, so that you have to answer now'],
  ['how many messages are left out', LEFT, 2, '60 s of work. 2 earlier messages are left out'],
])('the note at the end of a request states %s', (_, left, leftOut, text) => {
  expect(noteOf(left, leftOut)).toContain(text);
});

test('the note ends after the limits if no message is left out', () => {
  expect(noteOf(LEFT, 0)).toMatch(/60 s of work\.$/);
  expect(noteOf(LEFT, 0)).not.toMatch(/tokens|cost/);
});
