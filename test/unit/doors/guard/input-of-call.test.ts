import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { toolCallOf } from '../../../../src/definitions/tool-mapping/map-tool.js';
import { inputOfCall } from '../../../../src/doors/guard/input-of-call.js';

/** Templates, a call of the tool, and the input that it corresponds to. */
const READ: [string, JsonObject | string, JsonObject, JsonObject][] = [
  ['a path', { command: '${{ input.command }}' }, { command: 'ls' }, { command: 'ls' }],
  ['a whole input', '${{ input }}', { command: 'ls' }, { command: 'ls' }],
  ['a deep path', { command: '${{ input.call.text }}' }, { command: 'ls' }, { call: { text: 'ls' } }],
  ['a path with quotes', { command: '${{ input["the text"] }}' }, { command: 'ls' }, { 'the text': 'ls' }],
  [
    'a text around it',
    { command: 'psql -c "${{ input.sql }}"' },
    { command: 'psql -c "select 1"' },
    { sql: 'select 1' },
  ],
  [
    'two in one text',
    { command: 'cp ${{ input.from }} ${{ input.to }}' },
    { command: 'cp a b' },
    { from: 'a', to: 'b' },
  ],
  ['an absent optional', { command: '${{ input.c }}', timeout: '${{ input.?t }}' }, { command: 'ls' }, { c: 'ls' }],
];

describe('a mapping in reverse (answers, 55)', () => {
  test.each(READ)('%s', (_, tool_input, call, input) => {
    expect(inputOfCall({ tool_input }, call)).toEqual({ fits: true, input });
    // In the forward direction it yields the call again.
    expect(toolCallOf({ tool_name: 'Bash', tool_input }, input).tool_input).toEqual(call);
  });

  test('keys that the template does not name are ignored', () => {
    const call = { command: 'ls', description: 'look' };
    expect(inputOfCall({ tool_input: { command: '${{ input.command }}' } }, call)).toEqual({
      fits: true,
      input: { command: 'ls' },
    });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['another text', { command: 'psql ${{ input.sql }}' }, { command: 'ls' }],
    ['a missing key', { command: '${{ input.command }}' }, { cmd: 'ls' }],
    ['another constant', { command: '${{ input.c }}', mode: 'fast' }, { command: 'ls', mode: 'slow' }],
    ['two values of one part', { command: '${{ input.a }} ${{ input.a }}' }, { command: 'x y' }],
  ])('%s does not fit the template', (_, tool_input, call) => {
    expect(inputOfCall({ tool_input }, call)).toEqual({ fits: false });
  });

  test('a computed value is unknown', () => {
    const template = '${{ input.a + input.b }}';
    expect(inputOfCall({ tool_input: { command: template } }, { command: 'x' })).toEqual({ fits: 'unknown', template });
  });

  test('`__proto__` is a key like any other', () => {
    const call = JSON.parse('{"command":{"__proto__":{"polluted":true}}}') as JsonObject;
    const read = inputOfCall({ tool_input: { command: '${{ input.__proto__ }}' } }, { command: 'x' });
    expect(read).toMatchObject({ fits: true });
    expect(inputOfCall({ tool_input: '${{ input }}' }, call)).toMatchObject({ fits: true });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
