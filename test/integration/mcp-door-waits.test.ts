import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide, pauseTask, readApprovals, resumeTask, signalTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import type { Page } from '../../src/doors/mcp/mcp-door.js';
import { LONG } from '../fixtures/extent.js';
import type { Agent, RawClient } from '../fixtures/mcp-agent.js';
import { doorProject, runAs } from '../fixtures/mcp-door-project.js';
import { workflow } from '../fixtures/project-folder.js';

const { running: project, agent, raw } = doorProject();

const PAGE = 'http://127.0.0.1:7';
const OPEN = { findPage: async (): Promise<Page> => ({ address: PAGE }) };
const CLOSED = { findPage: async (): Promise<Page> => ({ command: 'ability open' }) };
const URLS = { elicitation: { form: {}, url: {} } };
const SLOW = '{ id: slow, call: slow.op, with: { file: "${{ input.file }}" } }';

beforeAll(() => {
  project().write({
    ...workflow('slow_ask', `steps: [${SLOW}, { id: ask, approval: { title: Go ahead?, approvers: [ada, bob] } }]`),
    ...workflow(
      'two_asks',
      'steps: [{ id: p, parallel: { a: { approval: { title: A? } }, b: { approval: { title: B? } } } }]\noutput: done',
    ),
    ...workflow('signalled', `steps: [${SLOW}, { id: one, wait: { signal: go, if: signal.ok, timeout: 24h } }]`),
    ...workflow('alone', `concurrency: { key: one-key }\nsteps: [${SLOW}]`),
  });
});

let count = 0;
const newFile = (): string => {
  count += 1;
  return join(project().root, `go-on-${count}`);
};
const keyOf = (handle: unknown): string => Buffer.from(String(handle).split('.')[1] ?? '', 'base64url').toString();
const openIn = async (key: string) =>
  (await readApprovals(project().connection, key)).filter(({ status }) => status === 'open');

async function decideAs(by: string, key: string, verdict: 'approve' | 'deny' = 'approve'): Promise<void> {
  for (const { id } of await openIn(key)) await decide(project().connection, key, verdict, { approval_id: id, by });
}

/** Starts an ability as an MCP task. @returns its id. */
async function started(client: RawClient, id: string, input: JsonObject, declared: JsonObject): Promise<string> {
  const params = { name: 'ability_run', arguments: { id, input } };
  const { result } = await client.ask('tools/call', params, declared);
  expect(result).toMatchObject({ resultType: 'task', status: 'working' });
  return String(result?.taskId);
}

/** A task that began to wait for people after its call was answered. */
async function comesToWait(client: RawClient, declared: JsonObject): Promise<string> {
  const file = newFile();
  const taskId = await started(client, 'slow_ask', { file }, declared);
  writeFileSync(file, '');
  await expect.poll(() => openIn(keyOf(taskId)), { timeout: 20_000 }).toHaveLength(1);
  return taskId;
}

test.each<[string, JsonObject]>([
  ['nothing else', {}],
  ['addresses', URLS],
])('a call that already waits for people is told to an agent that declares %s, as without tasks', async (_, more) => {
  const client = await raw({}, OPEN);
  const params = { name: 'ability_run', arguments: { id: 'ask_people' } };
  const { result } = await client.ask('tools/call', params, more);
  expect(result).toMatchObject({
    resultType: 'complete',
    structuredContent: {
      status: 'waiting_approval',
      task: expect.any(String),
      waiting_for: [{ who: 'ada, bob; not ada', page: expect.stringMatching(`^${PAGE}/tasks/t-`) }],
      next: expect.stringContaining('never you'),
    },
  });
  expect(JSON.stringify(result)).not.toContain('--as');
});

describe('a task that comes to wait for people', () => {
  test.each<[string, JsonObject]>([
    ['nothing', {}],
    ['forms', { elicitation: { form: {} } }],
    ['elicitation of the older form', { elicitation: {} }],
  ])('ends the call of a client that declares %s, whose agent tells the user', async (_, declared) => {
    const client = await raw({}, { ...OPEN, patienceMs: 100 });
    const taskId = await comesToWait(client, declared);
    const { result } = await client.ask('tasks/get', { taskId }, declared);
    expect(result).toMatchObject({
      status: 'completed',
      statusMessage: expect.stringContaining('waits for approval: Go ahead?; ada, bob; not ada may decide until'),
      result: {
        structuredContent: { status: 'waiting_approval', task: taskId, waiting_for: [{ title: 'Go ahead?' }] },
      },
    });
    expect(result).not.toHaveProperty('inputRequests');
    await decideAs('bob', keyOf(taskId));
    await expect
      .poll(async () => (await client.ask('tasks/get', { taskId }, declared)).result?.result, { timeout: 20_000 })
      .toMatchObject({ structuredContent: { status: 'succeeded' } });
  });

  test.each<[string, JsonObject]>([
    ['addresses', URLS],
    ['addresses alone', { elicitation: { url: {} } }],
    [
      'settings',
      { elicitation: { form: { a: 1 }, url: { b: 2 } }, extensions: { 'io.modelcontextprotocol/tasks': { c: 3 } } },
    ],
  ])('leads the user of a client that declares %s to the page, until another door decides', async (_, declared) => {
    const client = await raw({}, { ...OPEN, patienceMs: 100 });
    const taskId = await comesToWait(client, declared);
    const get = async () => (await client.ask('tasks/get', { taskId }, declared)).result;
    const asked = await get();
    const [approval] = await openIn(keyOf(taskId));
    const requests = Object.entries(asked?.inputRequests as Record<string, JsonObject>);
    expect(asked).toMatchObject({ status: 'input_required', statusMessage: expect.stringContaining('Go ahead?') });
    expect(requests).toEqual([
      [
        expect.stringMatching(`^${approval?.id}\\.`),
        {
          method: 'elicitation/create',
          params: {
            mode: 'url',
            message: expect.stringMatching(
              /^Approval needed: "Go ahead\?" \(slow_ask in dev\), by ada, bob; not ada\. Decide/,
            ),
            url: `${PAGE}/tasks/${keyOf(taskId)}`,
          },
        },
      ],
    ]);
    // The request is the same at each look, as the protocol requires.
    expect((await get())?.inputRequests).toEqual(asked?.inputRequests);
    await decideAs('bob', keyOf(taskId));
    await expect.poll(async () => (await get())?.status, { timeout: 20_000 }).toBe('completed');
    // An answer that comes too late is taken, and changes nothing.
    const inputResponses = { [String(requests[0]?.[0])]: { action: 'decline' } };
    expect((await client.ask('tasks/update', { taskId, inputResponses }, declared)).result).toBeDefined();
    expect(await get()).toMatchObject({ status: 'completed', result: { structuredContent: { status: 'succeeded' } } });
  });

  test.each(['accept', 'decline', 'cancel'])('is decided by no client that answers %s for its user', async (action) => {
    const client = await raw({}, { ...OPEN, patienceMs: 100 });
    const taskId = await comesToWait(client, URLS);
    const get = async () => (await client.ask('tasks/get', { taskId }, URLS)).result;
    const before = (await get())?.inputRequests as JsonObject;
    const [key = ''] = Object.keys(before);
    const [approval] = await openIn(keyOf(taskId));
    for (const inputResponses of [
      { [key]: { action, content: { approve: true, decision: 'approve' } } },
      { [String(approval?.id)]: { action, content: { decision: 'approve', by: 'bob' } } },
      { approve: { action } },
    ]) {
      expect((await client.ask('tasks/update', { taskId, inputResponses }, URLS)).error).toBeUndefined();
    }
    expect(await get()).toMatchObject({ status: 'input_required', inputRequests: before });
    expect(await openIn(keyOf(taskId))).toMatchObject([{ id: approval?.id, decisions: [] }]);
    await decideAs('bob', keyOf(taskId), 'deny');
    await expect.poll(async () => (await get())?.status, { timeout: 20_000 }).toBe('completed');
    expect(await get()).toMatchObject({ result: { isError: true, structuredContent: { status: 'denied' } } });
  });

  test('asks for each of several approvals, and no more for one that is decided', async () => {
    const client = await raw({}, OPEN);
    const params = { name: 'ability_run', arguments: { id: 'two_asks' } };
    const called = (await client.ask('tools/call', params, URLS)).result?.structuredContent as JsonObject;
    const taskId = String(called.task);
    const get = async () => (await client.ask('tasks/get', { taskId }, URLS)).result;
    const keys = async () => Object.keys(((await get())?.inputRequests ?? {}) as JsonObject);
    const both = await keys();
    const [first, second] = await openIn(keyOf(taskId));
    expect(both).toHaveLength(2);
    await decide(project().connection, keyOf(taskId), 'approve', { approval_id: String(first?.id), by: 'bob' });
    const left = both.filter((key) => key.startsWith(String(second?.id)));
    await expect.poll(keys, { timeout: 20_000 }).toEqual(left);
    await decideAs('bob', keyOf(taskId));
    await expect.poll(async () => (await get())?.status, { timeout: 20_000 }).toBe('completed');
  });

  test('names the command that opens the page, and leads to no page that is not open', async () => {
    const client = await raw({}, { ...CLOSED, patienceMs: 100 });
    const taskId = await comesToWait(client, URLS);
    const { result } = await client.ask('tasks/get', { taskId }, URLS);
    const commands = ['ability approve', 'ability deny', `ability open ${keyOf(taskId)}`];
    expect(result).toMatchObject({
      status: 'completed',
      result: {
        structuredContent: { waiting_for: [{ commands: commands.map((text) => expect.stringContaining(text)) }] },
      },
    });
    expect(JSON.stringify(result)).not.toMatch(/--as|inputRequests|"page"/);
    await decideAs('bob', keyOf(taskId));
  });
});

/** A session of tasks over the official client, which refuses answers that break the extension. */
function sessionOf({ client, near }: Agent, clientCapabilities: JsonObject, asked: JsonObject[], action: string) {
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  const { onmessage } = near;
  near.onmessage = (message, extra) => {
    const take = waiting.get((message as { id?: unknown }).id);
    if (take) take(message as never);
    else onmessage?.(message, extra);
  };
  return createTaskSessionFromClient(client, {
    endpointId: 'test',
    onInputRequest: async (request) => {
      asked.push(request as never);
      return { action } as never;
    },
    v2RequestFraming: {
      protocolVersion: '2026-07-28',
      clientInfo: { name: 'probe', version: '1' },
      clientCapabilities: clientCapabilities as never,
    },
    rawDispatch: async (request) => {
      const id = `raw-${waiting.size}`;
      const answered = new Promise<JsonObject>((resolve) => void waiting.set(id, resolve));
      await near.send({ jsonrpc: '2.0', id, ...(request as object) } as never);
      const { result, error } = await answered;
      return error ? { kind: 'error', error: error as never } : { kind: 'result', result: result as never };
    },
  });
}

describe('the official client with the official implementation of the extension', LONG, () => {
  test.each([
    ['accept', 'approve', 'succeeded'],
    ['decline', 'approve', 'succeeded'],
    ['cancel', 'deny', 'denied'],
  ] as const)('asks its user once, and goes on after %s until a person decides', async (action, verdict, status) => {
    const probe = await agent({}, { ...OPEN, patienceMs: 100 });
    const asked: JsonObject[] = [];
    const session = sessionOf(probe, URLS, asked, action);
    const file = newFile();
    const execution = await session.callTool('ability_run', { id: 'slow_ask', input: { file } });
    writeFileSync(file, '');
    const settled = execution.settle();
    await expect.poll(() => asked, { timeout: 20_000 }).toHaveLength(1);
    const url = String((asked[0] as { params: JsonObject }).params.url);
    const key = url.split('/').at(-1) as string;
    expect(asked).toMatchObject([{ kind: 'elicitation', params: { mode: 'url', url: `${PAGE}/tasks/${key}` } }]);
    await decideAs('bob', key, verdict);
    const { outcome } = await settled;
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ structuredContent: { status } });
    expect(asked).toHaveLength(1);
    await session.close();
  });

  test.each<[string, JsonObject]>([
    ['nothing', {}],
    ['forms', { elicitation: { form: {} } }],
  ])('has an answer for its agent where it declares %s', async (_, declared) => {
    const probe = await agent({}, { ...OPEN, patienceMs: 100 });
    const asked: JsonObject[] = [];
    const session = sessionOf(probe, declared, asked, 'accept');
    const file = newFile();
    const execution = await session.callTool('ability_run', { id: 'slow_ask', input: { file } });
    writeFileSync(file, '');
    const result = resultFromTaskOutcome((await execution.settle()).outcome) as { structuredContent: JsonObject };
    expect(result.structuredContent).toMatchObject({
      status: 'waiting_approval',
      waiting_for: [{ title: 'Go ahead?' }],
    });
    expect(asked).toEqual([]);
    const { task } = result.structuredContent;
    await decideAs('bob', keyOf(task));
    expect((await probe.call('task_result', { task: task as string, wait: 50 })).told.status).toBe('succeeded');
    await session.close();
  });
});

describe('what else a task waits for is told', () => {
  test('a signal, with the command that sends it, once its call waits and later', async () => {
    const probe = await agent({}, { patienceMs: 3000 });
    const file = newFile();
    writeFileSync(file, '');
    const client = await raw({}, { patienceMs: 3000 });
    const params = { name: 'ability_run', arguments: { id: 'signalled', input: { file }, key: 'signalled' } };
    const { result } = await client.ask('tools/call', params);
    const { task, ...told } = (result as JsonObject).structuredContent as JsonObject;
    const key = keyOf(task);
    expect([result?.resultType, told]).toMatchObject([
      'complete',
      {
        status: 'running',
        waiting_for: [
          {
            what: expect.stringMatching(/^the signal go, for which signal\.ok must hold, until \d/),
            step: 'one',
            commands: [`ability task signal ${key} go`],
          },
        ],
        next: expect.stringContaining('Tell the user what it waits for'),
      },
    ]);
    expect((await probe.call('task_status', { task: String(task) })).told).toMatchObject(told);
    expect((await client.ask('tasks/get', { taskId: String(task) })).result).toMatchObject({
      status: 'working',
      statusMessage: expect.stringMatching(`^waits for the signal go, .*: ability task signal ${key} go$`),
    });
    await signalTask(project().connection, key, 'go', { ok: true });
    expect((await probe.call('task_result', { task: String(task), wait: 50 })).told.status).toBe('succeeded');
  });

  test('its turn, and a person who has paused it', async () => {
    const probe = await agent({}, { patienceMs: 1000 });
    const client = await raw();
    const [first, second] = [newFile(), newFile()];
    const holder = (await runAs(probe, 'alone', { file: first })).told;
    const held = (await runAs(probe, 'alone', { file: second })).told;
    // On a busy machine its preflight may last longer than the door waits.
    await expect
      .poll(async () => (await probe.call('task_status', { task: held.task })).told, { timeout: 20_000 })
      .toMatchObject({
        status: 'waiting',
        waiting_for: [{ what: `its turn: one-key is held by ${keyOf(holder.task)}` }],
      });
    expect((await client.ask('tasks/get', { taskId: held.task })).result).toMatchObject({
      status: 'working',
      statusMessage: `waits for its turn: one-key is held by ${keyOf(holder.task)}`,
    });
    const key = keyOf(holder.task);
    await pauseTask(project().connection, key);
    const paused = { what: 'a person, since it is paused', commands: [`ability task resume ${key}`] };
    await expect
      .poll(async () => (await probe.call('task_status', { task: holder.task })).told.waiting_for, { timeout: 20_000 })
      .toEqual([paused]);
    await resumeTask(project().connection, key);
    for (const file of [first, second]) writeFileSync(file, '');
    for (const { task } of [holder, held]) {
      expect((await probe.call('task_result', { task, wait: 50 })).told.status).toBe('succeeded');
    }
  });

  test('a worker, and then nothing is said of what only a worker knows', LONG, async () => {
    const probe = await agent({}, { patienceMs: 500 });
    const client = await raw();
    const file = newFile();
    const { task } = (await runAs(probe, 'slow.op', { file })).told;
    await project().stopWorkers();
    const { result } = await client.ask('tasks/get', { taskId: task });
    expect(result).toMatchObject({
      status: 'working',
      statusMessage: expect.stringMatching(/^waits for a worker: No worker answers for .*: Start a worker of its env/),
    });
    const { told, isError } = await probe.call('task_status', { task });
    expect([isError, told]).toMatchObject([false, { status: 'running', waiting_for: [{ what: expect.any(String) }] }]);
    await project().restartWorkers();
    writeFileSync(file, '');
    expect((await probe.call('task_result', { task, wait: 50 })).told.status).toBe('succeeded');
  });
});
