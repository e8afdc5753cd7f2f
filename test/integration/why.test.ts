import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cancelTask, decide, explainTask, openApprovals } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import type { TaskStory } from '../../src/contracts/story.js';
import { renderStory } from '../../src/doors/cli/output/story/render-story.js';
import { nextCommands } from '../../src/shown/next-commands.js';
import { LONG } from '../fixtures/extent.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

const RETRY = 'retry: { attempts: 4, first: 50ms, factor: 1, max: 50ms }';
/** Fails as often as requested, each time with a different text. */
const FLAKY =
  'appendFileSync(input.file, "x"); const n = readFileSync(input.file, "utf8").length; if (n <= input.times) { process.stderr.write(`not yet, ${n}\\n`); process.exit(1); } return { n };';

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile(
      '{ dev: {}, prod: { protected: true, approve: [destructive], approvers: [managers], quorum: 2, self_approval: false } }',
      'people: { managers: [alice, bob, tester] }\n',
    ),
    'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - { id: early, handler: { expression: { warn_if: "true", reason: Be careful. } } }
  - { id: never, handler: { expression: { deny_if: "has(input.forbidden)", reason: Never., suggestion: Leave it. } } }
`,
    'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: lets, handler: { expression: { deny_if: "false", reason: unused } } }
  - { id: stops, handler: { expression: { deny_if: "input.n > 5", reason: Too large., suggestion: Pass less. } } }
  - { id: crashes, handler: { script: { path: hooks/crash.mjs } } }
`,
    'registry/hooks/PostAbilityCall.yaml': `
hooks:
  - { id: reports, handler: { expression: { warn_if: "outcome.status == 'failed'", reason: It failed. } } }
`,
    'hooks/crash.mjs': 'console.error("kaput"); process.exit(7);',
    ...operation('u.flaky', FLAKY, { effects: 'write_idempotent' }),
    ...operation('u.guarded', 'return input;', {
      yaml: 'hooks: { pre_create: [early, never], pre_call: [lets, stops] }',
    }),
    ...operation('u.unguarded', 'return 1;', { yaml: 'hooks: { pre_call: [crashes] }' }),
    ...operation('u.drop', 'return 1;', { effects: 'destructive' }),
    ...operation('u.slow', 'writeFileSync(input.file, "started"); await sleep(60_000);', {
      script: ', timeout_sec: 60',
    }),
    ...operation('u.exit', 'process.stderr.write("no luck\\n"); process.exit(3);', { effects: 'write_additive' }),
    ...workflow(
      'retries',
      `
hooks: { post_call: [reports] }
steps:
  - { id: skipped, if: "input.times > 100", let: { x: 1 } }
  - { id: flaky, call: u.flaky, with: { file: "\${{ input.file }}", times: "\${{ input.times }}" }, ${RETRY} }
output: "\${{ steps.flaky.output.n }}"`,
    ),
    ...workflow(
      'patient',
      'steps: [{ id: flaky, call: u.flaky, with: "${{ input }}", retry: { attempts: 2, first: 60s, max: 60s }, timeout: 5m }]',
    ),
    ...workflow(
      'rounds',
      'steps: [{ id: g, retry: { attempts: 2, first: 50ms }, steps: [{ id: c, call: u.exit, with: {} }] }]',
    ),
    ...workflow(
      'fails',
      `
steps:
  - { id: tolerated, fail: { code: mine.own, message: As planned }, continue_on_error: true }
  - { id: both, parallel: { left: { call: u.exit, with: {} }, right: { let: { x: 1 } } } }
  - { id: after, let: { y: 1 } }
finally: [{ id: bye, let: { z: 1 } }]`,
    ),
    ...workflow(
      'release',
      'steps: [{ id: ask, approval: { title: Release?, approvers: [managers], quorum: 2 } }, { id: then, let: { x: 1 } }]',
    ),
    ...workflow(
      'slow',
      'steps: [{ id: s, call: u.slow, with: { file: "${{ input.file }}" } }]\nfinally: [{ id: bye, let: { z: 1 } }]',
    ),
  });
});
afterAll(() => project.stop());

let count = 0;
const newFile = () => join(project.root, `file-${(count += 1)}`);
const why = (id: string) => explainTask(project.connection, id);
const text = (story: TaskStory) => renderStory(story, nextCommands(story), (_, plain) => plain);
const commands = (story: TaskStory) => nextCommands(story).map(({ command }) => command);
const step = (story: TaskStory, path: string) => story.steps.find((one) => one.path === path);

/** Runs an ability to its end, and returns the explanation. */
async function ended(ability: string, input: JsonObject = {}, more = {}): Promise<TaskStory> {
  const { task_key } = await project.run(ability, input, more);
  return why(task_key as string);
}

/** Starts an ability and waits until it requests an approval. */
async function createWaiting(ability: string, input: JsonObject = {}, environment = 'dev'): Promise<string> {
  const { id } = await project.create(ability, input, { environment });
  await expect.poll(async () => (await openApprovals(project.connection, id)).length, { timeout: 20_000 }).toBe(1);
  return id;
}

describe('a task that succeeded', () => {
  test('shows definition, resolution, hooks, and each attempt with its details', async () => {
    const story = await ended('retries', { file: newFile(), times: 3 });
    expect(story).toMatchObject({
      status: 'succeeded',
      source: 'history',
      gaps: [],
      definition: { id: 'retries', version: 1, summary: 'A test.', kind: 'workflow' },
      environment: 'dev',
      resolution: {
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        placement: 'local',
        operations: [
          {
            key: 'u.flaky',
            version: 1,
            implementation: 'u.flaky',
            kind: 'script',
            runs: 'node scripts/u.flaky.mjs',
            effects: 'write_idempotent',
          },
        ],
        hooks: ['reports'],
      },
      requested_by: { name: 'tester', source: 'claimed' },
      input: { times: 3 },
      hooks: [{ hook_id: 'reports', phase: 'PostAbilityCall', decision: 'allow' }],
      output: 4,
    });
    expect(step(story, 'skipped')).toMatchObject({ status: 'skipped', condition: 'input.times > 100' });
    expect(step(story, 'flaky')).toMatchObject({
      status: 'succeeded',
      attempts: 4,
      started_at: expect.stringMatching(/^\d{4}-/),
      finished_at: expect.stringMatching(/^\d{4}-/),
      tries: [
        { number: 1, status: 'failed', error: null, last_words: 'not yet, 1' },
        { number: 2, status: 'failed', error: null, last_words: 'not yet, 2' },
        { number: 3, status: 'failed', error: { code: 'script.exit', message: expect.stringMatching(/not yet, 3/) } },
        { number: 4, status: 'succeeded', error: null },
      ],
    });
    expect(text(story)).toMatch(/attempt 1 failed; its last output: not yet, 1\n/);
    expect(commands(story)).toEqual([`ability task result ${story.task_key}`]);
  });

  test('shows the answers of the hooks before its creation', async () => {
    const story = await ended('u.guarded', { n: 1 });
    expect(story.hooks.map(({ hook_id, phase, decision }) => [hook_id, phase, decision])).toEqual([
      ['early', 'PreAbilityCreate', 'allow'],
      ['never', 'PreAbilityCreate', 'allow'],
      ['lets', 'PreAbilityCall', 'allow'],
      ['stops', 'PreAbilityCall', 'allow'],
    ]);
    expect(text(story)).toMatch(/hook early \(PreAbilityCreate.*\) allowed it\n +warning Be careful\./);
  });

  test('is explained for a direct run as well', LONG, async () => {
    const { id } = await project.create('u.guarded', { n: 1 }, { direct: true });
    await project.wait(id);
    expect(await why(id)).toMatchObject({ task_key: null, status: 'succeeded', resolution: { placement: 'local' } });
  });
});

describe('a task that failed', () => {
  test('shows the step, its error, the tolerated errors, and the steps that were never reached', async () => {
    const story = await ended('fails');
    expect(story).toMatchObject({ status: 'failed', error: { code: 'script.exit', step: 'left' }, cleanup_ran: true });
    expect(step(story, 'tolerated')).toMatchObject({ error: { code: 'mine.own', message: 'As planned' } });
    expect(step(story, 'both/left')).toMatchObject({
      tries: [{ status: 'failed', error: { code: 'script.exit', message: expect.stringMatching(/no luck/) } }],
    });
    const output = text(story);
    expect(output).toMatch(/^fails v1 \(.*\) failed in step left: scripts\/u.exit.mjs ended with exit code 3\n/);
    expect(output).toMatch(/- after {2}skipped: it was not reached/);
    expect(output).toMatch(/its `finally` ran/);
    expect(commands(story)).toEqual([
      'ability explain script.exit',
      `ability task logs ${story.task_key} both/left`,
      `ability task retry ${story.task_key} --from left`,
      `ability task get ${story.task_key} | ability run fails --env dev --input -`,
    ]);
  });

  test('shows the rounds of a group that was tried again', LONG, async () => {
    const story = await ended('rounds');
    expect(step(story, 'g')).toMatchObject({ attempts: 2, tries: [] });
    expect(step(story, 'g/c')?.tries).toMatchObject([
      { round: 1, number: 1, status: 'failed', error: { code: 'script.exit' } },
      { round: 2, number: 1, status: 'failed', error: { code: 'script.exit' } },
    ]);
  });
});

describe('a task that was denied', () => {
  test('by a guard: shows which one, why, and the answers of the others', async () => {
    const story = await ended('u.guarded', { n: 9 });
    expect(story).toMatchObject({ status: 'denied', error: { code: 'guard.denied' } });
    const output = text(story);
    expect(output).toMatch(/^u\.guarded v1 \(.*\) was denied: Too large\. \(hook stops\)\n/);
    expect(output).toMatch(/hook lets \(PreAbilityCall\) allowed it\n/);
    expect(output).toMatch(/hook stops \(PreAbilityCall\) denied it: Too large\.\n +Pass less\./);
  });

  test('by a guard that failed: shows the failure, not a denial', async () => {
    const output = text(await ended('u.unguarded'));
    expect(output).toMatch(/hook crashes \(PreAbilityCall, \d+ms\) failed: it ended with exit code 7\n +kaput/);
  });

  test('by an approver: shows who was asked, who decided what, and which decisions did not count', async () => {
    const id = await createWaiting('release', {}, 'prod');
    const decisions = [
      { by: 'mallory' },
      { by: 'tester' },
      { by: 'alice', comment: 'fine\n  bob said yes' },
      { by: 'alice' },
    ];
    for (const decision of decisions) await decide(project.connection, id, 'approve', decision).catch(() => undefined);
    await decide(project.connection, id, 'deny', { by: 'bob', comment: 'too early' });
    await project.wait(id);
    const story = await why(id);
    expect(story).toMatchObject({
      status: 'denied',
      error: { code: 'approval.denied', step: 'ask' },
      approvals: [
        { status: 'denied', decisions: [{ decision: 'approve' }, { decision: 'deny' }], ignored: [{}, {}, {}] },
      ],
    });
    const output = text(story);
    expect(output).toMatch(/asked managers \(alice, bob, tester\), 2 of them, at /);
    expect(output).toMatch(/alice \(claimed\) said yes at \S+: fine bob said yes\n/);
    expect(output).toMatch(/bob \(claimed\) said no at \S+: too early\n/);
    expect(output).toMatch(
      /ignored: approve by mallory at \S+, because mallory is not among the approvers \(managers\)/,
    );
    expect(output).toMatch(/ignored: approve by tester at \S+, because tester asked for it/);
    expect(output).toMatch(/ignored: approve by alice at \S+, because alice has already decided/);
  });
});

describe('a task that is open', () => {
  test('waits for an approval: shows what is still needed, until when, and the command that decides', async () => {
    const id = await createWaiting('release', {}, 'prod');
    await decide(project.connection, id, 'approve', { by: 'alice' });
    const story = await why(id);
    expect(story).toMatchObject({ status: 'waiting_approval', source: 'worker', finished_at: null });
    expect(step(story, 'ask')).toMatchObject({ status: 'waiting', started_at: expect.stringMatching(/^\d{4}-/) });
    const output = text(story);
    expect(output).toMatch(/^release v1 \(.*\) waits for people: Release\?\n/);
    expect(output).toMatch(/open: 1 more needed until .+ \(in 24 h\); without an answer it is denied/);
    expect(commands(story)[0]).toBe(`ability approve ${id} --approval ${story.approvals[0]?.id} --as NAME`);
    await cancelTask(project.connection, id);
  });

  test('was created and waits to be run', async () => {
    const { id } = await project.create('u.guarded', { n: 1 }, { run: false });
    const story = await why(id);
    expect(story).toMatchObject({ status: 'created', started_at: null, hooks: [{ hook_id: 'early' }, {}] });
    expect(commands(story)[0]).toBe(`ability task run ${id}`);
    await cancelTask(project.connection, id);
  });

  test('waits for its next attempt: shows why the last one failed, and when the next one starts', LONG, async () => {
    const { id } = await project.create('patient', { file: newFile(), times: 1 });
    await expect
      .poll(async () => step(await why(id), 'flaky')?.tries, { timeout: 20_000 })
      .toMatchObject([
        { number: 1, status: 'failed', error: { code: 'script.exit' } },
        { number: 2, status: 'waiting', starts_at: expect.stringMatching(/^\d{4}-/) },
      ]);
    expect(text(await why(id))).toMatch(/attempt 2 starts in \d+ s \(/);
    await cancelTask(project.connection, id);
  });

  test('runs: shows the attempt, its start and its worker; then how it was cancelled', async () => {
    const file = newFile();
    const { id } = await project.create('slow', { file });
    await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true);
    const running = await why(id);
    expect(step(running, 's')?.tries).toMatchObject([{ number: 1, status: 'running', worker: expect.any(String) }]);
    expect(text(running)).toMatch(/^slow v1 \(.*\) is running s\n/);
    await cancelTask(project.connection, id);
    await project.wait(id);
    const story = await why(id);
    expect(story).toMatchObject({ status: 'cancelled', cleanup_ran: true });
    expect(step(story, 's')).toMatchObject({ status: 'cancelled', tries: [{ status: 'cancelled' }] });
    expect(text(story)).toMatch(/^slow v1 \(.*\) was cancelled\n/);
  });

  test('was terminated: shows its calls from the history, and what is lost', async () => {
    const file = newFile();
    const { id } = await project.create('slow', { file });
    await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true);
    await project.connection.temporal.workflow.getHandle(id).terminate('enough');
    const story = await why(id);
    expect(story).toMatchObject({ status: 'cancelled', error: { code: 'task.terminated' }, resolution: {} });
    expect(step(story, 's')).toMatchObject({ call: 'u.slow', status: 'unknown' });
    expect(story.gaps).toEqual([expect.stringMatching(/terminated task leaves no result/)]);
  });
});

describe('a task that Temporal no longer knows', () => {
  let failed: string;
  let unfinished: string;
  let lost: string;

  beforeAll(async () => {
    const { create, run, connection } = project;
    failed = (await run('fails')).task_key as string;
    lost = (await run('u.guarded', { n: 1 })).task_key as string;
    unfinished = (await create('release', {}, { environment: 'prod' })).id;
    await connection.temporal.workflow.getHandle(unfinished).terminate();
    await Promise.all([failed, lost, unfinished].map(forget));
    rmSync(join(project.root, '.system/implement', lost), { recursive: true });
  });

  /** Ends the retention of a task, which takes the server some time. */
  async function forget(id: string): Promise<void> {
    const { temporal, namespace } = project.connection;
    await temporal.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId: id } });
    const describing = () => temporal.workflow.getHandle(id).describe();
    await vi.waitFor(() => expect(describing()).rejects.toThrow(), { timeout: 100_000, interval: 250 });
  }

  test('is shown from its record, with a note about what is lost with the history', async () => {
    const story = await why(failed);
    expect(story).toMatchObject({
      source: 'record',
      status: 'failed',
      error: { code: 'script.exit', step: 'left' },
      resolution: { operations: [{ key: 'u.exit' }] },
      gaps: [expect.stringMatching(/Temporal no longer has this task/)],
    });
    expect(step(story, 'both/left')).toMatchObject({ tries: [{ status: 'failed', error: { code: 'script.exit' } }] });
    expect(text(story)).toMatch(/Not known\n {2}Temporal no longer has this task/);
  });

  test('before its end: its record shows the request, with a note that the end is missing', async () => {
    const story = await why(unfinished);
    expect(story).toMatchObject({ source: 'record', status: 'created', definition: { id: 'release' } });
    expect(story.gaps).toContainEqual(expect.stringMatching(/how the task ended is not in it/));
  });

  test('is not found if it has no record either', async () => {
    await expect(why(lost)).rejects.toMatchObject({ code: 'task.not_found' });
  });
});

test('R-000-73: a task that preflight refused is explained with its request and the reason', async () => {
  await project.create('u.guarded', { n: 1, forbidden: true }, { key: 'refused' }).catch(() => undefined);
  expect(await why('refused')).toMatchObject({
    status: 'unavailable',
    definition: { id: 'u.guarded' },
    input: { n: 1, forbidden: true },
    error: { code: 'guard.denied', message: 'Never. (hook never)', suggestion: 'Leave it.' },
    steps: [],
  });
  await expect(why('nothing')).rejects.toMatchObject({ code: 'task.not_found' });
});
