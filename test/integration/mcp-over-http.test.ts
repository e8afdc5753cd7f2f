import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listTasks, showSession } from '../../src/client/index.js';
import { skillOfProject } from '../../src/doors/mcp/skill-of-project.js';
import { type OpenDoor, openDoor } from '../fixtures/http-door.js';
import { connectOverHttp, type HttpAgent, hearProgress, messageOf, type Told } from '../fixtures/mcp-agent.js';
import { doorProject } from '../fixtures/mcp-door-project.js';
import { operation } from '../fixtures/project-folder.js';

const { running: project } = doorProject();
const open: { close(): Promise<void> }[] = [];
let door: OpenDoor;

const openWith = (patienceMs: number): Promise<OpenDoor> => {
  const mcp = {
    expose: ['math.*', 'late.*'],
    skill: skillOfProject(project().root),
    findPage: async () => null,
    lend: () => ({ connect: () => Promise.resolve(project().connection), failed: () => {} }),
    typed: (text: string) => text,
    strict: () => ({}),
    patienceMs,
    lookMs: 100,
    tokensMs: 100,
  };
  return openDoor(project().connection, { environment: 'dev', mcp });
};
beforeAll(async () => {
  door = await openWith(30_000);
});
afterAll(async () => {
  for (const one of open) await one.close();
  await door.close();
});

type Options = Parameters<typeof connectOverHttp>[1];
async function agent(options: Options): Promise<HttpAgent> {
  const made = await connectOverHttp(door.url, options);
  open.push(made);
  return made;
}
const agentToken = (name = 'hosted', can: ('read' | 'run')[] = ['read', 'run']) =>
  door.token('ada', can, { agent: name });
const sessionOf = ({ meta }: Told) => String(meta['ability-runtime/session_id']);
const run = (who: HttpAgent, id: string, input = {}) => who.call('ability_run', { id, input });

describe.each(['2026-07-28', '2025-11-25'] as const)('POST /mcp for an agent that speaks %s (R-000-82)', (protocol) => {
  test('runs abilities in one session of its token, also across connections and the other routes', async () => {
    const token = agentToken();
    const [one, two] = [await agent({ protocol, token, name: 'forged' }), await agent({ protocol, token })];
    const first = await run(one, 'math.add', { a: 1, b: 2 });
    expect(first).toMatchObject({ isError: false, told: { status: 'succeeded', output: { sum: 3 } } });
    expect(sessionOf(await run(two, 'nothing'))).toBe(sessionOf(first));
    const { body } = await door.call('POST', '/v1/runs', { token, body: { ability: 'nothing', wait: '30s' } });
    expect(body._meta).toEqual({ session_id: sessionOf(first) });
    // The token determines who the agent is, not the client.
    const [listed] = await listTasks(project().connection, { session: sessionOf(first), limit: 1 });
    expect(listed).toMatchObject({ requested_by: 'ada', agent: 'hosted' });
    const other = await agent({ protocol, token: agentToken() });
    expect(sessionOf(await run(other, 'nothing'))).not.toBe(sessionOf(first));
  });

  test('has the access that its token gives, and cannot decide at any level', async () => {
    const names = async (who: HttpAgent) => (await who.client.listTools()).tools.map(({ name }) => name);
    const reading = await agent({ protocol, token: agentToken('reader', ['read']) });
    const running = await agent({ protocol, token: door.token('ada', ['read', 'run', 'approve']) });
    expect(await names(reading)).not.toContain('ability_run');
    expect(await names(reading)).not.toContain('math_add');
    expect(await names(running)).toEqual(expect.arrayContaining(['ability_run', 'math_add']));
    for (const tool of ['ability_run', 'math_add', 'task_cancel']) {
      await expect(reading.call(tool, { id: 'nothing' })).rejects.toThrow(`no tool ${tool}`);
    }
    expect((await names(running)).filter((name) => /approve|decide|deny/.test(name))).toEqual([]);
  });

  test('finds its tasks again with another token, and no one else finds them', async () => {
    const { told } = await run(await agent({ protocol, token: agentToken('owner') }), 'ask_people');
    expect(told).toMatchObject({ status: 'waiting_approval' });
    const { task } = told;
    const later = await agent({ protocol, token: agentToken('owner') });
    expect((await later.call('task_status', { task })).told).toMatchObject({ status: 'waiting_approval', task });
    const others = [
      { token: agentToken('other') },
      { token: door.token('bob', ['read', 'run'], { agent: 'owner' }) },
      { name: 'owner' },
    ];
    for (const options of others) {
      const other = await agent({ protocol, ...options });
      for (const tool of ['task_status', 'task_result', 'task_cancel']) {
        expect((await other.call(tool, { task })).told).toMatchObject({ code: 'task.not_found' });
      }
      expect((await other.call('approvals_list')).told.approvals).toEqual([]);
    }
    expect((await later.call('task_cancel', { task })).told).toMatchObject({ status: 'cancelling' });
  });

  test('receives the progress of its call on request', async () => {
    const file = join(project().root, `progress-over-http-${protocol}`);
    const args = { id: 'slow.op', input: { file } };
    const texts = await hearProgress(await agent({ protocol, token: agentToken() }), 'ability_run', args, (message) => {
      if (message === 'call started: slow.op') writeFileSync(file, '');
    });
    expect(texts.slice(0, 2)).toEqual(['task created: slow.op', 'call started: slow.op']);
  });

  test('can do nothing once its token is revoked, and its session ends', async () => {
    const token = agentToken('short');
    const who = await agent({ protocol, token });
    const session = sessionOf(await run(who, 'nothing'));
    door.tokens.revoke(door.tokens.authenticate(token)?.id as string);
    await expect(run(who, 'nothing')).rejects.toThrow();
    await expect
      .poll(async () => (await showSession(project().connection, session)).status, { timeout: 20_000 })
      .not.toBe('open');
  });
});

test('turns a long call into an MCP task, which another request can read', async () => {
  const hasty = await openWith(100);
  open.push(hasty);
  const token = hasty.token('ada', ['read', 'run'], { agent: 'hosted' });
  const sendRequest = async (method: string, params: Record<string, never | unknown>) => {
    const { body, headers } = messageOf(method, { params: params as never });
    return (await hasty.call('POST', '/mcp', { body, headers, token, isForeign: true })).body;
  };
  const input = { file: join(project().root, 'never') };
  const toolCall = { name: 'ability_run', arguments: { id: 'slow.op', input } };
  const { result } = await sendRequest('tools/call', toolCall);
  expect(result).toMatchObject({ resultType: 'task', status: 'working' });
  const { taskId } = result;
  expect((await sendRequest('tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
  expect((await sendRequest('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
  await expect
    .poll(async () => (await sendRequest('tasks/get', { taskId })).result.status, { timeout: 20_000 })
    .toBe('cancelled');
});

test('notifies a listening agent of changed tools, until its token is revoked', async () => {
  const toolLists: string[][] = [];
  const onChanged = (_: Error | null, tools: { name: string }[] | null): void => {
    toolLists.push((tools ?? []).map(({ name }) => name).filter((name) => name.startsWith('late')));
  };
  const token = agentToken('listener');
  const who = await agent({ token, client: { listChanged: { tools: { onChanged } } } });
  await who.client.listTools();
  project().write(operation('late.one', 'return 1;'));
  await expect.poll(() => toolLists.at(-1), { timeout: 20_000 }).toEqual(['late_one']);
  const { body, headers } = messageOf('subscriptions/listen', {
    params: { notifications: { toolsListChanged: true } },
  });
  const stream = await fetch(`${door.url}/mcp`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  expect(stream.status).toBe(200);
  door.tokens.revoke(door.tokens.authenticate(token)?.id as string);
  // It ends, one way or another.
  await stream.text().catch(() => {});
  // An agent of a version before 2026-07-28 could not be notified, so notification is not promised.
  const early = await agent({ protocol: '2025-11-25', token: agentToken() });
  expect(early.client.getServerCapabilities()?.tools?.listChanged).not.toBe(true);
});
