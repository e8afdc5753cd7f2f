import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cancelTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { markOf } from '../../src/server/processes/processes.js';
import { projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { config, logFile, mcpAbility } from '../fixtures/servers/definitions.js';
import { MCP_PROGRAMS, type McpHttpServer, startMcpHttp } from '../fixtures/servers/mcp-http-server.js';
import { closedPort } from '../fixtures/servers/recording-service.js';

const SECRET = 'secret-of-the-mcp-server';
const NODE = process.execPath;

let project: RunningProject;
let http: McpHttpServer;
let counter = 0;

const inProject = (name: string) => join(project.root, name);
const lines = (name: string) =>
  existsSync(inProject(name)) ? readFileSync(inProject(name), 'utf8').trim().split('\n') : [];
/** A server over stdio that logs its starts in its own file. */
const noting = (name: string) => ({ command: NODE, args: [MCP_PROGRAMS.stdio, inProject(name)] });
const inline = (code: string) => ({ command: NODE, args: ['-e', code] });
const hidden = (answer: JsonObject) => ({
  command: NODE,
  args: [MCP_PROGRAMS.raw, '[{"name": "do", "inputSchema": {"type": "object"}}]', JSON.stringify(answer)],
  env_profile: 'with_secret',
});

beforeAll(async () => {
  vi.stubEnv('WORKER_ONLY', 'of the worker');
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    '.env.dev': `MCP_SECRET=${SECRET}\n`,
  });
  http = await startMcpHttp(inProject('sessions.txt'), { AUTHORIZATION: `Bearer ${SECRET}` });
  project.write(
    config('servers', {
      env_profiles: {
        bare: { pass: [] },
        with_secret: { pass: ['PATH'], set: { FIXED: 'set' }, secrets: { TOKEN: 'env:MCP_SECRET' } },
        with_lost: { pass: [], secrets: { TOKEN: 'env:SET_NOWHERE' } },
      },
      mcp_servers: {
        pooled: noting('pooled.txt'),
        killed: noting('killed.txt'),
        dying: noting('dying.txt'),
        waits: noting('waits.txt'),
        starting: inline('require("node:fs").writeFileSync("starting.txt", "1"); setInterval(() => {}, 1000);'),
        bare: { ...noting('bare.txt'), env_profile: 'bare' },
        secret: { ...noting('secret.txt'), env_profile: 'with_secret' },
        lost: { ...noting('lost.txt'), env_profile: 'with_lost' },
        crashes: inline('console.error("no database here"); process.exit(3);'),
        crashes_with_secret: {
          ...inline('console.error(process.env.TOKEN); process.exit(3);'),
          env_profile: 'with_secret',
        },
        not_there: { command: 'no-such-program' },
        talkative: inline('console.log("welcome!"); setInterval(() => {}, 1000);'),
        silent: inline('setInterval(() => {}, 1000);'),
        nulls: hidden({
          result: {
            content: [{ type: 'text', text: '{"ok": null}' }],
            isError: null,
            structuredContent: null,
            _meta: null,
          },
          error: null,
        }),
        returns_secret: hidden({ result: { content: [{ type: 'text', text: 'not JSON: $TOKEN' }] } }),
        refuses_with_secret: hidden({ error: { code: -32602, message: 'no entry with $TOKEN' } }),
        remote: {
          url: http.url,
          headers: { Authorization: 'Bearer {credential:token}' },
          credentials: { token: 'env:MCP_SECRET' },
        },
        no_entry: { url: http.url, headers: { Authorization: 'Bearer wrong' } },
        moved: { url: http.url.replace('/mcp', '/moved'), headers: { Authorization: `Bearer x` } },
        gone: { url: `http://127.0.0.1:${await closedPort()}/mcp` },
        no_entry_with_secret: {
          url: http.url,
          headers: { Authorization: 'Basic {credential:token}' },
          credentials: { token: 'env:MCP_SECRET' },
        },
      },
    }),
  );
});
afterAll(async () => {
  await project.stop();
  await http.kill();
  vi.unstubAllEnvs();
});

function define(server: string, tool: string, mcp: JsonObject = {}, effects = 'write_additive'): string {
  counter += 1;
  const key = `con.case_${counter}`;
  project.write(mcpAbility(key, { server, tool, ...mcp }, { more: { effects } }));
  return key;
}
const call = (server: string, tool: string, mcp: JsonObject = {}, effects?: string) =>
  project.run(define(server, tool, mcp, effects));
const failed = (code: string) => ({ status: 'failed', error: { code }, steps: [{ status: 'failed', attempts: 1 }] });
const JSON_OUTPUT = { output: 'json' };

test('an answer whose absent members are null is read, also of a call that must not be repeated', async () => {
  expect(await call('nulls', 'do', JSON_OUTPUT, 'write_additive')).toMatchObject({
    ...{ status: 'succeeded', output: { ok: null } },
  });
});

describe('a connection', () => {
  test('is shared by all calls, sequential or concurrent', async () => {
    const key = define('pooled', 'where', JSON_OUTPUT);
    const results = [
      await project.run(key),
      ...(await Promise.all(Array.from({ length: 10 }, () => project.run(key)))),
    ];
    expect(new Set(results.map(({ output }) => (output as JsonObject).pid)).size).toBe(1);
    expect(results[0]?.output).toMatchObject({ cwd: project.root });
    expect(lines('pooled.txt')).toHaveLength(1);
  });

  test('is reopened after its server was killed between two calls', async () => {
    const key = define('killed', 'where', JSON_OUTPUT, 'read');
    await project.run(key);
    const pid = Number(lines('killed.txt')[0]);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => markOf(pid)).toBeUndefined();
    expect(await project.run(key)).toMatchObject({ status: 'succeeded' });
    expect(lines('killed.txt')).toHaveLength(2);
  });

  test('that breaks during a call leaves the outcome unknown, or is reopened for the next attempt', async () => {
    expect(await call('dying', 'die')).toMatchObject({
      status: 'unknown',
      error: { details: { seen: { code: 'unavailable.connection' } } },
    });
    const again = await call('dying', 'die', {}, 'read');
    expect(again).toMatchObject({
      status: 'failed',
      error: { code: 'unavailable.connection' },
      steps: [{ attempts: 3 }],
    });
    expect(lines('dying.txt')).toHaveLength(4);
  });

  test('over HTTP is shared, too, with its credentials, and survives a restart of the server', async () => {
    const key = define('remote', 'where', JSON_OUTPUT, 'read');
    for (let n = 0; n < 3; n += 1) expect(await project.run(key)).toMatchObject({ status: 'succeeded' });
    expect(lines('sessions.txt')).toHaveLength(1);
    await http.kill();
    http = await startMcpHttp(inProject('sessions.txt'), { AUTHORIZATION: `Bearer ${SECRET}` }, http.port);
    expect(await project.run(key)).toMatchObject({ status: 'succeeded' });
    expect(lines('sessions.txt')).toHaveLength(2);
  });

  test('ends with its worker, and so does the server', async () => {
    await call('pooled', 'where', JSON_OUTPUT);
    const pid = Number(lines('pooled.txt').at(-1));
    await project.restartWorkers();
    await expect.poll(() => markOf(pid), { timeout: 10_000 }).toBeUndefined();
  });

  test('is reopened once the configuration of its server has changed, and the old one is closed', async () => {
    const key = define('changing', 'where', JSON_OUTPUT);
    project.write(config('changing', { mcp_servers: { changing: noting('before.txt') } }));
    await project.run(key);
    project.write(config('changing', { mcp_servers: { changing: noting('after-a-change.txt') } }));
    await project.run(key);
    expect([lines('before.txt').length, lines('after-a-change.txt').length]).toEqual([1, 1]);
    await expect.poll(() => markOf(Number(lines('before.txt')[0])), { timeout: 10_000 }).toBeUndefined();
  });
});

describe('a server that does not start', () => {
  test('because its program is not there is refused at creation, at its command', async () => {
    const refused = project.create(define('not_there', 'say', {}, 'read'));
    await expect(refused).rejects.toMatchObject({
      code: 'config.missing_program',
      message: expect.stringContaining('no-such-program'),
      location: { file: 'registry/config/servers.yaml' },
    });
  });

  test.each([
    ['exits', 'crashes', /no database here/],
    ['denies access', 'no_entry', /no entry for Bearer wrong/],
    ['redirects', 'moved', /redirect/],
  ])('because it %s is mcp.start_failed with the reason, and is not retried', async (_, server, reason) => {
    const result = await call(server, 'say', {}, 'read');
    expect(result).toMatchObject(failed('mcp.start_failed'));
    expect(`${result.error?.message} ${JSON.stringify(result.error?.details)}`).toMatch(reason);
    expect(result.error?.suggestion).toMatch(/mcp_servers/);
  });

  test.each(['silent', 'talkative'])(
    'because it is %s ends within its time-out; nothing was called, so nothing is unknown',
    async (server) => {
      const started = performance.now();
      expect(await call(server, 'say', { timeout_sec: 1 })).toMatchObject({
        status: 'failed',
        steps: [{ attempts: 1 }],
      });
      expect(performance.now() - started).toBeLessThan(5000);
    },
  );

  test('because it refuses the connection, over HTTP, is unavailable.connection, and is retried', async () => {
    const result = await call('gone', 'say', {}, 'read');
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'unavailable.connection' },
      steps: [{ attempts: 3 }],
    });
    expect(await call('gone', 'say')).toMatchObject(failed('unavailable.connection'));
  });

  test('for want of a secret is detected at preflight, and nothing is started', async () => {
    const error = await call('lost', 'say').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'config.missing_credential' });
    expect(lines('lost.txt')).toEqual([]);
  });
});

test.each([
  ['of a slow tool', 'waits', 'never'],
  ['of a server that is still starting', 'starting', 'say'],
])('a cancelled call %s ends within five seconds', async (_, server, tool) => {
  const { id } = await project.create(define(server, tool, { timeout_sec: 25 }, 'read'));
  await expect.poll(() => lines(`${server}.txt`).length, { timeout: 20_000 }).toBe(1);
  const started = performance.now();
  await cancelTask(project.connection, id);
  expect(await project.wait(id)).toMatchObject({ result: { status: 'cancelled' } });
  expect(performance.now() - started).toBeLessThan(5000);
});

describe('the environment of a server over stdio', () => {
  test('is its profile and the id that identifies it: nothing from the worker, not even HOME', async () => {
    const { output } = await call('bare', 'get_env', JSON_OUTPUT);
    const names = Object.keys(output as JsonObject).filter((name) => name !== '__CF_USER_TEXT_ENCODING');
    expect(names).toEqual(['ABILITY_CALL_ID']);
    const other = await call('secret', 'get_env', JSON_OUTPUT);
    const ABILITY_CALL_ID = expect.any(String);
    expect(other.output).toEqual({ PATH: process.env.PATH, FIXED: 'set', TOKEN: SECRET, ABILITY_CALL_ID });
  });
});

describe('a secret of a server', () => {
  test.each([
    ['a tool that fails', 'secret', 'leak', {}],
    ['a server that does not start', 'crashes_with_secret', 'do', {}],
    ['a server that denies access', 'no_entry_with_secret', 'do', {}],
    ['an answer that is not JSON', 'returns_secret', 'do', JSON_OUTPUT],
    ['a call that is refused', 'refuses_with_secret', 'do', {}],
  ])('is masked in the message and the log of %s, for each caller', async (_, server, tool, mcp) => {
    for (let n = 0; n < 2; n += 1) {
      const result = await call(server, tool, mcp);
      expect(result.status).toBe('failed');
      expect(result.error?.message).toContain('***');
      const log = readFileSync(logFile(project.root, result.task_key as string), 'utf8');
      expect(JSON.stringify(result) + log).not.toContain(SECRET);
    }
  });
});
