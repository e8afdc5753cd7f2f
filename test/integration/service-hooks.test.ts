import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { draftHooks } from '../../src/authoring/import/hooks/draft-hooks.js';
import { planHookFiles, planServiceFiles } from '../../src/authoring/import/hooks/plan-hook-files.js';
import { readSettings } from '../../src/authoring/import/hooks/read-settings.js';
import type { Effect } from '../../src/contracts/effects.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { config } from '../fixtures/servers/definitions.js';

const MCP_GUARD = fileURLToPath(new URL('../fixtures/servers/mcp-guard.mjs', import.meta.url));
const RUN = { type: 'object', required: ['command'], properties: { command: { type: 'string' } } };

let project: RunningProject;
let server: Server;
const received: { method: string | undefined; token: unknown; event: Record<string, unknown> }[] = [];

/** Answers as a hook of type `http`, for some commands with a failure or an unusable body. */
function answerTo(command: string): [number, string] {
  const decide = (permissionDecision: string, more: object = {}) =>
    JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more } });
  if (command.includes('evil')) return [200, decide('deny', { permissionDecisionReason: `not ${command}` })];
  if (command.includes('fine')) return [200, decide('allow')];
  if (command.includes('broken')) return [500, decide('allow')];
  if (command.includes('half')) return [200, '{"hookSpecificOutput": {'];
  return [200, ''];
}

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      const event = JSON.parse(body);
      received.push({ method: request.method, token: request.headers.authorization, event });
      const [status, answer] = answerTo(event.tool_input.command);
      response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const http = {
    type: 'http',
    url: `http://127.0.0.1:${port}/hooks/check?team=a`,
    headers: { Authorization: 'Bearer $GUARD_TOKEN' },
    allowedEnvVars: ['GUARD_TOKEN'],
    timeout: 5,
    if: 'Bash(curl *)',
  };
  const input = { command: '${tool_input.command}', tool: '${tool_name}' };
  const mcp = { type: 'mcp_tool', server: 'guard', tool: 'check', input, if: 'Bash(rm *)' };
  const settings = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [http, mcp] }] } };
  const abilities = [{ key: 'ops.run', effects: 'write_idempotent' as Effect, input_schema: RUN }];
  const site = { root: '/nowhere', registry: 'registry', name: 'claude', source: 's.json', overwrite: false };
  const place = {
    root: '/nowhere',
    pluginRoot: undefined,
    format: 'claude-code' as const,
    mcpServers: new Set(['guard']),
  };
  const { drafts, notTaken } = draftHooks(readSettings(JSON.stringify(settings), 's.json'), abilities, place);
  expect(notTaken).toEqual([]);
  const hooks = drafts.map((draft) => ({ draft, definition: { ...draft.definition, abstain: 'deny' } }));
  const files = [...planServiceFiles(site, drafts), ...planHookFiles(site, hooks)];
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }', `policy: { allowed_hosts: ["127.0.0.1:${port}"] }\n`),
    '.env': 'GUARD_TOKEN=a-token-of-the-guard\n',
    ...config('servers', { mcp_servers: { guard: { command: process.execPath, args: [MCP_GUARD] } } }),
    ...operation('ops.run', 'return input;', {
      effects: 'write_idempotent',
      yaml: `input_schema: ${JSON.stringify(RUN)}`,
    }),
    ...Object.fromEntries(files.map(({ path, content }) => [path, content])),
  });
}, 120_000);
afterAll(async () => {
  await project?.stop();
  server?.close();
});

const run = (command: string) => project.run('ops.run', { command });

describe('hooks of type http and mcp_tool, imported as abilities (answer 41)', () => {
  test('an http hook receives the event and denies with the body of its answer', async () => {
    const denied = await run('curl evil');
    expect(denied).toMatchObject({ status: 'denied', error: { code: 'guard.denied' } });
    expect(denied.error?.message).toMatch(/not curl evil/);
    expect(received.at(-1)).toMatchObject({
      method: 'POST',
      token: 'Bearer a-token-of-the-guard',
      event: { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'curl evil' } },
    });
    expect(await run('curl fine')).toMatchObject({ status: 'succeeded' });
  });

  test('an mcp_tool hook receives its input and denies with the text of its result', async () => {
    const denied = await run('rm evil');
    expect(denied).toMatchObject({ status: 'denied', error: { code: 'guard.denied' } });
    expect(denied.error?.message).toMatch(/Bash may not: rm evil/);
    expect(await run('rm fine')).toMatchObject({ status: 'succeeded' });
  });

  test.each([
    ['a status other than 2xx, whatever the body is', 'curl broken'],
    ['half JSON', 'curl half'],
    ['a tool that reports an error', 'rm broken'],
  ])('%s is a failed hook, and the call is refused', async (_, command) => {
    expect(await run(command)).toMatchObject({ status: 'denied', error: { code: 'hook.failed' } });
  });

  test('an empty body is no opinion, and a call excluded by `if` is not sent to the hook', async () => {
    expect((await run('curl x')).error?.message).toMatch(/did not decide/);
    const before = received.length;
    expect(await run('ls')).toMatchObject({ status: 'succeeded' });
    expect(received).toHaveLength(before);
  });
});
