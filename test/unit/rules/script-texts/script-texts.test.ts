import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../src/contracts/json.js';
import type { PlanScript } from '../../../../src/contracts/plan.js';
import { evaluateScript, type WrittenScript, writeScript } from '../../../../src/planning/scripts/texts.js';
import { errorOf } from '../../error-of.js';

const OPTIONAL = ['host', 'port', 'dry_run', 'tags', 'note', 'a', 'b', 'prefix', 'build', 'flag', 'text', 'region'];
const SCHEMA: JsonObject = {
  properties: Object.fromEntries(OPTIONAL.map((name) => [name, { properties: { id: {} } }])),
};

type Texts = Partial<Pick<PlanScript, 'args' | 'stdin' | 'variables'>>;

function written(texts: Texts, input: JsonObject = {}, inputSchema: JsonObject | null = SCHEMA): WrittenScript {
  const environment = { name: 'dev', protected: false, vars: { mode: '-fast', tags: ['-x'] } };
  const facts = {
    values: { input, environment, task: { key: 'T-1', ability: 'op' } },
    inputSchema,
    placeholders: { input_file: '/tmp/input.json', payload: JSON.stringify(input), task_key: 'T-1' },
  };
  return writeScript(evaluateScript({ args: [], ...texts }, facts));
}
const args = (items: PlanScript['args'], input?: JsonObject): string[] => written({ args: items }, input).args;
const one = (value: string, input?: JsonObject): string[] => args([{ value }], input);
const refusal = (items: PlanScript['args'], input?: JsonObject) => errorOf(() => args(items, input));

describe('one item is one argument', () => {
  test('whatever it contains: blanks, quotes, line ends and shell syntax', () => {
    const text = `a b 'c' "d" $(e) \`f\`\n; g | h > i * ?`;
    expect(args(['--text', { value: '${{ input.text }}' }], { text })).toEqual(['--text', text]);
  });

  test('an empty text is an argument', () => {
    expect(one('${{ input.text }}', { text: '' })).toEqual(['']);
  });

  test('numbers and booleans are written as text, also inside text', () => {
    expect(one('${{ input.port }}', { port: 8080 })).toEqual(['8080']);
    expect(one('--dry=${{ input.dry_run }}', { dry_run: false })).toEqual(['--dry=false']);
    expect(one('${{ input.a }}${{ input.b }}', { a: 1, b: 'x' })).toEqual(['1x']);
  });

  test('environment and task are available', () => {
    const value = '${{ environment.name }}/${{ task.key }}/${{ task.ability }}';
    expect(one(value)).toEqual(['dev/T-1/op']);
  });
});

describe('absent values are omitted', () => {
  test.each([
    ['an optional input', '${{ input.note }}', {}],
    ['an optional input inside text', '--note=${{ input.note }}', {}],
    ['one of two', '${{ input.a }}${{ input.b }}', { a: 'x' }],
    ['a member of an optional input', '${{ input.build.id }}', {}],
    ['an optional member', '${{ input.build.id }}', { build: {} }],
    ['null', '${{ input.note }}', { note: null }],
    ['null inside text', '--note=${{ input.note }}', { note: null }],
    ['an optional of CEL that has no value', '${{ input.?unknown }}', {}],
    ['an expression that gives null', '${{ input.a == 1 ? null : input.a }}', { a: 1 }],
  ])('%s', (_, value, input) => {
    expect(args(['first', { value }, 'last'], input)).toEqual(['first', 'last']);
  });

  test('also inside `then`, where the other items stay', () => {
    const items: PlanScript['args'] = [{ if: 'true', items: ['--a', { value: '${{ input.note }}' }] }];
    expect(args(items)).toEqual(['--a']);
  });

  test('also from variables and stdin', () => {
    expect(written({ stdin: '${{ input.text }}', variables: { REGION: '${{ input.region }}' } })).toEqual({
      args: [],
      env: {},
    });
  });

  test('a name that is not in the contract is a mistake, and is refused', () => {
    const error = refusal(['x', { value: '${{ input.hots }}' }]);
    expect(error.code).toBe('expression.failed');
    expect(error.message).toMatch(/`args\[1\]`.*`input\.hots` does not exist/);
  });

  test('a computation with an absent input is refused: its author must define the result', () => {
    expect(refusal([{ value: '${{ "x" + input.note }}' }]).code).toBe('expression.failed');
    expect(refusal([{ if: '!input.flag', items: ['--loud'] }]).message).toMatch(/`args\[0\]\.if`.*input\.flag/);
  });

  test('without a known contract any input may be absent', () => {
    expect(written({ args: [{ value: '${{ input.any }}' }] }, {}, null).args).toEqual([]);
  });
});

describe('`if` and `each`', () => {
  const flag: PlanScript['args'] = [{ if: 'input.dry_run', items: ['--dry-run'] }];

  test.each([
    [{ dry_run: true }, ['--dry-run']],
    [{ dry_run: false }, []],
    [{ dry_run: null }, []],
    [{}, []],
  ] as [JsonObject, string[]][])('a flag with the input %j', (input, expected) => {
    expect(args(flag, input)).toEqual(expected);
  });

  test('a condition that is neither true nor false is refused with its location', () => {
    const error = refusal(flag, { dry_run: 'yes' });
    expect(error.code).toBe('expression.not_boolean');
    expect(error.message).toMatch(/args\[0\]\.if/);
  });

  const tags: PlanScript['args'] = [{ each: 'input.tags', as: 'tag', items: ['--tag', { value: '${{ tag }}' }] }];

  test('each item of a list produces its own arguments', () => {
    expect(args(tags, { tags: ['a b', 'c'] })).toEqual(['--tag', 'a b', '--tag', 'c']);
    expect(args(tags, { tags: [] })).toEqual([]);
    expect(args(tags, {})).toEqual([]);
  });

  test('a null item of a list produces nothing, so that no flag lacks its value', () => {
    expect(args(tags, { tags: ['a', null, 'c'] })).toEqual(['--tag', 'a', '--tag', 'c']);
    expect(args(tags, { tags: [null] })).toEqual([]);
  });

  test('loops and conditions can be nested', () => {
    const items: PlanScript['args'] = [
      {
        each: 'input.tags',
        as: 'pair',
        items: [
          {
            if: 'pair.on',
            items: [{ each: 'pair.names', as: 'name', items: [{ value: '${{ pair.k }}=${{ name }}' }] }],
          },
        ],
      },
    ];
    const input = {
      tags: [
        { on: true, k: 'x', names: ['1', '2'] },
        { on: false, k: 'y', names: ['3'] },
      ],
    };
    expect(args(items, input)).toEqual(['x=1', 'x=2']);
  });

  test('a value that is not a list is refused', () => {
    const error = refusal(tags, { tags: 'a,b' });
    expect(error).toMatchObject({
      code: 'input.invalid',
      details: { place: 'args[0].each', expression: 'input.tags' },
    });
  });
});

describe('a list or a map is not an argument', () => {
  test.each([
    ['a list', { a: [1, 2] }, /a list/],
    ['a map', { a: { b: 1 } }, /a map/],
  ] as [string, JsonObject, RegExp][])('%s is refused with the item and the input', (_, input, message) => {
    for (const value of ['${{ input.a }}', '--a=${{ input.a }}']) {
      const error = refusal(['x', { value }], input);
      expect(error).toMatchObject({ code: 'input.invalid', details: { place: 'args[1]', expression: 'input.a' } });
      expect(error.message).toMatch(message);
    }
  });

  test('inside a loop the refusal names the turn', () => {
    const error = refusal([{ each: 'input.tags', as: 'tag', items: ['--t', { value: '${{ tag }}' }] }], {
      tags: ['a', ['b']],
    });
    expect(error.details).toMatchObject({ place: 'args[0].each[1].then[1]', expression: 'tag' });
  });

  test('variables and stdin refuse them as well', () => {
    const input = { a: {} };
    expect(errorOf(() => written({ stdin: '${{ input.a }}' }, input)).details).toMatchObject({ place: 'stdin' });
    const error = errorOf(() => written({ variables: { A: '${{ input.a }}' } }, input));
    expect(error).toMatchObject({ code: 'input.invalid', details: { place: 'env.A' } });
  });
});

describe('text from the input must not become an option', () => {
  test.each([
    ['an item of its own', '${{ input.a }}', { a: '-rf' }],
    ['only a dash', '${{ input.a }}', { a: '-' }],
    ['two dashes', '${{ input.a }}', { a: '--' }],
    ['the start of a longer item', '${{ input.a }}.txt', { a: '--output=/etc/passwd' }],
    ['behind an input that is empty', '${{ input.a }}${{ input.b }}', { a: '', b: '-x' }],
    ['behind a setting that is empty', '${{ "" }}${{ input.b }}', { b: '-x' }],
    ['an empty prefix that leaves the dash of the author', '${{ input.prefix }}-x', { prefix: '' }],
    ['a dash from one and letters from another', '${{ input.a }}${{ input.b }}', { a: '-', b: 'x' }],
    ['a computed text', '${{ "-" + input.a }}', { a: 'x' }],
    ['a text that the input only chooses', '${{ input.flag ? "-a" : "-b" }}', { flag: true }],
    ['a number with letters of the input behind it', '${{ input.a }}${{ input.b }}', { a: -1, b: 'x' }],
    ['what only looks like a number', '${{ input.a }}', { a: '-1x' }],
    ['the key of the task', '${{ "-" + task.key }}', {}],
  ] as [string, string, JsonObject][])('%s is refused', (_, value, input) => {
    const error = refusal(['x', { value }], input);
    expect(error).toMatchObject({ code: 'input.invalid', details: { place: 'args[1]' } });
    expect(error.message).toMatch(/begins with `-`/);
  });

  test('an item of a list from the input is refused as well', () => {
    const each: PlanScript['args'] = [{ each: 'input.tags', as: 'tag', items: [{ value: '${{ tag }}' }] }];
    expect(refusal(each, { tags: ['ok', '-x'] }).details).toMatchObject({ place: 'args[0].each[1].then[0]' });
  });

  test.each([
    ['a number', '${{ input.a }}', { a: -5 }, '-5'],
    ['a number as text', '${{ input.a }}', { a: '-5.5e3' }, '-5.5e3'],
    ['a number with a unit of the author', '${{ input.a }}d', { a: -7 }, '-7d'],
    ['text behind letters of the author', '--name=${{ input.a }}', { a: '-x' }, '--name=-x'],
    ['letters of the author that are an option', '-${{ input.a }}', { a: 'x' }, '-x'],
    ['text with a blank before the dash', '${{ input.a }}', { a: ' -x' }, ' -x'],
    ['a setting of the environment', '${{ environment.vars.mode }}', {}, '-fast'],
    ['a text of the author', '${{ "-x" }}', {}, '-x'],
  ] as [string, string, JsonObject, string][])('%s passes', (_, value, input, expected) => {
    expect(one(value, input)).toEqual([expected]);
  });

  test('an item of a setting passes', () => {
    expect(args([{ each: 'environment.vars.tags', as: 'tag', items: [{ value: '${{ tag }}' }] }])).toEqual(['-x']);
  });

  test('after a `--` of the author it is not an option', () => {
    const value = { value: '${{ input.a }}' };
    expect(args(['--', value], { a: '-x' })).toEqual(['--', '-x']);
    expect(args(['--', 'y', { if: 'true', items: [value] }], { a: '-x' })).toEqual(['--', 'y', '-x']);
  });

  test('a `--` counts only if it is passed, comes before the text, and is written by the author', () => {
    const value = { value: '${{ input.a }}' };
    expect(refusal([value, '--'], { a: '-x' }).code).toBe('input.invalid');
    expect(refusal([{ if: 'false', items: ['--'] }, value], { a: '-x' }).code).toBe('input.invalid');
    expect(refusal([{ value: '${{ input.b }}', option: 'allowed' }, value], { a: '-x', b: '--' }).code).toBe(
      'input.invalid',
    );
  });

  test('it may be an option if its item allows that', () => {
    expect(args([{ value: '${{ input.a }}', option: 'allowed' }], { a: '--verbose' })).toEqual(['--verbose']);
  });

  test('stdin and variables may begin with anything', () => {
    expect(written({ stdin: '${{ input.a }}', variables: { A: '${{ input.a }}' } }, { a: '-x' })).toEqual({
      args: [],
      stdin: '-x',
      env: { A: '-x' },
    });
  });
});

describe('names in braces', () => {
  test('are filled in next to expressions, but never in values from the input', () => {
    const value = 'in={input_file} text=${{ input.text }} \\{payload}';
    expect(one(value, { text: '{input_file} {payload}' })).toEqual([
      'in=/tmp/input.json text={input_file} {payload} {payload}',
    ]);
  });

  test('a text without expressions is read as before', () => {
    expect(args(['{payload}', '\\{payload}', '\\\\{payload}', '$\\{{ input.a }}'], { a: 1 })).toEqual([
      '{"a":1}',
      '{payload}',
      '\\{payload}',
      '${{ input.a }}',
    ]);
  });

  test('a text of a plan from before expressions is not searched for them', () => {
    expect(args(['${{ input.a }}'], { a: 1 })).toEqual(['${{ input.a }}']);
  });

  test('on stdin and in variables only known names are filled in: other braces and backslashes stay', () => {
    const text = '{payload} \\{payload} {other} \\{other} {"a": "${{ input.a }}"}';
    const expected = '{"a":1} {payload} {other} \\{other} {"a": "1"}';
    expect(written({ stdin: text, variables: { A: text } }, { a: 1 })).toMatchObject({
      stdin: expected,
      env: { A: expected },
    });
  });
});

test('a NUL is refused in arguments and variables, which would end at it, but not on stdin', () => {
  const input = { a: 'x\0y' };
  expect(refusal(['x', { value: 'z${{ input.a }}' }], input)).toMatchObject({
    code: 'input.invalid',
    details: { place: 'args[1]', expression: 'input.a' },
  });
  expect(errorOf(() => written({ variables: { A: '${{ input.a }}' } }, input)).details).toMatchObject({
    place: 'env.A',
  });
  expect(written({ stdin: '${{ input.a }}' }, input).stdin).toBe('x\0y');
});

test('an expression that fails is reported with its location', () => {
  const error = refusal(['x', { value: '${{ input.a + 1 }}' }], { a: 'text' } as Record<string, Json>);
  expect(error.code).toBe('expression.failed');
  expect(error.message).toMatch(/^`args\[1\]`: /);
});
