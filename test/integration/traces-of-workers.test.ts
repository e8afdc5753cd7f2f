import { rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { signalTask, viewTask } from '../../src/client/index.js';
import { SANDBOX_FLAG } from '../../src/contracts/traces.js';
import { bundleFor, WORKFLOW_BUNDLE } from '../../src/worker/create-workers.js';
import { replayHistory } from '../../src/worker/replay/replay-history.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { config } from '../fixtures/servers/definitions.js';
import { type OtlpReceiver, startReceiver, treeOf } from '../fixtures/servers/otlp-receiver.js';

const SECRET = 'secret-of-the-script-4711';
const before = { ...process.env };
const open: RunningProject[] = [];
let receiver: OtlpReceiver;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());
afterEach(async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name];
  Object.assign(process.env, Object.fromEntries(Object.entries(before).filter(([name]) => name.startsWith('OTEL_'))));
  for (const project of open.splice(0)) await project.stop();
  receiver.spans.length = 0;
  receiver.requests.length = 0;
});

/** A project whose workers are started with these variables, and send spans soon. */
async function runWith(env: Record<string, string>): Promise<RunningProject> {
  Object.assign(process.env, { OTEL_BSP_SCHEDULE_DELAY: '50', ...env });
  const project = await runProject({
    'ability.yaml': projectFile(),
    '.env': `TOKEN=${SECRET}\n`,
    ...operation(
      't.echo',
      'return { word: input.word, token: process.env.TOKEN, trace: process.env.TRACEPARENT ?? null };',
      {
        script: 'env_profile: secret',
      },
    ),
    ...config('profiles', { env_profiles: { secret: { pass: ['PATH'], secrets: { TOKEN: 'env:TOKEN' } } } }),
    ...workflow(
      't.waits',
      `
operations: [t.echo]
hooks: { pre_call: [here] }
steps:
  - { id: first, call: t.echo, with: { word: one } }
  - { id: pause, wait: { signal: go } }
  - { id: last, call: t.echo, with: { word: two } }
output: done
`,
    ),
    'registry/hooks/PreAbilityCall.yaml': 'hooks:\n  - { id: here, handler: { expression: { deny_if: "false" } } }\n',
  });
  open.push(project);
  return project;
}
const on = () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
const TREE = [
  'invoke_workflow t.waits',
  '  hook here',
  '  step first',
  '    execute_tool t.echo',
  '  step last',
  '    execute_tool t.echo',
  '  step pause',
];

/** Types of the events of a task's history, and its text. */
async function historyOf(project: RunningProject, id: string) {
  const history = await project.connection.temporal.workflow.getHandle(id).fetchHistory();
  return { history, types: (history.events ?? []).map(({ eventType }) => eventType), text: JSON.stringify(history) };
}

async function runWaiting(project: RunningProject, between: () => Promise<void> = async () => {}): Promise<string> {
  const { id } = await project.create('t.waits');
  const isWaiting = async () => {
    const { result } = await viewTask(project.connection, id);
    return result.steps.some(({ path, status }) => path === 'pause' && status === 'waiting');
  };
  while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 100));
  await between();
  await signalTask(project.connection, id, 'go', {});
  const end = await project.wait(id);
  expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded' } });
  return id;
}

describe('traces that are on (issue 15, item 6)', () => {
  test('outlive the worker: spans of a later worker are children of those of an earlier one', async () => {
    const project = await runWith(on());
    const id = await runWaiting(project, () => project.restartWorkers());
    const own = await receiver.until(({ attributes }) => attributes['ability.task.status'] === 'succeeded');
    expect(own.attributes['ability.task.id']).toBe(id);
    const steps = () => receiver.spans.filter(({ name }) => name.startsWith('step'));
    while (steps().length < 3) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(treeOf(receiver.spans)).toEqual(TREE);
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
  });

  test('leave nothing in a history, which replays with and without them', async () => {
    const traced = await runWith(on());
    const withTraces = await historyOf(traced, await runWaiting(traced));
    for (const name of Object.keys(on())) delete process.env[name];
    const plain = await runWith({});
    const id = await runWaiting(plain);
    const withoutTraces = await historyOf(plain, id);
    expect(withTraces.types).toEqual(withoutTraces.types);
    const own = await receiver.until(({ attributes }) => attributes['ability.task.status'] === 'succeeded');
    for (const { spanId } of receiver.spans)
      expect(withTraces.text).not.toContain(own.spanId === spanId ? own.spanId : spanId);
    const bundle = join(tmpdir(), `traced-${process.pid}-${Date.now()}.cjs`);
    writeFileSync(bundle, (bundleFor(WORKFLOW_BUNDLE, [SANDBOX_FLAG]) as { code: string }).code);
    try {
      for (const { history } of [withTraces, withoutTraces]) {
        for (const workflowBundle of [bundle, undefined]) {
          const end = await replayHistory({ name: id, workflowId: id, history }, { workflowBundle });
          expect(end).toMatchObject({ status: 'ok' });
        }
      }
    } finally {
      rmSync(bundle);
    }
  });

  test('are sent when the worker stops, even before they are due', async () => {
    const project = await runWith({ ...on(), OTEL_BSP_SCHEDULE_DELAY: '3600000' });
    await project.run('t.echo', { word: 'x' });
    expect(receiver.spans).toEqual([]);
    await project.stopWorkers();
    expect(treeOf(receiver.spans)).toEqual(['invoke_workflow t.echo', '  execute_tool t.echo']);
  });

  test('are sent as protobuf by default, with the headers and the names from the environment', async () => {
    const project = await runWith({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=abc',
      OTEL_SERVICE_NAME: 'named-by-a-test',
    });
    await project.run('t.echo', { word: 'x' });
    await project.stopWorkers();
    const [request] = receiver.requests;
    expect(request).toMatchObject({ path: '/v1/traces', type: 'application/x-protobuf', headers: { 'x-key': 'abc' } });
    // On a slow machine the spans come in several requests.
    const sent = receiver.requests.map(({ body }) => body.toString('latin1')).join('\n');
    expect(sent).toContain('invoke_workflow t.echo');
    expect(sent).toContain('named-by-a-test');
  });

  test('contain arguments and results if configured, without the secrets in them', async () => {
    const project = await runWith({ ...on(), OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' });
    const { output } = await project.run('t.echo', { word: 'a-plain-word' });
    await project.stopWorkers();
    const tool = receiver.spans.find(({ name }) => name === 'execute_tool t.echo');
    expect(tool?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"word":"a-plain-word"}',
      'gen_ai.tool.call.result': expect.stringContaining('a-plain-word'),
    });
    expect(output).toMatchObject({ word: 'a-plain-word' });
    expect(receiver.requests.map(({ body }) => body.toString('utf8')).join()).not.toContain(SECRET);
  });

  test('are sampled as the environment says', async () => {
    const project = await runWith({ ...on(), OTEL_TRACES_SAMPLER: 'always_off' });
    const { output } = await project.run('t.echo', { word: 'x' });
    expect(output).toMatchObject({ trace: expect.stringMatching(/-00$/) });
    await project.stopWorkers();
    expect(receiver.requests).toEqual([]);
  });
});

describe('an endpoint', () => {
  let silent: Server;
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    silent = createServer((socket) => sockets.add(socket.on('error', () => {})));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  test.each(['that does not exist', 'that never answers'])(
    '%s fails no task, and does not block a worker',
    async (which) => {
      const port = which === 'that does not exist' ? 1 : (silent.address() as AddressInfo).port;
      // Far longer than a worker waits when it stops, and than this test.
      const patience = { OTEL_EXPORTER_OTLP_TIMEOUT: '600000', OTEL_BSP_EXPORT_TIMEOUT: '600000' };
      const project = await runWith({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, ...patience });
      for (const word of ['x', 'y', 'z']) {
        expect(await project.run('t.echo', { word })).toMatchObject({ status: 'succeeded', output: { word } });
      }
      await project.stopWorkers();
    },
  );
});

describe('traces that are off', () => {
  test.each([
    ['without configuration', {}],
    ['with a disabled SDK', { OTEL_SDK_DISABLED: 'true' }],
    ['without an exporter', { OTEL_TRACES_EXPORTER: 'none' }],
    ['with an unsupported protocol', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  ])('%s: nothing is sent, and an incoming trace is passed on unchanged', async (which, env) => {
    const project = await runWith(which === 'without configuration' ? {} : { ...on(), ...env });
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect((await project.run('t.echo', { word: 'x' })).output).toMatchObject({ trace: null });
    expect((await project.run('t.echo', { word: 'x' }, { trace })).output).toMatchObject({ trace });
    await project.stopWorkers();
    expect(receiver.requests).toEqual([]);
  });
});
