import { describe, expect, test } from 'vitest';
import { draftHooks, translateFilter } from '../../../../src/authoring/import/hooks/draft-hooks.js';
import { draftHttp, draftMcpTool } from '../../../../src/authoring/import/hooks/draft-service.js';
import { mapAbilities } from '../../../../src/authoring/import/hooks/map-abilities.js';
import { readSettings } from '../../../../src/authoring/import/hooks/read-settings.js';
import { splitCommand } from '../../../../src/authoring/import/hooks/split-command.js';
import { isShown } from '../../../../src/definitions/tool-mapping/map-tool.js';

const PLACES = { CLAUDE_PROJECT_DIR: '.', CLAUDE_PLUGIN_ROOT: 'plugin' };

describe('answer 41: a command is split with its quotes, without a shell', () => {
  test.each([
    ['python3 a.py --x 1', ['python3', 'a.py', '--x', '1'], {}],
    [`"$CLAUDE_PROJECT_DIR"/.claude/a.sh 'two words'`, ['./.claude/a.sh', 'two words'], {}],
    ['node "$' + '{CLAUDE_PLUGIN_ROOT}/a b.js"', ['node', 'plugin/a b.js'], {}],
    [`A=1 B='x y' sh a.sh`, ['sh', 'a.sh'], { A: '1', B: 'x y' }],
    ['sh a.sh "say \\"hi\\""', ['sh', 'a.sh', 'say "hi"'], {}],
    [`sh a.sh ''`, ['sh', 'a.sh', ''], {}],
  ])('%s', (command, words, env) => {
    expect(splitCommand(command, PLACES)).toEqual({ words, env });
  });

  test.each([
    ['jq . | sh a.sh', /several commands/],
    ['sh a.sh && true', /several commands/],
    ['sh a.sh > log', /redirects/],
    ['sh $(pwd)/a.sh', /inside/],
    ['sh "$(pwd)/a.sh"', /inside/],
    ['sh $HOME/a.sh', /\$HOME/],
    ['sh "$HOME/a.sh"', /\$HOME/],
    ['~/a.sh', /home/],
    ['sh *.sh', /pattern/],
    ['sh "a.sh', /quote/],
  ])('%s is not taken over', (command, why) => {
    expect(splitCommand(command, PLACES)).toMatchObject({ why: expect.stringMatching(why) });
  });
});

describe('answer 41: `if` becomes a condition on what the hook is shown', () => {
  const asks = (filter: string, tool_name: string, tool_input: Record<string, string>) => {
    const translated = translateFilter(filter);
    if ('why' in translated) throw new Error(translated.why);
    return translated.tool === tool_name && isShown({ if: translated.condition }, { tool_name, tool_input });
  };

  test.each([
    ['Bash(rm *)', 'rm -rf /', true],
    ['Bash(rm *)', 'cd x && rm -rf /', true],
    ['Bash(rm:*)', 'echo a\nrm b', true],
    ['Bash(rm *)', 'farm x', false],
    ['Bash(git push)', 'git push --force', true],
    ['Bash', 'anything', true],
    ['Bash(*)', 'anything', true],
  ])('%s, %j: %s', (filter, command, isAsked) => {
    expect(asks(filter, 'Bash', { command })).toBe(isAsked);
  });

  test('a file pattern applies to the path, and its dots are literal', () => {
    expect(asks('Edit(*.ts)', 'Edit', { file_path: 'src/a.ts' })).toBe(true);
    expect(asks('Edit(*.ts)', 'Edit', { file_path: 'src/ats' })).toBe(false);
  });

  test('a filter that cannot be read is not taken over', () => {
    expect(translateFilter('Bash(rm')).toMatchObject({ why: expect.any(String) });
    expect(translateFilter('Grep(x)')).toMatchObject({ why: expect.stringMatching(/Grep/) });
  });
});

describe('answer 41: hooks of type http and mcp_tool become abilities', () => {
  const http = { type: 'http' as const, url: 'https://a.test/x', headers: {}, allowedEnvVars: [] };
  test.each([
    [{ url: 'a.test' }, /cannot be read/],
    [{ url: 'file:///etc/passwd' }, /neither http nor https/],
    [{ url: 'https://me:secret@a.test' }, /password/],
    [{ url: 'https://a.test/{x}' }, /braces/],
    [{ url: 'https://a.test/%7bx}' }, /braces/],
    [{ url: 'https://a.test/?a=1&a=2' }, /twice/],
    [{ headers: { A: 'Bearer $TOKEN' } }, /\$TOKEN.*allowedEnvVars/],
    [{ headers: { A: '{credential:x}' } }, /braces/],
  ])('%j is not taken over', (more, why) => {
    expect(draftHttp('x', { ...http, ...more })).toEqual({ why: expect.stringMatching(why) });
  });

  const tool = { type: 'mcp_tool' as const, server: 's', tool: 't', input: {} };
  test.each([
    [{ server: 'other' }, /no MCP server other/],
    [{ input: { a: '${nothing.x}' } }, /no event/],
    [{ input: { a: '${{ 1 }}' } }, /\$\{\{/],
  ])('%j is not taken over', (more, why) => {
    expect(draftMcpTool({ ...tool, ...more }, new Set(['s']))).toEqual({ why: expect.stringMatching(why) });
  });
});

describe('answer 41: what is taken over from settings', () => {
  const of = (hook: object, event = 'PreToolUse', more: object = {}) =>
    readSettings(JSON.stringify({ hooks: { [event]: [{ matcher: 'Bash', hooks: [hook] }] }, ...more }), 's.json');
  const command = { type: 'command', command: 'sh a.sh' };

  test.each([
    'PreToolUse',
    'PermissionRequest',
    'PostToolUse',
    'PostToolUseFailure',
    'UserPromptSubmit',
    'Stop',
    'SessionEnd',
  ])('%s is', (event) => {
    expect(of(command, event)).toMatchObject({ hooks: [{ event, matcher: 'Bash', asks: command }], notTaken: [] });
  });

  test.each([
    [{ type: 'prompt', prompt: 'x' }, /prompt/],
    [{ type: 'agent', prompt: 'x' }, /agent/],
    [{ type: 'http' }, /no `url`/],
    [{ type: 'http', url: 'http://x', headers: { a: 1 } }, /`headers`/],
    [{ type: 'mcp_tool', server: 'x' }, /no `tool`/],
    [{ ...command, async: true }, /asynchronous/],
    [{ ...command, asyncRewake: true }, /asynchronous/],
    [{ type: 'command' }, /no `command`/],
    [{ type: 'other' }, /other/],
  ])('%j is not', (hook, why) => {
    expect(of(hook)).toMatchObject({
      hooks: [],
      notTaken: [{ at: 'PreToolUse[0].hooks[0]', why: expect.stringMatching(why) }],
    });
  });

  test('other events, permissions and plugins are reported by name', () => {
    expect(of(command, 'Notification').notTaken).toMatchObject([{ why: expect.stringMatching(/Notification/) }]);
    const more = { permissions: { deny: ['Bash(rm)'], ask: ['x'] }, enabledPlugins: { x: true } };
    expect(of(command, 'Stop', more).notTaken.map(({ at }) => at)).toEqual([
      'permissions.deny',
      'permissions.ask',
      'enabledPlugins',
    ]);
  });

  test.each(['', '[]', '{"hooks": []}'])('%j contains no settings', (text) => {
    expect(() => readSettings(text, 's.json')).toThrow(/contains no settings/);
  });
});

test('an ability is mapped to a tool whose inputs it requires, or which it calls by MCP', () => {
  const TEXT = { type: 'string' };
  const ability = (key: string, required: string[], more: object = {}) => ({
    key,
    effects: 'destructive' as const,
    input_schema: { type: 'object', required, properties: Object.fromEntries(required.map((name) => [name, TEXT])) },
    ...more,
  });
  const mapped = mapAbilities(
    [
      ability('a.run', ['command']),
      ability('b.run', ['command', 'host']),
      ability('c.write', ['path', 'content']),
      ability('d.other', ['file_path']),
      ability('e.tool', [], { mcp: { server: 's', tool: 't' } }),
      { ...ability('f.optional', []), input_schema: { type: 'object', properties: { command: TEXT } } },
    ],
    (tool) => /^(Bash|Write|Read|mcp__.*)$/.test(tool),
  );
  expect(mapped.map(({ entry }) => entry)).toEqual([
    { match: { abilities: ['a.run', 'b.run'] }, tool_name: 'Bash', tool_input: { command: '${{ input.command }}' } },
    {
      match: { abilities: ['c.write'] },
      tool_name: 'Write',
      tool_input: { file_path: '${{ input.path }}', content: '${{ input.content }}' },
    },
    { match: { abilities: ['e.tool'] }, tool_name: 'mcp__s__t', tool_input: '${{ input }}' },
  ]);
});

describe('answer 41: a matcher applies as the tool itself applies it', () => {
  const tools = ['plain', 'meta'].map((tool) => ({
    key: `memory.${tool}`,
    effects: 'read' as const,
    input_schema: {},
    mcp: { server: 'memory', tool },
  }));
  const place = { root: '/nowhere', pluginRoot: undefined, format: 'claude-code' as const, mcpServers: new Set(['m']) };
  const matched = (matcher: string) => {
    const hook = { type: 'mcp_tool', server: 'm', tool: 'ask' };
    const settings = readSettings(JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [hook] }] } }), 's.json');
    const { drafts, notTaken } = draftHooks(settings, tools, place);
    return drafts[0]?.mapped.map(({ tool }) => tool.replace('mcp__memory__', '')) ?? notTaken[0]?.why;
  };

  test.each([
    ['^mcp__', ['plain', 'meta']],
    ['mcp__memory__*', ['plain', 'meta']],
    ['__(plain|meta)', ['plain', 'meta']],
    ['meta$', ['meta']],
    ['mcp__memory__plain|Bash', ['plain']],
  ])('%s', (matcher, names) => {
    expect(matched(matcher)).toEqual(names);
  });

  test.each([
    ['memory', /no ability/],
    ['mcp__memory__pla', /no ability/],
    ['(', /no regular expression/],
  ])('%s matches nothing', (matcher, why) => {
    expect(matched(matcher)).toMatch(why);
  });
});
