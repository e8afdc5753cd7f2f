import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLEAN, start } from '../fixtures/command-line.js';
import { makeProject, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';
import { config } from '../fixtures/servers/definitions.js';

const MCP_GUARD = fileURLToPath(new URL('../fixtures/servers/mcp-guard.mjs', import.meta.url));

let folder: ProjectFolder;
let server: Server;
const run = async (...args: string[]) => {
  const env = { ...CLEAN, GUARD_TOKEN: 'a-token-of-the-guard' };
  const { exitCode, stdout, stderr } = await start(args, { cwd: folder.root, env });
  return { exitCode, output: String(stdout) + String(stderr) };
};

/** A guard that is a service, as Claude Code calls it: it answers if it objects, and checks who is calling. */
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      const { command } = JSON.parse(body).tool_input;
      if (request.headers.authorization !== 'Bearer a-token-of-the-guard') return response.writeHead(401).end();
      if (command.includes('down')) return response.writeHead(503).end('{}');
      const hookSpecificOutput = {
        hookEventName: 'PreToolUse',
        permissionDecision: command.includes('evil') ? 'deny' : 'allow',
        permissionDecisionReason: 'by the service',
      };
      return response.end(JSON.stringify({ hookSpecificOutput }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const http = {
    type: 'http',
    url: `http://127.0.0.1:${port}/check`,
    headers: { Authorization: 'Bearer ${GUARD_TOKEN}' },
    allowedEnvVars: ['GUARD_TOKEN'],
    if: 'Bash(echo *)',
  };
  const input = { command: '${tool_input.command}', tool: '${tool_name}' };
  const mcp = { type: 'mcp_tool', server: 'guard', tool: 'check', input, if: 'Bash(printf *)' };
  const hooks = [http, mcp, { type: 'prompt', prompt: 'Is $ARGUMENTS fine?' }, { type: 'agent', prompt: 'Look.' }];
  folder = makeProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    ...config('servers', { mcp_servers: { guard: { command: process.execPath, args: [MCP_GUARD] } } }),
    '.claude/settings.json': JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] } }),
  });
});
afterAll(async () => {
  await run('down');
  folder.remove();
  server.close();
});

test('answer 41: a service and an MCP tool as guards deny after an import, and a failing one refuses', async () => {
  const imported = await run('import', 'hooks', '.claude/settings.json', '--tools');
  expect(imported).toMatchObject({ exitCode: 0 });
  expect(imported.output).toMatch(/2 of 4 hooks/);
  expect(imported.output).toMatch(/Not imported\n.*hooks\[2\]: .*prompt.*\n.*hooks\[3\]: .*agent/);
  expect(readFileSync(join(folder.root, 'registry/config/claude-hooks.yaml'), 'utf8')).not.toMatch(/a-token/);
  expect((await run('lint', '--check-hooks')).output).toMatch(/No guard has `must_deny`, so none was fired/);

  const command = (text: string) => run('run', 'tools.bash', '--set', `command=${text}`);
  expect((await command('echo evil')).output).toMatch(/guard\.denied[\s\S]*by the service/);
  expect((await command('echo fine')).output).toMatch(/"text": "fine"/);
  expect((await command('echo down')).output).toMatch(/hook\.failed/);
  expect((await command('printf evil')).output).toMatch(/guard\.denied[\s\S]*Bash may not: printf evil/);
  expect((await command('printf fine')).output).toMatch(/"text": "fine"/);
  expect((await command('printf broken')).output).toMatch(/hook\.failed/);
}, 180_000);
