import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../src/client/index.js';
import { readHistoryFile } from '../../src/worker/replay/read-history-file.js';
import { type ReplayEnd, replayHistory } from '../../src/worker/replay/replay-history.js';
import { buildMutant } from '../fixtures/mutated-workflows.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    ...operation('util.echo', 'if (input.file) appendFileSync(input.file, "ran\\n"); return input;'),
    ...workflow(
      'asks',
      'steps: [{ id: a, call: util.echo, with: { x: 1 } }, { id: ask, approval: { title: Go on? } }]\nfinally: [{ id: bye, call: util.echo, with: { file: "${{ input.file }}" } }]',
    ),
  });
});
afterAll(() => project.stop());

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

describe('a bug in the engine', () => {
  test('in the interpreter fails the task within five seconds, after its clean-up', async () => {
    const bundle = await buildMutant('bug', {
      file: 'workflows/approvals/await-approval.js',
      find: 'const raised = raise(',
      replace: 'undefined.planted(); const raised = raise(',
    });
    await project.restartWorkers(bundle);
    const file = join(project.root, 'bug.txt');
    const started = Date.now();
    const result = await project.run('asks', { file });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'internal.error' }, cleanup_ran: true });
    expect(Date.now() - started).toBeLessThan(5000);
    expect(existsSync(file)).toBe(true);
    await project.restartWorkers();
  });

  test('that makes a replay diverge is reported as engine.stuck, and the task continues once the bug is fixed', async () => {
    const { id } = await project.create('asks', { file: join(project.root, 'nd.txt') });
    expect(await project.wait(id, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
    const bundle = await buildMutant('nondeterminism', {
      file: 'workflows/task/begin-task.js',
      find: 'async function guardTask(run, branchStop) {',
      replace: 'async function guardTask(run, branchStop) { await sleep(1000);',
    });
    await project.restartWorkers(bundle);
    const deciding = failure(decide(project.connection, id, 'approve', { by: 'x' }));
    expect(await failure(project.wait(id))).toMatchObject({ code: 'engine.stuck' });
    // The decision gives up before three workflow tasks have failed.
    expect(await deciding).toMatchObject({ code: expect.stringMatching(/^(engine\.stuck|worker\.unavailable)$/) });
    await project.restartWorkers();
    // Temporal waits ten seconds for the attempt of the old worker before it asks another one.
    const again = async () =>
      (await failure(decide(project.connection, id, 'approve', { by: 'x' })))?.code ?? 'approved';
    // The server may have kept the first decision, and the task may have ended with it.
    await expect.poll(again, { timeout: 30_000, interval: 500 }).toMatch(/^(approved|task\.closed)$/);
    expect(await project.wait(id)).toMatchObject({ kind: 'ended', result: { status: 'succeeded' } });
  });
});

describe('a workflow that computes without an end', () => {
  test('fails its own workflow tasks; others go on, and it does once the bug is fixed', async () => {
    const asksIn = async (x: string): Promise<string> => {
      const { id } = await project.create('asks', { file: join(project.root, `${x}.txt`), x });
      expect(await project.wait(id, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
      return id;
    };
    const id = await asksIn('endless');
    const bundle = await buildMutant('endless', {
      file: 'workflows/task/begin-task.js',
      find: 'async function guardTask(run, branchStop) {',
      replace: "async function guardTask(run, branchStop) { if (run.input.value.x === 'endless') for (;;);",
    });
    await project.restartWorkers(bundle);
    const { temporal } = project.connection;
    await temporal.workflow.getHandle(id).signal('no-such-signal');
    await asksIn('one');
    const failures = async (): Promise<unknown[]> => {
      const { events } = await temporal.workflow.getHandle(id).fetchHistory();
      return (events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure?.message ?? []);
    };
    const message = `The workflow ${id} computed for 5 s without an end; its thread is replaced`;
    await expect.poll(failures, { timeout: 60_000, interval: 500 }).toContain(message);
    await asksIn('two');
    expect(await failure(project.wait(id, { approvalMs: 0 }))).toMatchObject({
      code: 'engine.stuck',
      message: expect.stringContaining(message),
    });
    await project.restartWorkers();
    // The server waits longer before each attempt.
    const again = () => project.wait(id, { approvalMs: 0 }).then(({ kind }) => kind, String);
    await expect.poll(again, { timeout: 180_000, interval: 1000 }).toBe('approval');
  }, 360_000);
});

describe('a recorded history', () => {
  const FOLDER = fileURLToPath(new URL('../histories', import.meta.url));
  const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  const UNGUARDED = `
agent-long-2 agent-long-3 agent-long-4 agent-long-5 changed-then-run
concurrency-newest-2 concurrency-token-4 concurrency-waiting-4 continue-as-new-2
continue-as-new-failed-2 continue-as-new-failed-3 continue-as-new-failed-4 continue-as-new-files-2
continue-as-new-files-3 continue-as-new-last-turn-2 continue-as-new-link-2 continue-as-new-link-3
continue-as-new-link-4 continue-as-new-link-5 continue-as-new-session continue-as-new-session-2
continue-as-new-waiting-2 deleted deleted-2 delivery-refused end-expired firing-refused moved
notify-2 notify-3 notify-4 refused refused-outside session session-cancelled session-idle
session-refused session-scripts
`;

  test('does not replay with an interpreter changed incompatibly: the gate fails', async () => {
    const mutant = await buildMutant('incompatible', {
      file: 'workflows/task/begin-task.js',
      find: 'async function guardTask(run, branchStop) {',
      replace: 'async function guardTask(run, branchStop) { await sleep(10);',
    });
    const results: ReplayEnd[] = [];
    for (const file of FILES)
      results.push(await replayHistory(readHistoryFile(join(FOLDER, file)), { workflowBundle: mutant }));
    const same = FILES.filter((_, at) => results[at]?.status === 'ok');
    // Locks, sessions, notices, deletions, and runs that end before or continue after the guards never reach the
    // changed code.
    expect([...new Set(same.map((file) => basename(file, '.json')))].sort()).toEqual(UNGUARDED.trim().split(/\s+/));
    for (const result of results.filter(({ status }) => status !== 'ok')) {
      expect(result).toMatchObject({ status: 'differs', difference: { event_id: expect.any(Number) } });
    }
    expect(results[FILES.indexOf(join('engine-1', 'call.json'))]).toMatchObject({
      difference: { event_id: 6, step: 'one', wanted: 'start a timer' },
    });
  }, 180_000);
});
