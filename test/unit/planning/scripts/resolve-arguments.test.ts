import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitArguments } from '../../../../src/planning/scripts/resolve-arguments.js';
import { errorOf } from '../../error-of.js';

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

test('an unclosed quote is refused with its location', () => {
  const error = errorOf(() => split('a "b'));
  expect(error.code).toBe('definition.invalid');
  expect(error.location).toEqual(HERE);
});

test('quoted items are read back unchanged', () => {
  const item = fc.string().filter((text) => !text.includes('"'));
  fc.assert(
    fc.property(fc.array(item), (items) => {
      expect(split(items.map((text) => `"${text}"`).join(' '))).toEqual(items);
    }),
  );
});
