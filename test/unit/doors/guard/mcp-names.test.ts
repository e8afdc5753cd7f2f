import { describe, expect, test } from 'vitest';
import { claudeCall, guardedProject } from './guarded-project.js';

const settings = (entry: object, file = '.mcp.json'): Record<string, string> => ({
  [file]: JSON.stringify({ mcpServers: { github: entry } }),
});
const SAME = { command: 'node', args: ['/somewhere/servers/logs.mjs'] };
const OTHER = { command: 'npx', args: ['-y', '@acme/github-server@2'] };

/** The answer to a call of `search` under the name `github`. */
async function guardAnswer(files: Record<string, string>, name = 'mcp__github__search') {
  const { project, ask } = guardedProject(files);
  return ask(claudeCall(name, { text: 'a' }, project.root));
}

describe('names of MCP servers (R-002-57)', () => {
  test.each(['.mcp.json', '.cursor/mcp.json', '.gemini/settings.json', '.claude/settings.json'])(
    'a server that %s starts under another name is the registered server',
    async (file) => {
      const { exit, stderr } = await guardAnswer(settings(SAME, file));
      expect(stderr).toContain('mcp__github__search is the MCP tool of the ability logs.search');
      expect(exit).toBe(2);
    },
  );

  test.each(['mcp__github__search', 'mcp_github_search', 'MCP:github:search', 'github__search'])(
    '%s counts as the registered tool while no settings identify the server',
    async (name) => {
      const { exit, stderr } = await guardAnswer({}, name);
      expect(stderr).toContain('counts as that of the ability logs.search');
      expect(stderr).toContain('.mcp.json');
      expect(exit).toBe(2);
    },
  );

  test('a server that the settings identify as another one has its own tools', async () => {
    expect(await guardAnswer(settings(OTHER))).toMatchObject({ exit: 0, stdout: '{}\n' });
    expect((await guardAnswer(settings({ type: 'http', url: 'https://mcp.github.test/' }))).exit).toBe(0);
  });

  test.each([
    ['a shell', { command: 'sh', args: ['-c', 'node other.mjs'] }],
    ['a variable', { command: 'node', args: ['${SERVER}'] }],
    ['nothing but a runner', { command: 'npx', args: ['-y'] }],
    ['no entry that can be read', 'node'],
  ])('%s does not identify the server', async (_, entry) => {
    expect((await guardAnswer({ '.mcp.json': JSON.stringify({ mcpServers: { github: entry } }) })).exit).toBe(2);
  });

  test('an unreadable file does not identify the server, and a file that names the registered one wins', async () => {
    expect((await guardAnswer({ ...settings(OTHER), '.cursor/mcp.json': '{ broken' })).exit).toBe(2);
    expect((await guardAnswer({ ...settings(OTHER), ...settings(SAME, '.cursor/mcp.json') })).exit).toBe(2);
  });

  test('another tool of an unknown server passes', async () => {
    for (const name of ['mcp__github__list', 'mcp__github__research', 'research', 'search'])
      expect((await guardAnswer({}, name)).exit).toBe(0);
  });
});
