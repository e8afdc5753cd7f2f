import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contracts/json.js';
import type { MappedAbility } from '../../../../src/definitions/fits-match.js';
import type { ToolMapping } from '../../../../src/definitions/formats/hooks.js';
import { isShown, mappingOf, toolCallOf } from '../../../../src/definitions/tool-mapping/map-tool.js';
import { faultOfToolInput, faultOfToolName } from '../../../../src/definitions/tool-mapping/tool-shapes.js';
import { errorOf } from '../../error-of.js';

/** The tool call that a hook is shown; undefined if no mapping covers the ability. */
const mapTool = (mappings: readonly ToolMapping[], subject: MappedAbility, input: JsonObject) => {
  const mapping = mappingOf(mappings, subject);
  return mapping && toolCallOf(mapping, input);
};

const ABILITY = {
  ability: 'ops.run',
  modules: ['infra'],
  environment: 'dev',
  effects: 'destructive',
  tags: ['x'],
} as const;
const AS: ToolMapping[] = [
  { match: { abilities: ['ops.*'], environments: ['prod'] }, tool_name: 'Bash', tool_input: { command: 'in prod' } },
  { match: { abilities: ['ops.*'] }, tool_name: 'Bash', tool_input: { command: '${{ input.command }}' } },
  { match: { abilities: ['ops.run'] }, tool_name: 'Bash', tool_input: { command: 'never' } },
  { match: { abilities: ['fs.write'] }, tool_name: 'Write', tool_input: '${{ input }}' },
  { match: { effects: ['read'] }, tool_name: 'Grep', tool_input: { pattern: 'x', path: '${{ input.?path }}' } },
];

describe('an ability as a tool (answer 38)', () => {
  test('the first mapping that matches applies', () => {
    const call = { tool_name: 'Bash', tool_input: { command: 'ls' } };
    expect(mapTool(AS, ABILITY, { command: 'ls', other: 1 })).toEqual(call);
    expect(mapTool(AS, { ...ABILITY, environment: 'prod' }, {})?.tool_input).toEqual({ command: 'in prod' });
  });

  test('an ability without a mapping that matches is not covered', () => {
    expect(mapTool(AS, { ...ABILITY, ability: 'db.drop' }, { command: 'ls' })).toBeUndefined();
  });

  test('the whole input may be the input of the tool', () => {
    const input = { file_path: 'a.txt', content: 'x' };
    expect(mapTool(AS, { ...ABILITY, ability: 'fs.write' }, input)).toEqual({ tool_name: 'Write', tool_input: input });
  });

  test('a key whose expression is an absent optional is omitted', () => {
    const reads = { ...ABILITY, ability: 'fs.find', effects: 'read' } as const;
    expect(mapTool(AS, reads, {})?.tool_input).toEqual({ pattern: 'x' });
    expect(mapTool(AS, reads, { path: 'src' })?.tool_input).toEqual({ pattern: 'x', path: 'src' });
  });

  test.each([[{ command: ['rm', '-rf', '/'] }], [{ command: 7 }], [{}]])(
    'input that the tool does not take is an error, since guards ignore it: %j',
    (input) => {
      expect(errorOf(() => mapTool(AS, ABILITY, input))).toMatchObject({
        code: expect.stringMatching(/^(input\.invalid|expression\.)/),
      });
    },
  );

  test('a filter applies to what the hook would be shown', () => {
    const only = { if: 'tool_name == "Bash" && tool_input.command.matches("\\\\brm\\\\b")' };
    expect(isShown(only, { tool_name: 'Bash', tool_input: { command: 'sudo rm x' } })).toBe(true);
    expect(isShown(only, { tool_name: 'Bash', tool_input: { command: 'farm x' } })).toBe(false);
    expect(isShown({}, { tool_name: 'Bash', tool_input: { command: 'farm x' } })).toBe(true);
  });
});

describe('the tools of Claude Code', () => {
  test.each([
    ['Bash', { command: 'ls', description: 'd', timeout: 5 }],
    ['Write', { file_path: 'a', content: '' }],
    ['Edit', { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: true }],
    ['MultiEdit', { file_path: 'a', edits: [{ old_string: 'x', new_string: 'y' }] }],
    ['Read', { file_path: 'a', limit: 3 }],
    ['Grep', { pattern: 'x', '-n': true }],
    ['Glob', { pattern: '*' }],
    ['mcp__github__create_issue', { anything: [1] }],
  ])('%s takes %j', (tool, input) => {
    expect(faultOfToolInput(tool, input)).toBeUndefined();
  });

  test.each([
    ['Bash', {}, /command/],
    ['Bash', { command: 'ls', cmd: 'rm' }, /cmd/],
    ['Write', { file_path: 'a', content: 5 }, /content/],
    ['MultiEdit', { file_path: 'a', edits: [{ old_string: 'x' }] }, /edits/],
    ['Read', ['a'], /no object/],
    ['mcp__a__b', 'text', /no object/],
    ['toString', {}, /no tool/],
  ])('%s does not take %j', (tool, input, why) => {
    expect(faultOfToolInput(tool, input)).toMatch(why);
  });

  test('an unknown name of a tool is reported with a similar one', () => {
    expect(faultOfToolName('bash')).toMatch(/Bash/);
    expect(faultOfToolName('mcp__a')).toMatch(/no tool/);
  });
});
