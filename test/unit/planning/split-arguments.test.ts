import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CALL_ARGUMENTS,
  checkPlaceholders,
  HOOK_ARGUMENTS,
  PLACEHOLDERS,
  splitArguments,
} from '../../../src/planning/split-arguments.js';
import { errorOf } from '../error-of.js';

const HERE = { file: 'op.yaml', line: 3, column: 7 };
const split = (template: string): string[] => splitArguments(template, HERE);

test.each([
  ['--input {input_file} --output {output_file}', ['--input', '{input_file}', '--output', '{output_file}']],
  ['  a \t b\nc ', ['a', 'b', 'c']],
  ['"two words" \'and two\'', ['two words', 'and two']],
  ['--name="two words"', ['--name=two words']],
  ['"a"\'b\'c', ['abc']],
  ['"" \'\' x', ['', '', 'x']],
  ['"it\'s" \'say "hi"\'', ["it's", 'say "hi"']],
  ['$(rm -rf /) `x` $HOME ; | & > < * ?', ['$(rm', '-rf', '/)', '`x`', '$HOME', ';', '|', '&', '>', '<', '*', '?']],
  ['a\\ b', ['a\\', 'b']],
  ['', []],
])('%j gives %j', (template, items) => {
  expect(split(template)).toEqual(items);
});

test('an open quote is refused with its place', () => {
  const error = errorOf(() => split('a "b'));
  expect(error.code).toBe('definition.invalid');
  expect(error.location).toEqual(HERE);
});

test('quoted items come back as they were', () => {
  const item = fc.string().filter((text) => !text.includes('"'));
  fc.assert(
    fc.property(fc.array(item), (items) => {
      expect(split(items.map((text) => `"${text}"`).join(' '))).toEqual(items);
    }),
  );
});

test('the known names in braces pass', () => {
  checkPlaceholders(
    PLACEHOLDERS.map((name) => `--x={${name}}`),
    CALL_ARGUMENTS,
    HERE,
  );
  checkPlaceholders(['{"json": true}', '{}', '{ a }'], CALL_ARGUMENTS, HERE);
});

test('a hook is asked on stdin, and knows only where its pinned copy is', () => {
  checkPlaceholders(['{pinned}/rules.json'], HOOK_ARGUMENTS, HERE);
  for (const name of PLACEHOLDERS.filter((known) => known !== 'pinned')) {
    const error = errorOf(() => checkPlaceholders([`--x={${name}}`], HOOK_ARGUMENTS, HERE));
    expect(error.message).toBe(`The arguments of a hook do not know {${name}}`);
    expect(error.suggestion).toBe('They know {pinned}. What the hook is asked about is on its stdin.');
  }
});

test('an unknown name in braces is refused, with those there are', () => {
  const error = errorOf(() => checkPlaceholders(['{inputfile}'], CALL_ARGUMENTS, HERE));
  expect(error.message).toMatch(/\{inputfile\}/);
  expect(error.suggestion).toMatch(/\{input_file\}/);
});
