import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agent as agentOf, modelProgram, models } from '../fixtures/agents.js';
import { abilityJson } from '../fixtures/called-command.js';
import { type OpenDoor, openDoor } from '../fixtures/http-door.js';
import { type Agent, connectAgent, doorOf } from '../fixtures/mcp-agent.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility, config, mcpAbility } from '../fixtures/servers/definitions.js';
import { MCP_PROGRAMS } from '../fixtures/servers/mcp-http-server.js';
import { type OtlpReceiver, type ReceivedSpan, startReceiver, treeOf } from '../fixtures/servers/otlp-receiver.js';
import { json, type RecordingService, startService } from '../fixtures/servers/recording-service.js';

const SECRET = 'secret-of-the-service-4711';
const BUSY = json({ error: 'busy' }, 503);
const FREE = json({ ok: true });
const NAMES = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_BSP_SCHEDULE_DELAY'] as const;
const before = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));

let receiver: OtlpReceiver;
let service: RecordingService;
let project: RunningProject;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.url;
  process.env.OTEL_BSP_SCHEDULE_DELAY = '100';
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }', models({ small: '' })),
    '.env': `SERVICE_TOKEN=${SECRET}\n`,
    'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - { id: at_creation, handler: { expression: { deny_if: "false" } } }
`,
    'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: here, handler: { expression: { deny_if: "has(input.refuse) && input.refuse" } } }
  - { id: guard, handler: { script: { path: scripts/guard.mjs } } }
  - { id: broken, handler: { script: { path: scripts/broken.mjs } } }
`,
    'registry/hooks/PostAbilityCall.yaml': `
hooks:
  - { id: logged, handler: { builtin: { name: usage } } }
  - { id: broken_after, handler: { script: { path: scripts/broken.mjs } } }
`,
    'scripts/guard.mjs':
      'console.log(JSON.stringify({ guard_decision: "allow", log: { traceparent: process.env.TRACEPARENT ?? "" } }));',
    'scripts/broken.mjs': 'process.exit(3);',
    ...config('servers', { mcp_servers: { local: { command: process.execPath, args: [MCP_PROGRAMS.stdio] } } }),
    ...operation('t.script', 'return { traceparent: process.env.TRACEPARENT ?? null, word: "an-output-word" };', {
      yaml: 'hooks: { pre_call: [here, guard], post_call: [logged] }',
    }),
    ...operation('t.denied', 'return 1;', { yaml: 'hooks: { pre_call: [broken] }' }),
    ...operation('t.watched', 'return 1;', { yaml: 'hooks: { post_call: [broken_after] }' }),
    ...mcpAbility('t.tool', { server: 'local', tool: 'add' }, { more: { effects: 'read' } }),
    ...apiAbility(
      't.api',
      service.origin,
      { method: 'GET', path: '/thing', headers: { authorization: 'Bearer {env:SERVICE_TOKEN}' } },
      { more: { effects: 'read' } },
    ),
    ...workflow('t.inner', 'steps: [{ id: add, call: t.tool, with: { a: 1, b: 2 } }]\noutput: ${{ steps.add.output }}'),
    ...workflow(
      't.all',
      `
operations: [t.script, t.api, t.tool, t.inner]
hooks: { pre_create: [at_creation] }
steps:
  - { id: one, call: t.script, with: { word: an-input-word } }
  - { id: get, call: t.api, retry: { attempts: 3, first: 50ms } }
  - { id: within, call: t.inner }
  - id: each
    foreach: "[1, 2]"
    as: n
    steps: [{ id: sum, call: t.tool, with: { a: "\${{ n }}", b: 1 } }]
  - id: never
    if: "false"
    let: { n: 1 }
output: "\${{ steps.one.output.traceparent }}"
`,
    ),
    ...workflow(
      't.again',
      `
operations: [t.script, t.fails]
steps:
  - id: group
    retry: { attempts: 2, first: 10ms, errors: [script.exit] }
    steps: [{ id: try, call: t.fails }]
`,
    ),
    ...modelProgram(
      'small',
      "const text = told.length === 0 ? ask('t_tool', { a: 1, b: 2 }) : 'a-word-of-a-model'; return { ...(typeof text === 'string' ? { text } : text), usage: { input_tokens: 12, output_tokens: 3 } };",
    ),
    ...agentOf('t.agent', 'model: small\noperations: [t.tool]'),
    ...operation('t.fails', 'process.exit(1);', { effects: 'write_additive' }),
  });
  // Each task sends two requests, the first of which is refused.
  service.on('/thing', (response, request, nth) => (nth % 2 === 1 ? BUSY : FREE)(response, request, nth));
});
afterAll(async () => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await project.stop();
  await service.stop();
  await receiver.stop();
});

/** The spans of the trace of a task, once its own has arrived: it is written last, and all are sent in order. */
async function traceOf(task: string): Promise<{ own: ReceivedSpan; spans: ReceivedSpan[] }> {
  const own = await receiver.until(
    ({ name, attributes }) => name.startsWith('invoke_workflow') && attributes['ability.task.id'] === task,
  );
  return { own, spans: receiver.spans.filter(({ traceId }) => traceId === own.traceId) };
}

/** A different trace for each door, as a tracing client sends it. */
const incomingTrace = (nth: number) => `00-${String(nth).padStart(32, 'a')}-${String(nth).padStart(16, 'b')}-01`;

const TREE = [
  'invoke_workflow t.all',
  '  step each',
  '    step sum',
  '      execute_tool t.tool',
  '    step sum',
  '      execute_tool t.tool',
  '  step get',
  '    execute_tool t.api !http.503',
  '    execute_tool t.api',
  '  step one',
  '    execute_tool t.script',
  '      hook logged',
  '    hook guard',
  '    hook here',
  '  step within',
  '    invoke_workflow t.inner',
  '      step add',
  '        execute_tool t.tool',
];

describe('a task has a tree of spans (issue 15, item 6)', () => {
  test('in a trace of its own', async () => {
    const { id } = await project.create('t.all', {}, { key: 'traced-alone' });
    const end = await project.wait(id);
    expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded' } });
    const { own, spans } = await traceOf(id);
    expect(treeOf(spans)).toEqual(TREE);
    expect(own.parentSpanId).toBeUndefined();
    expect(own.resource).toMatchObject({ 'service.name': 'ability-runtime' });
    expect(own.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': 't.all',
      'ability.task.key': id,
      'ability.task.status': 'succeeded',
      'ability.environment': 'dev',
    });
    if (end.kind !== 'ended') return;
    const { started_at, finished_at } = end.result;
    expect([Number(own.from / 1_000_000n), Number(own.to / 1_000_000n)]).toEqual(
      [started_at, finished_at].map((moment) => Date.parse(moment ?? '')),
    );
    for (const span of spans) expect(span.to).toBeGreaterThanOrEqual(span.from);
    const [tool] = spans.filter(({ name }) => name === 'execute_tool t.tool');
    expect(tool).toMatchObject({
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 't.tool',
        'mcp.method.name': 'tools/call',
        'mcp.protocol.version': expect.any(String),
        'network.transport': 'pipe',
      },
    });
    const [refused, accepted] = spans
      .filter(({ name }) => name === 'execute_tool t.api')
      .sort((a, b) => Number(a.from - b.from));
    expect(refused).toMatchObject({
      isError: true,
      attributes: { 'ability.call.attempt': 1, 'http.response.status_code': 503 },
    });
    expect(accepted).toMatchObject({
      isError: false,
      attributes: { 'ability.call.attempt': 2, 'http.response.status_code': 200 },
    });
    // The callee received the span of the attempt that called it.
    const script = spans.find(({ name }) => name === 'execute_tool t.script');
    expect(end.result.output).toBe(`00-${own.traceId}-${script?.spanId}-01`);
    const sent = service
      .requestsOf('/thing')
      .slice(-2)
      .map(({ headers }) => headers.traceparent);
    expect(sent).toEqual([refused, accepted].map((span) => `00-${own.traceId}-${span?.spanId}-01`));
  });

  test('without any input, output or secret', async () => {
    await traceOf('traced-alone');
    const text = receiver.requests.map(({ body }) => body.toString('utf8')).join('\n');
    expect(text).toContain('traced-alone');
    for (const word of [SECRET, 'an-input-word', 'an-output-word']) expect(text).not.toContain(word);
  });

  test('has the guards before its creation in a trace of their own, which names it', async () => {
    const span = await receiver.until(
      ({ name, attributes }) => name === 'preflight t.all' && attributes['ability.task.id'] === 'traced-alone',
    );
    const spans = receiver.spans.filter(({ traceId }) => traceId === span.traceId);
    expect(treeOf(spans)).toEqual(['preflight t.all', '  hook at_creation']);
  });

  test('has a span for each attempt of a group, with errors if it failed', async () => {
    const { id } = await project.create('t.again');
    await project.wait(id);
    const { spans } = await traceOf(id);
    expect(treeOf(spans)).toEqual([
      'invoke_workflow t.again !script.exit',
      '  step group !script.exit',
      '    step try !script.exit',
      '      execute_tool t.fails !script.exit',
      '    step try !script.exit',
      '      execute_tool t.fails !script.exit',
    ]);
  });

  test('has a span for each turn of an agent, without its messages', async () => {
    const { id } = await project.create('t.agent', { request: 'a-word-to-a-model' });
    expect(await project.wait(id)).toMatchObject({ kind: 'ended', result: { status: 'succeeded' } });
    const own = await receiver.until(({ name }) => name === 'invoke_agent t.agent');
    const spans = receiver.spans.filter(({ traceId }) => traceId === own.traceId);
    expect(treeOf(spans)).toEqual([
      'invoke_agent t.agent',
      '  step turns',
      '    step calls',
      '      step t_tool',
      '        execute_tool t.tool',
      '    step model',
      '      chat small',
      '    step model',
      '      chat small',
    ]);
    expect(own.attributes).toMatchObject({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 't.agent' });
    expect(spans.find(({ name }) => name === 'chat small')?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'small',
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 3,
    });
    const text = receiver.requests.map(({ body }) => body.toString('utf8')).join('');
    expect(text).not.toMatch(/a-word-of-a-model|a-word-to-a-model/);
  });

  test('has a failed hook as an error, whether it stops the call or not', async () => {
    const denied = await project.create('t.denied');
    await project.wait(denied.id);
    const watched = await project.create('t.watched');
    await project.wait(watched.id);
    expect(treeOf((await traceOf(denied.id)).spans)).toEqual([
      'invoke_workflow t.denied !hook.failed',
      '  hook broken !hook.failed',
    ]);
    expect(treeOf((await traceOf(watched.id)).spans)).toEqual([
      'invoke_workflow t.watched',
      '  execute_tool t.watched',
      '  hook broken_after !hook.failed',
    ]);
  });
});

describe('a task belongs to the trace of its request', () => {
  let door: OpenDoor;
  let agent: Agent;
  beforeAll(async () => {
    door = await openDoor(project.connection);
    agent = await connectAgent(doorOf(project));
  });
  afterAll(async () => {
    await agent.close();
    await door.close();
  });

  test.each(['command line', 'HTTP', 'MCP'])('from the %s', async (client) => {
    const key = `traced-by-${client.toLowerCase().replace(' ', '-')}`;
    const traceparent = incomingTrace(client.length);
    if (client === 'command line') {
      const args = ['run', 't.all', '--key', key, '--address', project.connection.address];
      const end = await abilityJson(args, { cwd: project.root, env: { TRACEPARENT: traceparent } });
      expect(end.json).toMatchObject({ status: 'succeeded' });
    } else if (client === 'HTTP') {
      const token = door.token('ada', ['run']);
      const headers = { traceparent, 'idempotency-key': key };
      const answer = await door.call('POST', '/v1/runs', { token, body: { ability: 't.all' }, headers });
      expect(answer.status).toBeLessThan(300);
      await project.wait(key);
    } else {
      const answer = await agent.call('ability_run', { id: 't.all', key }, { traceparent });
      expect(answer).toMatchObject({ isError: false, meta: { traceparent } });
    }
    const [, trace, span] = traceparent.split('-');
    // The door derives its own key from the key of an agent.
    const root = await receiver.until(({ traceId, name }) => traceId === trace && name === 'invoke_workflow t.all');
    const { own, spans } = await traceOf(String(root.attributes['ability.task.id']));
    expect(own).toMatchObject({ traceId: trace, parentSpanId: span });
    expect(treeOf(spans, span)).toEqual(TREE);
  });

  test('and has no spans if the trace of the caller is not sampled', async () => {
    const { id } = await project.create('t.script', {}, { trace: incomingTrace(77).replace(/01$/, '00') });
    await project.wait(id);
    const { id: next } = await project.create('t.script', {});
    await project.wait(next);
    await traceOf(next);
    expect(receiver.spans.filter(({ attributes }) => attributes['ability.task.id'] === id)).toEqual([]);
  });
});
