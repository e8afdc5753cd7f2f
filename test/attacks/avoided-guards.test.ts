import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTask } from '../../src/client/index.js';
import { ACTIVITIES, taskQueueOf, WORKFLOWS } from '../../src/contracts/names.js';
import type { PlanOperation } from '../../src/contracts/plan.js';
import type { TaskResult, TaskStart } from '../../src/contracts/task.js';
import { sealMark } from '../../src/rules/plans/plan-digest.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { continueElsewhere, markerOf, orderActivity, startChild, startForeign } from '../fixtures/foreign-workflow.js';
import { genuineStart } from '../fixtures/genuine-start.js';
import { operation, type ProjectFiles, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const USER = { name: 'ada', source: 'claimed' } as const;
let project: RunningProject;
let server: Server;
const received: string[] = [];

const DENIES = "#!/bin/sh\ncat > /dev/null\necho 'not this' >&2\nexit 2\n";
const ALLOWS = '#!/bin/sh\ncat > /dev/null\nexit 0\n';
const guards = (decision: string) =>
  operation('guard.checks', `return { guard_decision: '${decision}', reason: 'so' };`, {
    yaml: 'input_schema: { type: object }',
  });
const CALL_HOOKS = `
hooks:
  - { id: no_agents, match: { abilities: [op.caller], callers: [agent] }, blocking: true, handler: { expression: { deny_if: "true", reason: No agents. } } }
  - { id: check, match: { abilities: [op.checked] }, blocking: true, handler: { ability: guard.checks } }
  - id: foreign
    match: { abilities: [op.foreign] }
    blocking: true
    handler: { script: { path: guards/foreign.sh }, format: claude-code }
    as: [{ match: { abilities: [op.foreign] }, tool_name: Bash, tool_input: { command: "\${{ input.file }}" } }]
    must_deny: [{ ability: op.foreign, input: { file: x } }]
`;

const op = (id: string): ProjectFiles =>
  operation(id, "appendFileSync(input.file, 'x'); return 1;", { effects: 'write_additive' });

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push(String(request.url));
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const notify = `notify: [{ on: [task.failed], webhook: "env:HOOK_URL", format: slack, environments: [dev] }]\npolicy: { allowed_hosts: ["127.0.0.1:${port}"] }\n`;
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }', notify),
    '.env': `HOOK_URL=http://127.0.0.1:${port}/hook\n`,
    'registry/hooks/PreAbilityCall.yaml': CALL_HOOKS,
    'guards/foreign.sh': DENIES,
    ...guards('deny'),
    ...op('op.caller'),
    ...op('op.checked'),
    ...op('op.foreign'),
    ...op('op.free'),
  });
  await project.run('op.free', { file: fileOf('free') });
});
afterAll(async () => {
  await project.stop();
  server.close();
});

const queue = () => taskQueueOf(project.connection.project, 'dev', 'local');
const fileOf = (key: string) => join(project.root, key);
const client = () => project.connection.temporal.workflow;
const endOf = async (id: string): Promise<TaskResult> => {
  const end = await project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};

/** The end of a run of `op.caller` that foreign code hands over to the workers, which Temporal attests. */
async function endOfForged(key: string, start: TaskStart): Promise<string | undefined> {
  const { connection } = project;
  const at = await startForeign(connection, key, 'op.caller', []);
  await continueElsewhere(connection, at, { type: 'op.caller', queue: queue(), args: nextArguments(start) });
  return client()
    .getHandle(key)
    .result()
    .then(
      (result) => (result as TaskResult).error?.code,
      (error: { cause?: { type?: string } }) => error.cause?.type,
    );
}

describe('a guard for agents is not avoided by forging the caller after the seal', () => {
  test.each<[string, (start: TaskStart) => Partial<TaskStart>]>([
    ['in the seal', ({ seal }) => ({ seal: { ...seal, caller: 'person' } })],
    ['with the seal of a person of another task', () => ({})],
    ['beside the seal', ({ options }) => ({ options: { ...options, caller: 'person' } })],
    ['as that of a task called by another one', () => ({ child: { ability: 'op.caller', left_ms: 60_000 } })],
    ['by a session that is not part of the seal', ({ options }) => ({ options: { ...options, session: 's-1' } })],
    [
      'by hooks removed from the plan',
      ({ plan }) => {
        const own = plan.operations['op.caller'] as PlanOperation;
        const bare = { ...own, hooks: { pre_create: [], pre_call: [], post_call: [] } };
        return { plan: { ...plan, operations: { 'op.caller': bare } } };
      },
    ],
  ])('%s', async (how, change) => {
    const key = `caller-${how.replaceAll(' ', '-')}`;
    const input = { file: fileOf(key) };
    const start = await genuineStart(project, key, 'op.caller', input, { user: USER, caller: 'agent' });
    const other = how.startsWith('with')
      ? await genuineStart(project, `${key}-other`, 'op.caller', input, { user: USER, caller: 'person' })
      : undefined;
    const end = await endOfForged(key, { ...start, ...change(start), ...(other && { seal: other.seal }) });
    expect(['seal.invalid', 'guard.denied']).toContain(end);
    expect(existsSync(fileOf(key))).toBe(false);
  });

  test.each(['session', 'child', 'root', undefined])('by a start that claims to be %s', async (caller) => {
    const key = `claims-${caller}`;
    const started = client().execute('op.caller', {
      workflowId: key,
      taskQueue: queue(),
      args: [{ file: fileOf(key) }, { user: { name: 'ada' }, ...(caller && { caller }) }],
    });
    await expect(started).rejects.toMatchObject({ cause: { type: 'guard.denied' } });
    expect(existsSync(fileOf(key))).toBe(false);
  });
});

describe('a task is guarded by the definitions of its creation, even after an edit of', () => {
  const edited = async (ability: string, key: string, files: ProjectFiles) => {
    const { id } = await project.create(ability, { file: fileOf(key) }, { key, run: false });
    project.write(files);
    await project.restartWorkers();
    await runTask(project.connection, id);
    const result = await endOf(id);
    expect(existsSync(fileOf(key))).toBe(false);
    return result;
  };
  const restore = () =>
    project.write({ 'registry/hooks/PreAbilityCall.yaml': CALL_HOOKS, 'guards/foreign.sh': DENIES, ...guards('deny') });

  test.each<[string, string, ProjectFiles]>([
    ['the script of the ability that a guard calls', 'op.checked', guards('allow')],
    [
      'the ability that a guard calls, which is now another script',
      'op.checked',
      {
        ...operation('guard.checks', 'return {};', { yaml: 'input_schema: { type: object }' }),
        'scripts/guard.checks.mjs': 'process.exit(0)',
      },
    ],
    ['the hooks, all of which were removed', 'op.checked', { 'registry/hooks/PreAbilityCall.yaml': 'hooks: []\n' }],
    ['the hooks, which can no longer be read', 'op.checked', { 'registry/hooks/PreAbilityCall.yaml': 'hooks: [{{{\n' }],
    ['the guard of another tool', 'op.foreign', { 'guards/foreign.sh': ALLOWS }],
  ])('%s', async (what, ability, files) => {
    const result = await edited(ability, `edited-${what.length}`, files);
    restore();
    expect(result).toMatchObject({ status: 'denied' });
    expect(['guard.denied', 'hook.failed']).toContain(result.error?.code);
  });

  test('a guard that was proved to deny and is then edited is proved again, and fails', async () => {
    const file = fileOf('proved');
    expect(await project.run('op.foreign', { file })).toMatchObject({ error: { code: 'guard.denied' } });
    project.write({ 'guards/foreign.sh': ALLOWS });
    expect(await project.run('op.foreign', { file })).toMatchObject({
      status: 'denied',
      error: { code: 'hook.failed' },
    });
    restore();
    expect(existsSync(file)).toBe(false);
  });

  test('no task is created while the hooks cannot be read', async () => {
    const file = fileOf('unreadable');
    project.write({ 'registry/hooks/PreAbilityCall.yaml': 'hooks: [{{{\n' });
    await expect(project.run('op.checked', { file })).rejects.toMatchObject({
      code: expect.stringMatching(/^definition\./),
    });
    rmSync(fileOf('registry/hooks/PreAbilityCall.yaml'));
    project.write({ 'registry/hooks/PreAbilityCall.yml': CALL_HOOKS });
    const result = await project.run('op.checked', { file }).catch((error: unknown) => error);
    expect(result).not.toMatchObject({ status: 'succeeded' });
    rmSync(fileOf('registry/hooks/PreAbilityCall.yml'));
    restore();
    expect(existsSync(file)).toBe(false);
  });
});

test('foreign code with a genuine plan and seal gets nothing proved, checked, ended or sent', async () => {
  const key = 'foreign-activities';
  const start = await genuineStart(project, key, 'op.free', { file: fileOf(key) });
  const marker = await markerOf(project.connection, key);
  const at = await startForeign(project.connection, key, 'op.free', [start.input, start.options]);
  const notice = {
    id: 'x',
    event: 'task.failed',
    at: '',
    project: 'p',
    task_key: key,
    ability: 'op.free',
    environment: 'dev',
  };
  const argument = {
    seal: sealMark(start.seal),
    call_id: 'x',
    status: 'denied',
    notice,
    target: 0,
    key_id: 'test',
    session: 's',
    word: { kind: 'ended' },
    hook: 'limit',
    id: 'x',
    by: 1,
    schedule: 'nightly',
    since: '',
    mac: '00',
  };
  for (const type of [
    ACTIVITIES.prove,
    ACTIVITIES.endCall,
    ACTIVITIES.notify,
    ACTIVITIES.checkWord,
    ACTIVITIES.findLink,
    ACTIVITIES.checkFiring,
    ACTIVITIES.raiseLimit,
  ]) {
    expect([type, await orderActivity(project.connection, at, { type, queue: queue(), argument, marker })]).toEqual([
      type,
      'seal.invalid',
    ]);
  }
  // Nor as a child of a workflow that looks like the task.
  await startChild(project.connection, at, {
    workflowId: `notify:${key}`,
    type: WORKFLOWS.notify,
    queue: queue(),
    args: [{ notice, targets: [0] }],
  });
  await expect
    .poll(
      () =>
        client()
          .getHandle(`notify:${key}`)
          .result()
          .catch(() => undefined),
      { timeout: 20_000 },
    )
    .toEqual([expect.stringMatching(/^0: .+/)]);
  expect(received).toEqual([]);
  expect(existsSync(fileOf(key))).toBe(false);
  expect(readFileSync(fileOf('free'), 'utf8')).toBe('x');
});
