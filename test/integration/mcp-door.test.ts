import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, explainTask, listTasks, promptSession, readApprovals, stopSession } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { AbilityError } from '../../src/contracts/problem.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import type { Registry } from '../../src/definitions/registry.js';
import { CallQueue } from '../../src/doors/mcp/call-queue.js';
import { DoorSession } from '../../src/doors/mcp/door-session.js';
import { handleRequests } from '../../src/doors/mcp/handle-requests.js';
import type { Visitor } from '../../src/doors/mcp/mcp-door.js';
import { type Agent, type AgentOptions, callTool, connectAgent, connectRaw, doorOf } from '../fixtures/mcp-agent.js';
import { operation, type ProjectFiles, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const SUMS = [
  'input_schema: { type: object, required: [a, b], properties: { a: { type: integer }, b: { type: integer } } }',
  'output_schema: { type: object, required: [sum], properties: { sum: { type: integer } } }',
];

const FILES: ProjectFiles = {
  'ability.yaml': projectFile('{ dev: { self_approval: false } }'),
  'registry/hooks/PromptSubmit.yaml': `
hooks:
  - { id: freeze, blocking: true, handler: { expression: { deny_if: "input.prompt.contains('deploy')", reason: Frozen. } } }
`,
  'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - { id: no_start, handler: { expression: { deny_if: "has(input.early) && input.early", reason: Not here., suggestion: Somewhere else. } } }
`,
  'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: no_call, handler: { expression: { deny_if: "has(input.late) && input.late", reason: Not now., suggestion: Later. } } }
  - { id: out_of_session, handler: { expression: { deny_if: "session == null", reason: Agents have sessions. } } }
`,
  ...operation('math.add', 'return { sum: input.a + input.b };', { yaml: SUMS.join('\n') }),
  ...operation('guarded.op', 'return 1;', {
    yaml: 'hooks: { pre_create: [no_start], pre_call: [no_call, out_of_session] }',
  }),
  ...operation('slow.op', "while (!existsSync(input.file)) await sleep(20); return 'seen';"),
  ...operation('broken.op', "throw new Error('broken');", { effects: 'write_additive' }),
  ...workflow(
    'ask_people',
    'steps: [{ id: ask, approval: { title: Go ahead?, approvers: [ada, bob] } }]\noutput: done',
  ),
  ...workflow('nothing', 'steps: [{ id: one, let: { n: "1" } }]\noutput: done'),
};

let project: RunningProject;
const agents: { close(): Promise<void> }[] = [];
const agent = async (options: AgentOptions = {}, more: Parameters<typeof doorOf>[1] = {}): Promise<Agent> => {
  const connected = await connectAgent(doorOf(project, more), options);
  agents.push(connected);
  return connected;
};
const run = (who: Agent, id: string, input: JsonObject = {}, more: JsonObject = {}) =>
  who.call('ability_run', { id, input, ...more });

beforeAll(async () => {
  project = await runProject(FILES);
  // Its worker serves from here on.
  await project.run('nothing');
});
afterAll(async () => {
  for (const one of agents) await one.close();
  await project.stop();
});

describe.each(['2026-07-28', '2025-11-25'] as const)('an agent that speaks %s (R-000-82)', (protocol) => {
  test('runs an ability in a session that is opened for it, once', async () => {
    const probe = await agent({ protocol });
    const answers = await Promise.all([1, 2, 3].map((a) => run(probe, 'math.add', { a, b: 1 })));
    expect(answers.map(({ told }) => told.output)).toEqual([{ sum: 2 }, { sum: 3 }, { sum: 4 }]);
    const sessions = new Set(answers.map(({ meta }) => meta['ability-runtime/session_id']));
    expect(sessions.size).toBe(1);
    const tasks = await listTasks(project.connection, { session: String([...sessions][0]), limit: 10 });
    expect(tasks).toHaveLength(3);
    expect(tasks[0]).toMatchObject({ requested_by: 'ada', agent: 'probe' });
  });

  test('is told why something is refused, with a code and what to do instead', async () => {
    const probe = await agent({ protocol });
    expect(await run(probe, 'math.add', { a: 1 })).toMatchObject({
      isError: true,
      told: { status: 'refused', code: 'input.invalid', reason: expect.stringContaining('`b` is missing') },
    });
    expect(await run(probe, 'guarded.op', { early: true })).toMatchObject({
      isError: true,
      told: { status: 'refused', code: 'guard.denied', suggestion: 'Somewhere else.' },
    });
    expect(await run(probe, 'guarded.op', { late: true })).toMatchObject({
      isError: true,
      told: { status: 'denied', code: 'guard.denied', suggestion: 'Later.' },
    });
    expect(await run(probe, 'guarded.op')).toMatchObject({ isError: false, told: { output: 1 } });
    expect(await run(probe, 'broken.op')).toMatchObject({ isError: true, told: { status: 'failed', step: 'run' } });
  });

  test('gets a handle for what takes long, and its end by it', async () => {
    const probe = await agent({ protocol }, { patienceMs: 200 });
    const file = join(project.root, `go-${protocol}`);
    const begun = await run(probe, 'slow.op', { file });
    expect(begun).toMatchObject({
      isError: false,
      told: { status: 'running', next: expect.stringContaining('task_result') },
    });
    const { task } = begun.told;
    expect((await probe.call('task_status', { task })).told).toMatchObject({
      status: 'running',
      task,
      ability: 'slow.op',
    });
    expect((await probe.call('task_result', { task, wait: 0 })).told.status).toBe('running');
    writeFileSync(file, '');
    expect((await probe.call('task_result', { task, wait: 50 })).told).toMatchObject({
      status: 'succeeded',
      output: 'seen',
    });
  });

  test('is told who decides, cannot, and goes on when a person has', async () => {
    // A client that would answer for the person, if it were asked.
    const elicited: unknown[] = [];
    const client = { capabilities: { elicitation: { form: {}, url: {} } } };
    const probe = await agent({ protocol, client });
    probe.client.setRequestHandler('elicitation/create', (request) => {
      elicited.push(request);
      return { action: 'accept', content: {} };
    });
    const asked = await run(probe, 'ask_people', {}, { intent: 'to see' });
    const { task, waiting_for: waiting } = asked.told;
    expect(asked.told).toMatchObject({ status: 'waiting_approval', next: expect.stringContaining('never you') });
    expect(waiting).toMatchObject([
      {
        title: 'Go ahead?',
        who: 'ada, bob; not ada',
        commands: [expect.stringContaining('ability approve'), expect.anything()],
      },
    ]);
    expect((await probe.call('approvals_list')).told.approvals).toMatchObject([{ task, title: 'Go ahead?' }]);
    expect(elicited).toEqual([]);
    for (const tool of ['approve', 'ability_approve', 'task_signal']) {
      await expect(probe.call(tool, { task, approval: waiting[0].approval })).rejects.toThrow(`no tool ${tool}`);
    }
    const [tasks] = await listTasks(project.connection, {
      ability: 'ask_people',
      status: ['waiting_approval'],
      limit: 1,
    });
    const key = tasks?.task_key as string;
    // The person in whose name the agent asked is no other one.
    const [approval] = await readApprovals(project.connection, key);
    const own = decide(project.connection, key, 'approve', { approval_id: approval?.id as string, by: 'ada' });
    await expect(own).rejects.toMatchObject({ code: 'approval.ignored' });
    await decide(project.connection, key, 'approve', { approval_id: approval?.id as string, by: 'bob' });
    expect((await probe.call('task_result', { task, wait: 50 })).told).toMatchObject({
      status: 'succeeded',
      output: 'done',
    });
    expect(await explainTask(project.connection, key)).toMatchObject({
      requested_by: { name: 'ada', agent: 'probe' },
      intent: 'to see',
    });
  });

  test('reads a turn context when it has changed, and once (R-002-42)', async () => {
    const probe = await agent({ protocol });
    const said = await probe.call('session_prompt', { text: 'add it' });
    expect(said.told.turn_context).toMatchObject({ turn_index: 1, hook_signals: { risk_alerts: [] } });
    expect((await run(probe, 'nothing')).told).not.toHaveProperty('turn_context');
    const session = String(said.meta['ability-runtime/session_id']);
    await promptSession(project.connection, session, 'deploy', { name: 'ada', source: 'claimed' });
    const changed = await run(probe, 'nothing');
    expect(changed.told.turn_context).toMatchObject({
      turn_index: 2,
      hook_signals: { risk_alerts: ['Frozen. (hook freeze)'] },
    });
    const { task } = changed.told;
    expect((await probe.call('task_result', { task })).told).not.toHaveProperty('turn_context');
  });

  test('keeps its trace from the request to the task and the answer', async () => {
    const probe = await agent({ protocol });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const { meta } = await probe.call('ability_run', { id: 'nothing', key: `traced-${protocol}` }, { traceparent });
    expect(meta.traceparent).toBe(traceparent);
    const session = String(meta['ability-runtime/session_id']);
    const [task] = await listTasks(project.connection, { session, limit: 1 });
    const { memo } = await project.connection.temporal.workflow.getHandle(task?.task_key as string).describe();
    expect(memo).toMatchObject({ trace: traceparent, agent: 'probe' });
    expect((await probe.call('ability_search', {}, { traceparent: 'no trace' })).meta).not.toHaveProperty(
      'traceparent',
    );
  });
});

describe('the session of a door', () => {
  const sessionOf = ({ meta }: { meta: JsonObject }) => String(meta['ability-runtime/session_id']);

  test('is followed by another one when it has ended meanwhile', async () => {
    const probe = await agent();
    const first = sessionOf(await run(probe, 'nothing'));
    await stopSession(project.connection, first);
    const second = await run(probe, 'nothing');
    expect(second.told).toMatchObject({ status: 'succeeded' });
    expect(sessionOf(second)).not.toBe(first);
    await stopSession(project.connection, sessionOf(second));
    expect((await probe.call('session_prompt', { text: 'go on' })).told.turn_context.turn_index).toBe(1);
  });

  test('that was given is neither started nor followed', async () => {
    const probe = await agent({ session: 'given-one' });
    expect(await run(probe, 'nothing')).toMatchObject({ isError: true, told: { code: 'session.not_found' } });
    await project.startSession('given-one');
    expect(sessionOf(await run(probe, 'nothing'))).toBe('given-one');
    await stopSession(project.connection, 'given-one');
    expect(await run(probe, 'nothing')).toMatchObject({ isError: true, told: { code: 'session.stopped' } });
  });
});

describe('definitions of the worker that differ from those of the door', () => {
  const elsewhere = (): Registry => ({ ...loadRegistry(project.root), digest: 'another' });

  test('are told, and refused where the operator wants that', async () => {
    const warned = await agent({}, { registry: elsewhere });
    expect((await run(warned, 'nothing')).told.warnings).toEqual([
      expect.stringContaining('definitions of the worker differ'),
    ]);
    const refuse = () => Promise.reject(new AbilityError({ code: 'config.registry_differs', message: 'No.' }));
    const strict = await agent({}, { registry: elsewhere, review: refuse });
    expect(await run(strict, 'nothing')).toMatchObject({ isError: true, told: { code: 'config.registry_differs' } });
    expect((await run(await agent(), 'nothing')).told).not.toHaveProperty('warnings');
  });
});

describe('tasks of others', () => {
  test('are not found, in whatever way they are named', async () => {
    const [ada, other, bob] = [await agent(), await agent({ name: 'other' }), await agent({ person: 'bob' })];
    const { task } = (await run(ada, 'ask_people')).told;
    const [secret, key] = task.split('.') as [string, string];
    const plain = Buffer.from(key, 'base64url').toString();
    const forged = [
      plain,
      `${'0'.repeat(32)}.${key}`,
      `${secret}.${Buffer.from('no-task').toString('base64url')}`,
      secret,
      '',
      '.',
      `${task}.x`,
    ];
    const notFound = {
      isError: true,
      told: { status: 'refused', code: 'task.not_found', reason: 'You have no task of that id' },
    };
    for (const tool of ['task_status', 'task_result', 'task_cancel']) {
      for (const who of [other, bob]) expect(await who.call(tool, { task })).toMatchObject(notFound);
      for (const id of forged) expect(await ada.call(tool, { task: id })).toMatchObject(notFound);
    }
    expect((await other.call('approvals_list')).told.approvals).toEqual([]);
    expect((await ada.call('task_status', { task })).told).toMatchObject({ status: 'waiting_approval' });
    expect((await ada.call('task_cancel', { task })).told).toMatchObject({ status: 'cancelling' });
    expect(await ada.call('task_result', { task, wait: 50 })).toMatchObject({
      isError: true,
      told: { status: 'cancelled' },
    });
  });

  test('do not meet under the same key; the same caller meets its own', async () => {
    const [ada, bob] = [await agent(), await agent({ person: 'bob' })];
    const [one, two, three] = await Promise.all([
      run(ada, 'math.add', { a: 1, b: 1 }, { key: 'same' }),
      run(ada, 'math.add', { a: 1, b: 1 }, { key: 'same' }),
      run(bob, 'math.add', { a: 2, b: 2 }, { key: 'same' }),
    ]);
    expect(two.told).toEqual(one.told);
    expect(three.told).toMatchObject({ output: { sum: 4 } });
    expect(await run(ada, 'math.add', { a: 5, b: 5 }, { key: 'same' })).toMatchObject({
      isError: true,
      told: { code: 'task.key_conflict' },
    });
  });
});

describe('the Tasks extension', () => {
  const TASK = { createdAt: expect.any(String), lastUpdatedAt: expect.any(String), ttlMs: null };

  test('takes a long call, for requests that declare it', async () => {
    const raw = await connectRaw(doorOf(project, { patienceMs: 100 }));
    agents.push(raw);
    const file = join(project.root, 'go-tasks');
    const params = { name: 'ability_run', arguments: { id: 'slow.op', input: { file } } };
    const plain = await raw.ask('tools/call', params, false);
    expect(plain.result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'running' } });
    const { result } = await raw.ask('tools/call', params);
    expect(result).toMatchObject({
      ...TASK,
      resultType: 'task',
      status: 'working',
      statusMessage: expect.stringContaining('running'),
    });
    const taskId = result?.taskId as string;
    const { task } = (plain.result as JsonObject).structuredContent as JsonObject;
    expect((await raw.ask('tasks/get', { taskId })).result).toMatchObject({
      ...TASK,
      resultType: 'complete',
      taskId,
      status: 'working',
    });
    expect((await raw.ask('tasks/update', { taskId, inputResponses: {} })).result).toMatchObject({
      resultType: 'complete',
    });
    expect((await raw.ask('tasks/get', { taskId }, false)).error).toMatchObject({ code: -32021 });
    expect((await raw.ask('tasks/list', {})).error).toMatchObject({ code: -32601 });
    writeFileSync(file, '');
    await expect
      .poll(async () => (await raw.ask('tasks/get', { taskId })).result?.status, { timeout: 20_000 })
      .toBe('completed');
    expect((await raw.ask('tasks/get', { taskId: task as string })).result).toMatchObject({
      status: 'completed',
      result: { structuredContent: { status: 'succeeded', output: 'seen' } },
    });
  });

  test('shows a failure as a completed call with an error, a cancelled one as cancelled, an approval as work', async () => {
    const raw = await connectRaw(doorOf(project, { patienceMs: 0 }));
    agents.push(raw);
    const start = async (id: string): Promise<string> => {
      const { result } = await raw.ask('tools/call', { name: 'ability_run', arguments: { id } });
      return result?.taskId as string;
    };
    const get = async (taskId: string) => (await raw.ask('tasks/get', { taskId })).result;
    const failing = await start('broken.op');
    await expect.poll(async () => (await get(failing))?.status, { timeout: 20_000 }).toBe('completed');
    expect(await get(failing)).toMatchObject({ result: { isError: true, structuredContent: { status: 'failed' } } });
    const asking = await start('ask_people');
    await expect
      .poll(async () => (await get(asking))?.statusMessage, { timeout: 20_000 })
      .toContain('ada, bob; not ada may decide');
    expect(await get(asking)).toMatchObject({
      status: 'working',
      statusMessage: expect.stringContaining('ability approve'),
    });
    expect((await raw.ask('tasks/cancel', { taskId: asking })).result).toEqual(
      expect.objectContaining({ resultType: 'complete' }),
    );
    await expect.poll(async () => (await get(asking))?.status, { timeout: 20_000 }).toBe('cancelled');
    const other = await connectRaw(doorOf(project), { name: 'other' });
    agents.push(other);
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      expect((await other.ask(method, { taskId: asking, inputResponses: {} })).error).toMatchObject({
        code: -32602,
        data: { code: 'task.not_found' },
      });
    }
  });
});

describe('abilities that are tools of their own', () => {
  const names = async ({ client }: Agent) => (await client.listTools()).tools.map(({ name }) => name).slice(9);

  test('have the schemas and effects of the ability, in the order of their ids', async () => {
    const probe = await agent({}, { expose: ['math.*', 'nothing', 'ask*'] });
    expect(await names(probe)).toEqual(['ask_people', 'math_add', 'nothing']);
    const add = (await probe.client.listTools()).tools.find(({ name }) => name === 'math_add');
    expect(add).toMatchObject({
      title: 'math.add',
      inputSchema: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'integer' } } },
      outputSchema: { properties: { output: { required: ['sum'] } }, required: ['status'] },
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    expect((await probe.call('math_add', { a: 2, b: 3 })).told).toMatchObject({
      status: 'succeeded',
      output: { sum: 5 },
    });
    expect(await probe.call('math_add', { a: 2 })).toMatchObject({ isError: true, told: { code: 'input.invalid' } });
    expect((await probe.call('ask_people')).told).toMatchObject({ status: 'waiting_approval' });
  });

  test.each(['2026-07-28', '2025-11-25'] as const)(
    'change while an agent that speaks %s looks, which it is told',
    async (protocol) => {
      const glob = `late.${protocol.slice(0, 4)}.*`;
      const [one, two] = [glob.replace('*', 'one'), glob.replace('*', 'two')];
      project.write(operation(one, 'return 1;'));
      const told: string[][] = [];
      const onChanged = (_: Error | null, tools: { name: string }[] | null): void => {
        told.push((tools ?? []).map(({ name }) => name).slice(9));
      };
      const listChanged = { tools: { onChanged } };
      const probe = await agent({ protocol, client: { listChanged } }, { expose: [glob] });
      expect(await names(probe)).toEqual([one.replaceAll('.', '_')]);
      project.write(operation(two, 'return 2;'));
      await expect
        .poll(() => told.at(-1), { timeout: 20_000 })
        .toEqual([one, two].map((id) => id.replaceAll('.', '_')));
      // A tool that is gone, or now another ability's, runs nothing.
      project.write({ [`registry/low-level/${one}.yaml`]: '# gone' });
      await expect(probe.call(one.replaceAll('.', '_'))).rejects.toThrow('no tool');
    },
  );

  test('have no name that could mean two abilities', async () => {
    project.write({ ...operation('twin.a_b', 'return 1;'), ...operation('twin.a.b', 'return 2;') });
    const notes: string[] = [];
    const probe = await agent({}, { expose: ['twin.*'], note: (text) => notes.push(text) });
    expect(await names(probe)).toEqual([]);
    await expect(probe.call('twin_a_b')).rejects.toThrow('no tool');
  });
});

describe('over HTTP', () => {
  const headers = (token: string) => ({ authorization: `Bearer ${token}` });
  const visitors = new Map(
    ['ada', 'bob'].map((name) => {
      const visitor = { person: { name, source: 'claimed' }, agent: 'hosted', session: new DoorSession() } as const;
      return [`Bearer ${name}`, visitor];
    }),
  );

  test.each([
    ['2026-07-28', { pin: '2026-07-28' }],
    ['2025-11-25', 'legacy'],
  ] as const)('callers that speak %s are kept apart by what their mounting knows of them', async (_, mode) => {
    const handler = handleRequests(doorOf(project), ({ requestInfo }) => {
      return visitors.get(requestInfo?.headers.get('authorization') ?? '') as Visitor;
    });
    const as = async (token: string): Promise<Client> => {
      const client = new Client({ name: 'forged', version: '1' }, { versionNegotiation: { mode } });
      const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
      const options = { fetch, requestInit: { headers: headers(token) } };
      await client.connect(new StreamableHTTPClientTransport(new URL('http://door.test/mcp'), options));
      return client;
    };
    const [ada, bob] = [await as('ada'), await as('bob')];
    const asked = await callTool(ada, 'ability_run', { id: 'ask_people' });
    const { task } = asked.told;
    expect(asked.told).toMatchObject({ status: 'waiting_approval' });
    expect((await callTool(bob, 'task_status', { task })).told).toMatchObject({ code: 'task.not_found' });
    expect((await callTool(ada, 'task_cancel', { task })).told).toMatchObject({ status: 'cancelling' });
    const again = await callTool(ada, 'ability_run', { id: 'nothing' });
    expect(again.meta['ability-runtime/session_id']).toBe(asked.meta['ability-runtime/session_id']);
    const [listed] = await listTasks(project.connection, {
      session: String(again.meta['ability-runtime/session_id']),
      limit: 1,
    });
    expect(listed).toMatchObject({ requested_by: 'ada', agent: 'hosted' });
    await ada.close();
    await bob.close();
    await handler.close();
  });
});

describe('many and hostile calls', () => {
  test('of 1,000 calls at once each is run or refused, and none is lost', async () => {
    const probe = await agent({}, { calls: new CallQueue({ atOnce: 8, waiting: 40 }) });
    const answers = await Promise.all(Array.from({ length: 1000 }, () => run(probe, 'nothing')));
    const busy = answers.filter(({ told, isError }) => isError && told.code === 'door.busy');
    const begun = answers.filter(({ isError }) => !isError);
    expect([begun.length, busy.length]).toEqual([48, 952]);
    // Where others wait for its place, a call may be answered with a handle.
    for (const { told } of begun) {
      expect((await probe.call('task_result', { task: told.task, wait: 50 })).told.status).toBe('succeeded');
    }
    const session = String(begun[0]?.meta['ability-runtime/session_id']);
    await expect
      .poll(async () => (await listTasks(project.connection, { session, limit: 1000 })).length, { timeout: 20_000 })
      .toBe(48);
  });

  test('arguments that are none are refused, and the door stays open', async () => {
    const probe = await agent();
    const raw = await connectRaw(doorOf(project));
    agents.push(raw);
    const deep = JSON.parse(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`) as JsonObject;
    const hostile: JsonObject[] = [
      { id: 'math.add', input: JSON.parse('{"__proto__": {"a": 1}}') },
      { id: 'math.add', input: { constructor: { prototype: 1 } } },
      { id: 'math.add', input: deep },
      { id: 'math.add', input: 'text' },
      { id: ['math.add'] },
      { id: 'math.add', input: {}, more: true },
      { id: 'math.add', input: {}, key: '../up' },
      { id: 'math.add', input: {}, plan: 'none' },
      { id: 'math.add', input: { text: 'x'.repeat(10_000_000) } },
      {},
    ];
    for (const args of hostile) {
      const { result } = await raw.ask('tools/call', { name: 'ability_run', arguments: args });
      expect(result).toMatchObject({ isError: true, structuredContent: { status: 'refused', code: 'input.invalid' } });
    }
    expect((await raw.ask('tools/call', { name: 'constructor', arguments: {} })).error).toMatchObject({ code: -32602 });
    expect(await probe.call('task_result', { task: 'x'.repeat(1_000_000) })).toMatchObject({ isError: true });
    expect(await probe.call('ability_search', { limit: 1e9 })).toMatchObject({ isError: true });
    expect((await run(probe, 'math.add', { a: 1, b: 1 })).told).toMatchObject({ output: { sum: 2 } });
  });
});
