import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import { parseInput } from '../../../../../src/doors/cli/input/parse-input.js';
import { NOWHERE } from '../../../../fixtures/silent-terminal.js';
import { errorOf } from '../../../error-of.js';
import { temporaryProject } from '../../../temporary-project.js';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    price: { type: 'number' },
    on: { type: 'boolean' },
    list: { type: 'array' },
    map: { type: 'object' },
    none: { type: 'null' },
    maybe: { type: ['integer', 'null'] },
    loose: { type: ['string', 'integer'] },
    untyped: {},
  },
};
const set = (...assignments: string[]): JsonObject => parseInput({ set: assignments }, SCHEMA, NOWHERE);

describe('--set converts values by the schema', () => {
  test.each([
    ['text=1234', { text: '1234' }],
    ['text=true', { text: 'true' }],
    ['text=', { text: '' }],
    ['text=a=b:=c', { text: 'a=b:=c' }],
    ['text=two words ', { text: 'two words ' }],
    ['text={"a":1}', { text: '{"a":1}' }],
    ['count=1234', { count: 1234 }],
    ['count=-1', { count: -1 }],
    ['price=1.5', { price: 1.5 }],
    ['on=true', { on: true }],
    ['on=false', { on: false }],
    ['list=[1, "a"]', { list: [1, 'a'] }],
    ['map={"a": {"b": 1}}', { map: { a: { b: 1 } } }],
    ['none=null', { none: null }],
    ['maybe=null', { maybe: null }],
    ['maybe=3', { maybe: 3 }],
    ['loose=3', { loose: '3' }],
    ['untyped=3', { untyped: '3' }],
    ['unknown=3', { unknown: '3' }],
    ['a.b-c=3', { 'a.b-c': '3' }],
  ])('%s', (assignment, input) => {
    expect(set(assignment)).toEqual(input);
  });

  test.each([
    'count=1.5',
    'count=three',
    'count=',
    'count=0x10',
    'price=Infinity',
    'on=yes',
    'on=1',
    'list=1',
    'map=[]',
    'none=',
    'maybe=x',
  ])('%s is input.invalid, with the name of the field', (assignment) => {
    const error = errorOf(() => set(assignment));
    expect(error.code).toBe('input.invalid');
    expect(error.message).toContain(assignment.split('=')[0]);
  });

  test('without properties in the schema every value is a text', () => {
    expect(parseInput({ set: ['count=3'] }, { type: 'object' }, NOWHERE)).toEqual({ count: '3' });
  });
});

describe('--set name:=JSON', () => {
  test.each([
    ['text:="3"', { text: '3' }],
    ['count:=3', { count: 3 }],
    ['unknown:=[1, null]', { unknown: [1, null] }],
    ['text:=3', { text: 3 }],
  ])('%s is not converted', (assignment, input) => {
    expect(set(assignment)).toEqual(input);
  });

  test.each(['x:=', 'x:=a', 'x:={', "x:='a'"])('%s is not JSON', (assignment) => {
    const error = errorOf(() => set(assignment));
    expect(error.code).toBe('input.invalid');
    expect(error.suggestion).toMatch(/@file/);
  });
});

test.each([{ input: '@/dev/zero' }, { set: ['text=@/dev/zero'] }])('a file without an end is refused: %j', (flags) => {
  const error = errorOf(() => parseInput(flags, SCHEMA, NOWHERE));
  expect(error).toMatchObject({ code: 'input.invalid', message: '/dev/zero is larger than 16777216 bytes' });
});

describe('--set name=@file', () => {
  test('reads the file, relative to the working directory', () => {
    const { root } = temporaryProject({ 'note.txt': 'from a file\n', 'list.json': '[1]' });
    const input = parseInput({ set: ['text=@note.txt', 'list=@list.json'] }, SCHEMA, { ...NOWHERE, cwd: root });
    expect(input).toEqual({ text: 'from a file\n', list: [1] });
  });

  test('a missing file is input.invalid, with the way to pass the text itself', () => {
    const error = errorOf(() => parseInput({ set: ['text=@octocat'] }, SCHEMA, NOWHERE));
    expect(error.code).toBe('input.invalid');
    expect(error.suggestion).toBe('To pass the text @octocat itself, write text=@@octocat.');
    expect(parseInput({ set: ['text=@@octocat'] }, SCHEMA, NOWHERE)).toEqual({ text: '@octocat' });
  });
});

test.each(['', 'text', '=x', ':=1', 'a:b=c'])('%j is not an assignment', (assignment) => {
  const error = errorOf(() => set(assignment));
  expect(error.code).toBe('usage.invalid');
  expect(error.suggestion).toMatch(/name=text, name:=JSON or name=@file/);
});

describe('--input', () => {
  const input = (text: string, cwd = '/'): JsonObject => parseInput({ input: text }, SCHEMA, { ...NOWHERE, cwd });

  test('is JSON, or a JSON file', () => {
    const { root } = temporaryProject({ 'input.json': '{ "text": "from a file" }' });
    expect(input('{"count": 3}')).toEqual({ count: 3 });
    expect(input('@input.json', root)).toEqual({ text: 'from a file' });
  });

  test('is not converted, whatever the schema says', () => {
    expect(input('{"count": "3"}')).toEqual({ count: '3' });
  });

  test.each(['', '{', 'count=3', "{'a': 1}"])('%j is not JSON', (text) => {
    expect(errorOf(() => input(text)).code).toBe('input.invalid');
  });

  test.each(['[1]', '3', 'null', '"text"'])('%s is not a map of fields', (text) => {
    expect(errorOf(() => input(text)).message).toMatch(/not a map/);
  });
});

describe('--set and --input together', () => {
  test('--set wins over --input, key by key', () => {
    const flags = { input: '{"text": "a", "count": 1, "map": {"x": 1}}', set: ['count=2', 'map={"y": 2}'] };
    expect(parseInput(flags, SCHEMA, NOWHERE)).toEqual({ text: 'a', count: 2, map: { y: 2 } });
  });

  test('the last --set of a field wins', () => {
    expect(set('count=1', 'count=2')).toEqual({ count: 2 });
  });

  test('a message includes what precedes the assignment on the command line', () => {
    expect(errorOf(() => parseInput({ set: ['n'] }, SCHEMA, NOWHERE, '')).message).toBe('n is no assignment');
    expect(errorOf(() => parseInput({ set: ['count=x'] }, SCHEMA, NOWHERE, '')).message).toMatch(/^count: "x"/);
    expect(errorOf(() => parseInput({ set: ['n'] }, SCHEMA, NOWHERE)).message).toBe('--set n is no assignment');
  });

  test('without flags there are no fields', () => {
    expect(parseInput({}, SCHEMA, NOWHERE)).toEqual({});
  });
});

describe('keys that reach into JavaScript objects', () => {
  test.each(['__proto__', 'constructor', 'prototype'])('%s is refused in every form', (key) => {
    for (const flags of [
      { set: [`${key}=x`] },
      { set: [`${key}:={"polluted": true}`] },
      { set: [`map:={"deep": {"${key}": {}}}`] },
      { input: `{"${key}": {"polluted": true}}` },
      { input: `{"list": [{"${key}": 1}]}` },
    ]) {
      expect(errorOf(() => parseInput(flags, SCHEMA, NOWHERE)).code).toBe('input.invalid');
    }
    expect('polluted' in {}).toBe(false);
  });

  test('a name that every object has is an ordinary field', () => {
    expect(set('toString=x')).toEqual({ toString: 'x' });
  });
});

test('a number too large for JSON is refused, and does not become null', () => {
  expect(errorOf(() => set('price=1e999')).code).toBe('input.invalid');
  expect(errorOf(() => parseInput({ input: '{"price": 1e999}' }, SCHEMA, NOWHERE)).code).toBe('input.invalid');
});

test.each([
  [{ type: 'array', items: { type: 'string' } }, 'x=a b', `Pass --set 'x=["a b"]', a list in JSON.`],
  [{ type: 'array' }, 'x=a', `Pass --set 'x=["a"]', a list in JSON.`],
  [{ type: 'array', items: { type: 'integer' } }, 'x=a', undefined],
  [{ type: 'object', format: 'file' }, 'x=a.txt', 'It is a file: pass --file x=a.txt.'],
  [{ type: 'array', items: { type: 'object', format: 'file' } }, 'x=a.txt', 'It is a file: pass --file x=a.txt.'],
  [{ type: 'object' }, 'x=a', undefined],
  [{ type: 'integer' }, 'x=a', undefined],
])('a text that %j does not accept is refused with the form to write', (x, assignment, suggestion) => {
  const error = errorOf(() => parseInput({ set: [assignment] }, { type: 'object', properties: { x } }, NOWHERE));
  expect([error.code, error.suggestion]).toEqual(['input.invalid', suggestion]);
});

describe('an integer that JavaScript would change is refused with its place', () => {
  const ID = '1234567890123456789';

  test.each([
    `count=${ID}`,
    `count:=${ID}`,
    `price=-${ID}`,
    `maybe=${ID}`,
    `list=[{"id": ${ID}}]`,
    `map:={"a":[${ID}]}`,
  ])('--set %s', (assignment) => {
    expect(errorOf(() => set(assignment))).toMatchObject({
      code: 'input.invalid',
      message: expect.stringContaining(ID),
      suggestion: expect.stringContaining('text'),
    });
  });

  test('--input, also of a file, where a key twice and broken bytes are refused, too', () => {
    const { root } = temporaryProject({ 'in.json': `{"a": {"count": ${ID}}}` });
    const input = (text: string) => parseInput({ input: text }, SCHEMA, { ...NOWHERE, cwd: root });
    expect(errorOf(() => input(`{"a": {"count": ${ID}}}`)).message).toContain('(at /a/count)');
    expect(errorOf(() => input('@in.json')).message).toContain('(at /a/count)');
    expect(errorOf(() => input('{"count": 1, "count": 2}')).message).toContain('"count" twice');
    expect(errorOf(() => set('map={"a":1,"a":2}')).message).toContain('"a" twice');
    writeFileSync(join(root, 'bytes'), Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    expect(errorOf(() => input('@bytes')).message).toContain('UTF-8');
    const text = () => parseInput({ set: ['text=@bytes'] }, SCHEMA, { ...NOWHERE, cwd: root });
    expect(errorOf(text).message).toContain('UTF-8');
  });

  test('and as text it arrives exactly', () => {
    expect(set(`text=${ID}`, `loose=${ID}`, `untyped=${ID}`)).toEqual({ text: ID, loose: ID, untyped: ID });
  });
});
