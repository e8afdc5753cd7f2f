import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as EarlyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as EarlyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/contracts/json.js';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { CLEAN, CLI } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { killProcesses } from '../fixtures/kill-process.js';
import { callTool, connectOverHttp, type Told } from '../fixtures/mcp-agent.js';
import { makeProject, operation, type ProjectFolder, workflow } from '../fixtures/project-folder.js';
import { serveDoor } from '../fixtures/served-door.js';

let project: ProjectFolder;

const release = (title: string) =>
  workflow(
    'release_build',
    [
      'steps:',
      `  - { id: ask, approval: { title: "${title}" } }`,
      '  - { id: add, call: math.add, with: { a: "${{ input.build }}", b: 1 } }',
      'output: ${{ steps.add.output }}',
    ].join('\n'),
  );

beforeAll(() => {
  project = makeProject({
    ...operation('math.add', 'return { sum: input.a + input.b };', {
      yaml: 'output_schema: { type: object, required: [sum], properties: { sum: { type: integer } } }',
    }),
    ...release('Release build ${{ input.build }}'),
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const environment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...process.env, ...CLEAN, ABILITY_SESSION: undefined }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
const server = (...args: string[]) => ({
  command: process.execPath,
  args: [CLI, 'mcp', ...args],
  cwd: project.root,
  env: environment(),
  stderr: 'pipe' as const,
});

/** The built door with the newest official client. */
async function openDoor(...args: string[]) {
  const transport = new StdioClientTransport(server(...args));
  const client = new Client({ name: 'probe', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  const call = (tool: string, given: JsonObject = {}): Promise<Told> => callTool(client, tool, given);
  return { client, call, pid: transport.pid as number, close: () => client.close() };
}

describe('ability mcp', () => {
  test('serves the official clients of both protocols, each with a session of its own', LONG, async () => {
    const door = await openDoor('--access', 'run');
    const early = new EarlyClient({ name: 'early', version: '1' });
    await early.connect(new EarlyTransport(server('--access', 'run')));
    const { tools } = await door.client.listTools();
    expect((await early.listTools()).tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(door.client.getServerVersion()).toMatchObject({ name: 'ability-runtime' });
    const mine = await door.call('ability_run', { id: 'math.add', input: { a: 1, b: 2 } });
    expect(mine).toMatchObject({ isError: false, told: { status: 'succeeded', output: { sum: 3 } } });
    const other = await early.callTool({ name: 'ability_run', arguments: { id: 'math.add', input: { a: 2, b: 2 } } });
    expect(other).toMatchObject({ structuredContent: { status: 'succeeded', output: { sum: 4 } } });
    const sessions = [mine.meta, other._meta as JsonObject].map((meta) => meta['ability-runtime/session_id']);
    expect(new Set(sessions).size).toBe(2);
    await door.close();
    await early.close();
    const list = await abilityJson(['task', 'list'], { cwd: project.root });
    const agents = list.json.map((task: { agent?: string }) => task.agent).sort();
    expect(agents).toEqual(['early', 'probe']);
    // A session that the door opened ends with the door.
    for (const session of sessions) {
      const seen = await abilityJson(['session', 'show', String(session)], { cwd: project.root });
      expect(seen.json.status).not.toBe('open');
    }
  });

  test(
    'an agent finds, plans, runs, waits for a person, and reads the result after kill -9 of door and runtime (R-000-82)',
    LONG,
    async () => {
      let door = await openDoor('--access', 'run');
      const found = await door.call('ability_search', { query: 'release' });
      expect(found.told.abilities).toMatchObject([{ id: 'release_build' }]);
      const planned = await door.call('ability_plan', { id: 'release_build', input: { build: 7 } });
      expect(planned.told).toMatchObject({ status: 'available', approvals: [{ title: 'Release build 7' }] });
      const { reference: plan } = planned.told;
      const reply = await door.call('ability_run', { id: 'release_build', input: { build: 7 }, plan, key: 'b7' });
      expect(reply.told).toMatchObject({ status: 'waiting_approval', waiting_for: [{ title: 'Release build 7' }] });
      const runtime = JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8')) as RuntimeFile;
      await killProcesses(door.pid, runtime.pid);
      door = await openDoor('--access', 'run');
      const { task } = reply.told;
      expect((await door.call('task_status', { task })).told).toMatchObject({ status: 'waiting_approval', task });
      // The same key and input mean the same task, even for another process of the same agent.
      const again = await door.call('ability_run', { id: 'release_build', input: { build: 7 }, plan, key: 'b7' });
      expect(again.told.task).toBe(task);
      const [command] = again.told.waiting_for[0].commands as string[];
      expect(command).not.toContain('--as');
      const words = `${command} --as alice`.split(' ').slice(1);
      expect(await ability(words, { cwd: project.root })).toMatchObject({ exitCode: 0 });
      expect((await door.call('task_result', { task, wait: 50 })).told).toMatchObject({
        status: 'succeeded',
        output: { sum: 8 },
      });
      await door.close();
    },
  );

  test(
    'an agent does the same at POST /mcp of `ability serve`, and nothing that it may not do (R-000-82)',
    LONG,
    async () => {
      const token = async (person: string): Promise<string> => {
        const args = [
          'token',
          'create',
          '--agent',
          'probe',
          '--person',
          person,
          '--can',
          'read,run',
          '--expires',
          '1h',
        ];
        return (await abilityJson(args, { cwd: project.root })).json.token;
      };
      const [mine, theirs] = [await token('alice'), await token('bob')];
      let door = await serveDoor(project.root);
      let agent = await connectOverHttp(door.url, { token: mine });
      const found = await agent.call('ability_search', { query: 'release' });
      expect(found.told.abilities).toMatchObject([{ id: 'release_build' }]);
      const run = { id: 'release_build', input: { build: 9 } };
      const old = (await agent.call('ability_plan', run)).told;
      expect(old).toMatchObject({ status: 'available', approvals: [{ title: 'Release build 9' }] });
      // The definition has changed since the agent read its plan.
      project.write(release('Release the build ${{ input.build }}'));
      const refused = await agent.call('ability_run', { ...run, plan: old.reference });
      expect(refused).toMatchObject({ isError: true, told: { status: 'refused', code: 'plan.changed' } });
      const { reference: plan } = (await agent.call('ability_plan', run)).told;
      const reply = await agent.call('ability_run', { ...run, plan, key: 'b9' });
      expect(reply.told).toMatchObject({ status: 'waiting_approval', waiting_for: [{ title: 'Release the build 9' }] });
      const { task, waiting_for: waits } = reply.told;
      const key = Buffer.from(task.split('.')[1], 'base64url').toString();
      const decision = await fetch(`${door.url}/v1/tasks/${key}/approvals/${waits[0].approval}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${mine}` },
        body: JSON.stringify({ decision: 'approve' }),
      });
      expect(decision.status).toBe(403);
      const other = await connectOverHttp(door.url, { token: theirs });
      expect((await other.call('task_status', { task })).told).toMatchObject({ code: 'task.not_found' });
      const broken = agent.call('task_result', { task, wait: 50 }).then(
        () => 'answered',
        () => 'broken off',
      );
      const runtime = JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8')) as RuntimeFile;
      await killProcesses(door.pid, runtime.pid);
      expect(await broken).toBe('broken off');
      door = await serveDoor(project.root);
      agent = await connectOverHttp(door.url, { token: mine });
      expect((await agent.call('task_status', { task })).told).toMatchObject({ status: 'waiting_approval', task });
      expect((await agent.call('ability_run', { ...run, plan, key: 'b9' })).told.task).toBe(task);
      const [command] = waits[0].commands as string[];
      const words = `${command} --as carol`.split(' ').slice(1);
      expect(await ability(words, { cwd: project.root })).toMatchObject({ exitCode: 0 });
      const end = await agent.call('task_result', { task, wait: 50 });
      expect(end.told).toMatchObject({ status: 'succeeded', output: { sum: 10 } });
      // A runtime that was stopped on purpose is started again for a call, at the latest for the second.
      await ability(['down'], { cwd: project.root });
      const sums = { id: 'math.add', input: { a: 1, b: 1 } };
      const first = await agent.call('ability_run', sums);
      if (first.isError) expect(first.told.code).toBe('runtime.stopped');
      const second = await agent.call('ability_run', sums);
      expect(second.told).toMatchObject({ status: 'succeeded', output: { sum: 2 } });
      expect(await door.stop()).toMatchObject({ exitCode: 0 });
      const session = String(second.meta['ability-runtime/session_id']);
      expect((await abilityJson(['session', 'show', session], { cwd: project.root })).json.status).not.toBe('open');
    },
  );

  test(
    'leads a person to the page that is open, which lets nobody in by its address, and answers one who may decide',
    LONG,
    async () => {
      const transport = new StdioClientTransport(server('--access', 'run'));
      const capabilities = { elicitation: { url: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };
      const versionNegotiation = { mode: { pin: '2026-07-28' } } as const;
      const client = new Client({ name: 'probe', version: '1' }, { versionNegotiation, capabilities });
      await client.connect(transport);
      const called = (await callTool(client, 'ability_run', { id: 'release_build', input: { build: 11 } })).told;
      const key = Buffer.from(called.task.split('.')[1], 'base64url').toString();
      expect(called.waiting_for[0]).not.toHaveProperty('page');
      expect(called.waiting_for[0].commands).toContain(`ability open ${key}`);
      const task = z.looseObject({ status: z.string() });
      const get = () => client.request({ method: 'tasks/get', params: { taskId: called.task } }, task);
      expect(await get()).toMatchObject({ status: 'completed' });
      const opened = await abilityJson(['open', key], { cwd: project.root, env: { ABILITY_USER: 'alice' } });
      const { inputRequests } = (await get()) as { inputRequests?: Record<string, { params: { url: string } }> };
      const [{ params }] = Object.values(inputRequests ?? {}) as [{ params: { url: string } }];
      const { origin } = new URL(opened.json.url);
      expect(params.url).toBe(`${origin}/tasks/${key}`);
      const decide = (cookie: string) =>
        fetch(`${origin}/v1/tasks/${key}/approvals/${called.waiting_for[0].approval}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', cookie },
          body: JSON.stringify({ decision: 'approve' }),
        });
      const view = await fetch(params.url);
      expect([view.status, view.headers.get('set-cookie')]).toEqual([200, null]);
      expect((await decide('')).status).toBe(401);
      const { headers } = await fetch(opened.json.url, { redirect: 'manual' });
      expect((await decide(String(headers.get('set-cookie')).split(';')[0] ?? '')).status).toBe(200);
      expect((await callTool(client, 'task_result', { task: called.task, wait: 50 })).told.status).toBe('succeeded');
      await client.close();
    },
  );

  test('answers server/discover before the project is loaded, with what the SDK would answer', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const discover = (id: number): string =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method: 'server/discover', params: { _meta } })}\n`;
    const answersIn = async (cwd: string, ...args: string[]) => {
      const { command, args: all, env } = server(...args);
      const child = spawn(command, all, { cwd, env });
      const left = once(child, 'exit');
      child.stdin.on('error', () => {});
      child.stdin.write(discover(1) + discover(2));
      const results: JsonObject[] = [];
      for await (const line of createInterface({ input: child.stdout })) {
        results.push((JSON.parse(line) as { result: JsonObject }).result);
        if (results.length === 2) child.stdin.end();
      }
      return { results, exit: (await left)[0] };
    };
    for (const args of [[], ['--access', 'run', '--expose', '*']]) {
      const { results, exit } = await answersIn(project.root, ...args);
      expect([results.length, exit]).toEqual([2, 0]);
      expect(results[0]).toEqual(results[1]);
    }
    // Where there is no project, nothing else can be answered.
    const { results, exit } = await answersIn(tmpdir());
    expect([results.length, exit]).toEqual([1, 2]);
  });

  test('by default only finds and plans, and reports which access a call needs', async () => {
    const door = await openDoor();
    const names = (await door.client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual([
      'ability_search',
      'ability_describe',
      'ability_plan',
      'task_status',
      'task_result',
      'approvals_list',
    ]);
    await expect(door.call('ability_run', { id: 'math.add' })).rejects.toThrow('not among those of access read');
    await door.close();
  });

  test.each<[string, (child: ChildProcessWithoutNullStreams) => unknown]>([
    ['SIGTERM', (child) => child.kill('SIGTERM')],
    ['SIGINT', (child) => child.kill('SIGINT')],
    ['a message that is too large', (child) => child.stdin.write(Buffer.alloc(33 * 1024 * 1024, 'x'))],
  ])('exits after %s while its stdin is open', async (_, end) => {
    const { command, args, cwd, env } = server();
    const child = spawn(command, args, { cwd, env });
    child.stdin.on('error', () => {});
    const left = once(child, 'exit');
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await once(child.stdout, 'data');
    end(child);
    expect(await left).toEqual([0, null]);
  });

  test('writes only the protocol to stdout, and exits when its stdin ends', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', method: 'odd' },
    ];
    const { command, args, cwd, env } = server('--access', 'run', '--expose', '*');
    const child = spawn(command, args, { cwd, env });
    const left = once(child, 'exit');
    for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
    child.stdin.write('not JSON\n{"jsonrpc":"2.0","id":2,"method":"tools/list","params":null}\n');
    const call = { name: 'ability_search', arguments: { query: 'add', limit: null }, _meta: null };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: call })}\n`);
    const lines: JsonObject[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(JSON.parse(line));
      if ([2, 3].every((wanted) => lines.some(({ id }) => id === wanted))) child.stdin.end();
    }
    expect(lines.map(({ jsonrpc, id }) => [jsonrpc, id]).sort()).toEqual([
      ['2.0', 1],
      ['2.0', 2],
      ['2.0', 3],
    ]);
    // Null is absent in what a client writes.
    expect(JSON.stringify(lines)).toContain('math.add');
    for (const { error, result } of lines)
      expect([error, (result as JsonObject).isError ?? false]).toEqual([undefined, false]);
    expect(await left).toEqual([0, null]);
  });
});
