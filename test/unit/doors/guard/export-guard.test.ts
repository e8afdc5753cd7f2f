import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENT_TOOLS } from '../../../../src/doors/guard/agent-tools.js';
import { exportedCommand, planExport, planRules } from '../../../../src/doors/guard/export-guard.js';
import { temporaryProject } from '../../temporary-project.js';

const FILE = {
  claude: '.claude/settings.json',
  codex: '.codex/hooks.json',
  cursor: '.cursor/hooks.json',
  gemini: '.gemini/settings.json',
};

function projectWith(file: string, text: string): string {
  const { root } = temporaryProject();
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  return root;
}

describe('the entry of the guard in the settings of a tool', () => {
  test.each(AGENT_TOOLS)('a new file for %s is JSON, names the tool, and exits with 2 on every failure', (tool) => {
    const { root } = temporaryProject();
    const { file, change, text, command } = planExport(tool, root);
    expect({ file, change }).toEqual({ file: FILE[tool], change: 'created' });
    expect(JSON.stringify(JSON.parse(text))).toContain(JSON.stringify(command).slice(1, -1));
    expect(command).toMatch(new RegExp(`ability guard --for ${tool} .*\\|\\| exit 2$`));
    if (tool === 'claude') expect(text).toContain('"onFailure": "block"');
    if (tool === 'cursor')
      expect(JSON.parse(text)).toMatchObject({ version: 1, hooks: { preToolUse: [{ failClosed: true }] } });
  });

  test.each(AGENT_TOOLS)('a second export for %s changes nothing', (tool) => {
    const { root } = temporaryProject();
    const { file, text, command } = planExport(tool, root);
    const again = projectWith(file, text);
    expect(planExport(tool, again)).toMatchObject({ change: 'kept', text });
    expect(exportedCommand(tool, again)).toBe(command);
    expect(exportedCommand(tool, root)).toBeUndefined();
  });

  test('everything else stays the same byte for byte: comments, order, indentation, line ends', () => {
    const before = [
      '// ours',
      '{',
      '\t"permissions": {"allow": [ "Bash(ls)" ]}, /* kept */',
      '\t"hooks": {',
      '\t\t"PreToolUse": [',
      '\t\t\t{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./own.sh \\u0041" }] } // first',
      '\t\t],',
      '\t\t"Stop": []',
      '\t},',
      '\t"model":   "x"',
      '}',
      '',
    ].join('\r\n');
    const { change, text } = planExport('claude', projectWith(FILE.claude, before));
    expect(change).toBe('added');
    const [begin = '', end = ''] = before.split(' // first');
    expect(text.startsWith(`${begin},\r\n\t\t\t{\r\n\t\t\t\t"matcher": "*"`)).toBe(true);
    expect(text.endsWith(` // first${end}`)).toBe(true);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test.each([
    '{}',
    '{ }',
    '{\n}\n',
    '{"a":1}',
    '{"hooks":{}}',
    '{"hooks":{"PreToolUse":[]}}',
    '\uFEFF{}',
    '{ /* x */ }',
  ])('it is added to %j and can be read back', (before) => {
    const root = projectWith(FILE.claude, before);
    const { text, command } = planExport('claude', root);
    writeFileSync(join(root, FILE.claude), text);
    expect(exportedCommand('claude', root)).toBe(command);
    for (const word of before.match(/"\w+"|\/\*.*\*\//g) ?? []) expect(text).toContain(word);
  });

  test('an entry of an earlier export gets the current command, and keeps the settings next to it', () => {
    const before =
      '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","timeout":9,"command":"npx ability guard --for claude"}]}]}}';
    const { change, text, command } = planExport('claude', projectWith(FILE.claude, before));
    expect(change).toBe('replaced');
    expect(text).toBe(before.replace('npx ability guard --for claude', JSON.stringify(command).slice(1, -1)));
  });

  test.each([
    '',
    '{',
    '{"a":1,}',
    '{"hooks":[]}',
    '{"hooks":{"PreToolUse":{}}}',
    '{"hooks":{},"hooks":{}}',
    '[]',
    "{'a':1}",
    '{} {}',
    '{"a":01}',
    '{"a":tru}',
    '{"a":"\\x"}',
  ])('a file that contains %j is refused and left unchanged', (before) => {
    const root = projectWith(FILE.claude, before);
    expect(() => planExport('claude', root)).toThrow(expect.objectContaining({ code: 'settings.unreadable' }));
    expect(readFileSync(join(root, FILE.claude), 'utf8')).toBe(before);
  });

  test('a file that is nested too deeply to be read is refused', () => {
    const root = projectWith(FILE.claude, `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect(() => planExport('claude', root)).toThrow(expect.objectContaining({ code: 'settings.unreadable' }));
  });

  test('a path that leads out of the project is refused', () => {
    const { root } = temporaryProject();
    symlinkSync(tmpdir(), join(root, '.claude'));
    expect(() => planExport('claude', root)).toThrow(expect.objectContaining({ code: 'settings.unreadable' }));
  });
});

describe("the tool's own rules about protected places", () => {
  test.each(['claude', 'cursor'] as const)('for %s deny the writes and reads that the guard denies', (tool) => {
    const { root } = temporaryProject();
    const rules = planRules(tool, root, planExport(tool, root));
    const { permissions, sandbox } = JSON.parse(rules?.text ?? '') as Record<string, { deny?: string[] }>;
    const [write, at] = tool === 'claude' ? ['Edit', '/'] : ['Write', ''];
    for (const place of ['registry/hooks/**', 'ability.yaml', '.system/**', '.claude/**', '.mcp.json', '.env'])
      expect(permissions?.deny).toContain(`${write}(${at}${place})`);
    for (const place of ['.system/keys/**', '.system/tokens/**', '.system/runtime.sock'])
      expect(permissions?.deny).toContain(`Read(${at}${place})`);
    const filesystem = {
      denyWrite: expect.arrayContaining(['./registry/', './ability.yaml', './.env']) as string[],
      denyRead: ['./.system/keys/', './.system/tokens/', './.system/runtime.sock'],
    };
    const excludedCommands = ['ability *', 'npx ability *'];
    expect(sandbox).toEqual(tool === 'claude' ? { filesystem, excludedCommands } : undefined);
  });

  test('keep what a person has there, and a second export changes nothing', () => {
    const before = '{\n  "permissions": { "deny": ["Edit(/.env)", "WebFetch"] } // ours\n}\n';
    const root = projectWith(FILE.claude, before);
    const { text = '', change } = planRules('claude', root, planExport('claude', root)) ?? {};
    expect(change).toBe('added');
    expect(text).toContain('["Edit(/.env)", "WebFetch",');
    expect(text).toContain('// ours');
    expect(text.match(/Edit\(\/\.env\)/g)).toHaveLength(1);
    const again = projectWith(FILE.claude, text);
    expect(planRules('claude', again, planExport('claude', again))).toMatchObject({ change: 'kept', text });
  });

  test.each(['codex', 'gemini'] as const)('there are none for %s in a project', (tool) => {
    const { root } = temporaryProject();
    expect(planRules(tool, root, planExport(tool, root))).toBeUndefined();
  });

  test('a list that is none is refused', () => {
    const root = projectWith(FILE.claude, '{"permissions":{"deny":{}}}');
    const plan = (): unknown => planRules('claude', root, planExport('claude', root));
    expect(plan).toThrow(expect.objectContaining({ code: 'settings.unreadable' }));
  });
});
