import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, viewTask } from '../../src/client/index.js';
import type { TaskRecord } from '../../src/contracts/record.js';
import { LONG } from '../fixtures/extent.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { operation } from '../fixtures/project-folder.js';
import { apiAbility } from '../fixtures/servers/definitions.js';
import { type RecordingService, startService } from '../fixtures/servers/recording-service.js';
import { newRunAfter, startTemporal, type TestServer } from '../fixtures/temporal-server.js';

/** Events after which the server suggests a new run; by default it takes thousands. */
const EVENTS = 60;

let server: TestServer;
let flows: Flows;
let service: RecordingService;

beforeAll(async () => {
  server = await startTemporal({ settings: newRunAfter(EVENTS) });
  service = await startService();
  const watched = { more: { hooks: { pre_call: ['warns'] } } };
  flows = await startFlows(
    {
      ...operation(
        'util.flaky',
        "const again = existsSync(input.file); appendFileSync(input.file, 'x\\n'); if (!again) process.exit(3);",
        { effects: 'write_additive' },
      ),
      ...apiAbility('util.call', service.origin, { method: 'GET', path: '/call' }, watched),
      'registry/hooks/PreAbilityCall.yaml':
        'hooks: [{ id: warns, handler: { expression: { warn_if: "input.n != null", reason: Again. } } }]',
    },
    server,
  );
});
afterAll(async () => {
  await flows.project.stop();
  await service.stop();
  await server.stop();
});

const ended = async (id: string) => {
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};

/** The runs of a task, oldest first, with their events and the bytes with which each was started. */
async function runsOf(id: string): Promise<{ bytes: number; events: number }[]> {
  const runs: { bytes: number; events: number }[] = [];
  const { temporal } = flows.project.connection;
  let runId: string | undefined =
    (await temporal.workflow.getHandle(id).describe()).raw.workflowExecutionInfo?.firstRunId ?? undefined;
  while (runId) {
    const { events } = await temporal.workflow.getHandle(id, runId).fetchHistory();
    const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const bytes = input.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
    runs.push({ bytes, events: events?.length ?? 0 });
    runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return runs;
}

/** The record has the start time of the first run, and counts the calls of all runs. */
async function recordsSameMoment(id: string): Promise<void> {
  const { temporal } = flows.project.connection;
  const first = (await temporal.workflow.getHandle(id).describe()).raw.workflowExecutionInfo?.firstRunId as string;
  const { startTime } = await temporal.workflow.getHandle(id, first).describe();
  const text = readFileSync(join(flows.project.root, '.system/implement', id, 'record.json'), 'utf8');
  const record = JSON.parse(text) as TaskRecord;
  expect(record.created_at).toBe(startTime.toISOString());
  expect((record.calls?.length ?? 0) + (record.calls_left_out ?? 0)).toBe(62);
}

describe('a task with a long history', () => {
  test('has its files in the next run, also in loops', LONG, async () => {
    const yaml = {
      make: 'output_files: { note: "*.txt" }',
      read: 'input_schema: { type: object, properties: { file: { type: object, format: file } } }',
    };
    const args = ', args: ["{output_dir}"], output: none';
    flows.project.write({
      ...operation('f.make', '', { yaml: yaml.make, script: args }),
      'scripts/f.make.mjs':
        "import { writeFileSync } from 'node:fs'; writeFileSync(`${process.argv[2]}/a.txt`, 'kept');",
      ...operation('f.read', '', { yaml: yaml.read, script: ', args: ["${{ input.file }}"], output: text' }),
      'scripts/f.read.mjs':
        "import { readFileSync } from 'node:fs'; process.stdout.write(readFileSync(process.argv[2], 'utf8'));",
    });
    const { result, id } = await flows
      .run(
        `
steps:
  - { id: make, call: f.make }
  - id: all
    foreach: input.items
    as: n
    steps:
      - { id: own, call: f.make }
      - { id: read, call: f.read, with: { file: "\${{ n % 2 == 0 ? steps.own.files.note : steps.make.files.note }}" } }
  - { id: last, call: f.read, with: { file: "\${{ steps.make.files.note }}" } }
output: ["\${{ steps.last.output.text }}", "\${{ size(steps.all.output.filter(o, o.text == 'kept')) }}"]`,
        { items: [...Array(12).keys()] },
      )
      .then((result) => ({ result, id: result.task_key as string }));
    expect(result).toMatchObject({ status: 'succeeded', output: ['kept', 12] });
    expect(result.files).toHaveLength(13);
    expect((await runsOf(id)).length).toBeGreaterThan(1);
  });

  test('continues as a new run, makes each call once, and gives the same result', async () => {
    const result = await flows.run(
      `
steps:
  - { id: before, call: util.note, with: { file: "\${{ input.file }}", text: before } }
  - id: all
    foreach: input.items
    as: n
    max_parallel: 5
    steps: [{ id: noted, call: util.note, with: { file: "\${{ input.file }}", text: "\${{ string(n) }}" } }]
  - { id: after, call: util.note, with: { file: "\${{ input.file }}", text: "\${{ steps.before.output.text }} and after" } }
output: { count: "\${{ size(steps.all.output) }}", last: "\${{ steps.all.output[59].text }}", after: "\${{ steps.after.output.text }}" }`,
      { file: flows.file('long'), items: Array.from({ length: 60 }, (_, n) => n) },
    );
    expect(result).toMatchObject({
      status: 'succeeded',
      output: { count: 60, last: '59', after: 'before and after' },
      warnings: [],
    });
    expect(result.steps).toMatchObject([
      { path: 'before', status: 'succeeded', attempts: 1 },
      { path: 'all', status: 'succeeded' },
      { path: 'all/*/noted', turns: 60, attempts: 60, status: 'succeeded' },
      { path: 'after', status: 'succeeded' },
    ]);
    const lines = flows.lines('long');
    expect(lines).toHaveLength(62);
    expect(new Set(lines).size).toBe(62);
    const runs = await runsOf(result.task_key as string);
    expect(runs.length).toBeGreaterThan(3);
    await recordsSameMoment(result.task_key as string);
  });

  test('continues between two attempts of a group, each of which makes its additive call once', LONG, async () => {
    const items = Array.from({ length: 40 }, (_, n) => n).join(', ');
    const result = await flows.run(
      `
steps:
  - id: p
    parallel:
      tried:
        retry: { attempts: 2, first: 60s, max: 60s }
        steps: [{ id: added, call: util.flaky, with: { file: "\${{ input.file }}" } }]
      busy:
        steps:
          - { id: begun, wait: { until: steps.added.status == "failed" } }
          - { id: fills, foreach: [${items}], as: n, steps: [{ id: filled, call: util.echo, with: {} }] }`,
      { file: flows.file('flaky') },
    );
    expect(result).toMatchObject({ status: 'succeeded' });
    expect(flows.lines('flaky')).toEqual(['x', 'x']);
    expect((await runsOf(result.task_key as string)).length).toBeGreaterThan(1);
  });

  test('keeps waits, approvals, signals, time-outs and pending undo steps', LONG, async () => {
    const busy = (id: string, count: number) =>
      `{ id: ${id}, foreach: [${Array.from({ length: count }, (_, n) => n).join(', ')}], as: n, steps: [{ id: ${id}_call, call: util.echo, with: {} }] }`;
    const yaml = `
steps:
  - id: seed
    call: util.note
    with: { file: "\${{ input.file }}", text: seeded }
    undo: { call: util.note, with: { file: "\${{ input.file }}", text: undone } }
  - id: p
    parallel:
      asks: { approval: { title: Go on? } }
      hears: { wait: { signal: go } }
      early: { steps: [{ id: later, wait: { signal: start } }, { id: kept, wait: { signal: kept } }] }
      sleeps: { wait: 6s }
      loops: { repeat: { until: steps.probe.output.n >= 30, max: 50 }, steps: [{ id: probe, call: util.count, with: { file: "\${{ input.count }}" } }] }
      busy: { steps: [${busy('x', 40)}] }
  - { id: limited, steps: [{ id: w, wait: { signal: never } }], timeout: 1s }`;
    const input = { file: flows.file('kept'), count: flows.file('kept-count') };
    const { id } = await flows.project.create(flows.define(yaml), input);
    const { connection } = flows.project;
    const handle = connection.temporal.workflow.getHandle(id);
    await handle.signal('kept', { early: true });
    const started = Date.now();
    const done = async () => {
      const { view } = await viewTask(connection, id);
      return [view?.progress['p/busy']?.status, view?.progress['p/loops']?.status];
    };
    await expect.poll(done, { timeout: 30_000 }).toEqual(['succeeded', 'succeeded']);
    expect((await runsOf(id)).length).toBeGreaterThan(1);
    await decide(connection, id, 'approve', { by: 'tester' });
    await handle.signal('go', { n: 1 });
    await handle.signal('start');
    const result = await ended(id);
    expect(Date.now() - started).toBeGreaterThan(5500);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'timeout.step', step: 'limited' } });
    expect(result.approvals).toMatchObject([{ status: 'approved', path: 'p/asks' }]);
    expect(flows.lines('kept')).toEqual(['seeded', 'undone']);
    expect(flows.lines('kept-count')).toEqual(['30']);
  });

  test('drops the outputs that nothing reads', async () => {
    const text = 'x'.repeat(2000);
    const result = await flows.run(
      `
steps:
  - id: all
    foreach: input.items
    as: n
    max_parallel: 5
    steps: [{ id: large, call: util.echo, with: { text: "\${{ input.text }}" } }]`,
      { text, items: Array.from({ length: 60 }, (_, n) => n) },
    );
    expect(result.status).toBe('succeeded');
    const runs = await runsOf(result.task_key as string);
    const [first] = runs;
    for (const { bytes } of runs) expect(bytes).toBeLessThan((first?.bytes as number) + 16_000);
  });

  test('carries a few bytes for each call, and a bounded part of the answers of hooks', LONG, async () => {
    const items = Array.from({ length: 600 }, (_, n) => n);
    const result = await flows.run(
      'steps: [{ id: all, foreach: input.items, as: n, max_parallel: 20, steps: [{ id: one, call: util.call, with: { n: "${{ n }}" } }] }]',
      { items },
    );
    expect(result).toMatchObject({ status: 'succeeded', steps: [{}, { turns: 600, status: 'succeeded' }] });
    expect(service.requestsOf('/call')).toHaveLength(600);
    const runs = await runsOf(result.task_key as string);
    const [first, last] = [runs[0]?.bytes ?? 0, runs.at(-1)?.bytes ?? 0];
    expect(runs.length).toBeGreaterThan(10);
    // Answers of hooks are dropped at 96 KiB; `npm run test:long` has 5,000 calls.
    expect(last - first).toBeLessThan(600 * 20 + 96 * 1024);
  });
});
