import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  cancelTask,
  changeInput,
  decide,
  explainTask,
  listTasks,
  readInput,
  readRecord,
  runTask,
  viewTask,
} from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { PLACEMENTS, taskQueueOf, UPDATES } from '../../src/contracts/names.js';
import type { InputEdit } from '../../src/contracts/task.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { LONG } from '../fixtures/extent.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { readStart } from '../fixtures/read-start.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

const FIELDS = Array.from({ length: 20 }, (_, index) => `f${index}`);
const PROPERTIES = `n: { type: integer }, note: { type: string, default: none }, ${FIELDS.map((name) => `${name}: { type: string }`).join(', ')}`;
const SCHEMA = `input_schema: { type: object, additionalProperties: false, properties: { ${PROPERTIES} } }`;
const REST = `steps: [{ id: a, call: util.echo, with: "\${{ input }}" }]\noutput: "\${{ steps.a.output }}"`;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {}, prod: { protected: true } }'),
    ...operation('util.echo', 'return input;', { yaml: SCHEMA }),
    ...workflow('guarded', `${SCHEMA}\nhooks: { pre_create: [small, ask, not_mallory] }\n${REST}`),
    ...workflow('slowly', `${SCHEMA}\nhooks: { pre_create: [slow] }\n${REST}`),
    'hooks/slow.mjs': `
import { writeFileSync } from 'node:fs';
writeFileSync('hook-called', '');
await new Promise((resolve) => setTimeout(resolve, 3000));
process.stdout.write(JSON.stringify({ status: 'ok', guard_decision: 'allow' }));
`,
    ...workflow('inner', `${SCHEMA}\nsteps: [{ id: ask, approval: { title: Sure? } }]`),
    ...workflow('outer', `${SCHEMA}\nsteps: [{ id: inside, call: inner, with: {} }]`),
    ...workflow('waits', 'steps: [{ id: w, wait: { signal: go } }]\noutput: "${{ steps.w.output }}"'),
    'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - { id: small, handler: { expression: { deny_if: "has(input.n) && input.n > 9", reason: Too large. } } }
  - { id: ask, handler: { expression: { confirm_if: "has(input.n) && input.n > 5", reason: Rather large. } } }
  - { id: slow, handler: { script: { path: hooks/slow.mjs } } }
  - { id: not_mallory, handler: { expression: { deny_if: "user.name == 'mallory'", reason: Not you. } } }
`,
  });
});
afterAll(() => project.stop());

const by = { name: 'editor', source: 'claimed' } as const;
const set = (key: string, fields: JsonObject, more: Partial<InputEdit> = {}) =>
  changeInput(project.connection, key, { set: fields, unset: [], by, ...more });
const created = async (input: JsonObject = { n: 1 }, ability = 'util.echo', environment = 'dev') =>
  (await project.create(ability, input, { run: false, environment })).id;
const ended = async (key: string) => {
  const end = await project.wait(key);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};
const refused = (promise: Promise<unknown>) =>
  promise.then(
    (value) => ({ code: 'none', message: 'nothing was refused', value }),
    (error) => error,
  );

describe('the input of a created task', () => {
  test('R-000-84, R-002-35: can be changed by its key, and the task runs with it', async () => {
    const key = await created();
    const input = { n: 2, f1: 'x', note: 'none' };
    expect(await set(key, { n: 2, f1: 'x' })).toEqual({ fields: ['f1', 'n'], changed: true, input, warnings: [] });
    expect(await viewTask(project.connection, key)).toMatchObject({
      source: 'worker',
      view: { status: 'created', input },
    });
    await runTask(project.connection, key);
    expect(await ended(key)).toMatchObject({ status: 'succeeded', output: input });
  });

  test('C-13, R-000-83: is updated everywhere, with who changed it and when', async () => {
    const key = await created({ n: 1 });
    await set(key, { n: 2 });
    await set(key, { note: 'two' }, { by: { name: 'second', source: 'claimed' } });
    const input = { n: 2, note: 'two' };
    const changes = [
      { by, fields: ['n'], at: expect.stringMatching(/Z$/) },
      { by: { name: 'second', source: 'claimed' }, fields: ['note'], at: expect.stringMatching(/Z$/) },
    ];
    // The run that continues with the change first records it.
    await expect
      .poll(() => readRecord(project.connection, key), { timeout: 20_000 })
      .toMatchObject({ input, changes, result: null });
    const text = () => readFileSync(join(project.root, '.system/implement', key, 'tool_call.md'), 'utf8');
    expect(text()).toMatch(/Changed \| .* by second \(claimed\): note/);
    expect((await viewTask(project.connection, key)).view).toMatchObject({ input, changes });
    const { created_at } = (await viewTask(project.connection, key)).view ?? {};
    expect(Date.parse(String(created_at))).toBeLessThanOrEqual(
      Date.parse(readRecord(project.connection, key)?.changes?.[0]?.at ?? ''),
    );
    expect(await explainTask(project.connection, key)).toMatchObject({ input, changes, created_at });
    await runTask(project.connection, key);
    expect(await ended(key)).toMatchObject({ changes, output: input, requested_by: { name: 'tester' } });
    expect(await readInput(project.connection, key)).toEqual(input);
    expect(await explainTask(project.connection, key)).toMatchObject({ input, changes, created_at, source: 'history' });
    expect(readRecord(project.connection, key)).toMatchObject({
      input,
      changes,
      created_at,
      result: { status: 'succeeded' },
    });
    expect(text()).toContain('"two"');
    const own = async () => (await listTasks(project.connection, { limit: 50 })).filter((one) => one.task_key === key);
    // The list lags behind by a moment.
    await expect.poll(own, { timeout: 20_000 }).toMatchObject([{ changed: { by: 'second' }, requested_by: 'tester' }]);
  });

  test('a removed field gets its default again; one that is not there cannot be removed', async () => {
    const key = await created({ n: 1, note: 'mine' });
    expect(await set(key, {}, { unset: ['note'] })).toMatchObject({ fields: ['note'], input: { n: 1, note: 'none' } });
    expect(await refused(set(key, {}, { unset: ['f1'] }))).toMatchObject({ code: 'input.invalid' });
  });

  test('set to its current value, it starts no new run', async () => {
    const key = await created({ n: 1 });
    const handle = project.connection.temporal.workflow.getHandle(key);
    const { runId } = await handle.describe();
    expect(await set(key, { n: 1 })).toMatchObject({ changed: false, fields: [] });
    expect((await handle.describe()).runId).toBe(runId);
  });

  test('C-37: a change refused by the contract or a hook changes nothing, and gives the reason', async () => {
    const key = await created({ n: 1 }, 'guarded');
    const before = readFileSync(join(project.root, '.system/implement', key, 'record.json'), 'utf8');
    const wrong = await refused(set(key, { n: 'two' }));
    expect(wrong).toMatchObject({ code: 'input.invalid' });
    expect(wrong.message).toMatch(/`n` must be integer/);
    expect(await refused(set(key, { zz: 1 }))).toMatchObject({ code: 'input.invalid' });
    expect(await refused(set(key, JSON.parse('{"__proto__": {"a": 1}}')))).toMatchObject({ code: 'input.invalid' });
    expect(await refused(set(key, { n: 10 }))).toMatchObject({ code: 'guard.denied' });
    expect(await refused(set(key, { n: 2 }, { by: { name: 'mallory', source: 'claimed' } }))).toMatchObject({
      code: 'guard.denied',
    });
    expect((await viewTask(project.connection, key)).view).toMatchObject({
      status: 'created',
      input: { n: 1, note: 'none' },
    });
    expect(readFileSync(join(project.root, '.system/implement', key, 'record.json'), 'utf8')).toBe(before);
  });

  test('C-37: a confirmation that hooks require for the new input is requested when it runs', async () => {
    const key = await created({ n: 1 }, 'guarded');
    const { warnings } = await set(key, { n: 6 });
    expect(warnings.join()).toMatch(/Rather large/);
    await runTask(project.connection, key);
    expect(await project.wait(key, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
    await decide(project.connection, key, 'approve', { by: 'ann' });
    expect(await ended(key)).toMatchObject({ output: { n: 6 } });
  });

  test('cannot be changed once the task was run, nor after its end', async () => {
    const key = await created({}, 'waits');
    await runTask(project.connection, key);
    expect(await refused(set(key, { n: 1 }))).toMatchObject({ code: 'task.started' });
    await cancelTask(project.connection, key);
    await ended(key);
    expect(await refused(set(key, { n: 1 }))).toMatchObject({ code: 'task.started' });
    expect(await refused(set('no-such-task', { n: 1 }))).toMatchObject({ code: 'task.not_found' });
    const running = await project.create('waits', {});
    expect(await refused(set(running.id, { n: 1 }))).toMatchObject({ code: 'task.started' });
    await cancelTask(project.connection, running.id);
  });

  test('the task keeps its key, which now stands for its current input', async () => {
    const key = 'changed-key';
    await project.create('util.echo', { n: 1 }, { key, run: false });
    await set(key, { n: 2 });
    expect(await refused(project.create('util.echo', { n: 1 }, { key }))).toMatchObject({ code: 'task.key_conflict' });
    expect(await project.create('util.echo', { n: 2 }, { key })).toMatchObject({ attached: true });
    expect(await ended(key)).toMatchObject({ output: { n: 2 } });
  });

  test('signals and a pause from before a change are retained', LONG, async () => {
    const key = await created({}, 'waits');
    const handle = project.connection.temporal.workflow.getHandle(key);
    await handle.signal('go', { ok: 1 });
    await handle.signal('pause');
    await set(key, { n: 3 });
    expect((await viewTask(project.connection, key)).view).toMatchObject({ paused: true, status: 'created' });
    await handle.signal('resume');
    await runTask(project.connection, key);
    expect(await ended(key)).toMatchObject({ status: 'succeeded', output: { ok: 1 } });
  });

  test('a cancelled task has its last input', LONG, async () => {
    const key = await created();
    await set(key, { n: 7 });
    await cancelTask(project.connection, key);
    expect(await ended(key)).toMatchObject({ status: 'cancelled', changes: [{ fields: ['n'] }] });
    expect(readRecord(project.connection, key)).toMatchObject({ input: { n: 7 }, result: { status: 'cancelled' } });
  });

  test('an editor of the input counts as a requester, and may not approve it if deciding for oneself is forbidden', async () => {
    const key = await created({}, 'outer', 'prod');
    await set(key, { n: 1 });
    await runTask(project.connection, key);
    expect(await project.wait(key, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
    const no = await refused(decide(project.connection, key, 'approve', { by: 'editor' }));
    expect(no).toMatchObject({ code: 'approval.ignored' });
    expect(no.message).toMatch(/editor changed what was asked for/);
    expect(await refused(decide(project.connection, key, 'approve', { by: 'tester' }))).toMatchObject({
      code: 'approval.ignored',
    });
    await decide(project.connection, key, 'approve', { by: 'ann' });
    expect(await ended(key)).toMatchObject({ status: 'succeeded' });
  });
});

describe('concurrent changes', () => {
  test('twenty changes of different fields all hold', LONG, async () => {
    const key = await created();
    const answers = await Promise.all(FIELDS.map((name) => set(key, { [name]: `of ${name}` })));
    expect(answers.every(({ changed }) => changed)).toBe(true);
    const input = { n: 1, note: 'none', ...Object.fromEntries(FIELDS.map((name) => [name, `of ${name}`])) };
    expect((await viewTask(project.connection, key)).view?.input).toEqual(input);
    expect(readRecord(project.connection, key)?.changes).toHaveLength(20);
    await runTask(project.connection, key);
    expect(await ended(key)).toMatchObject({ status: 'succeeded', output: input });
  });

  test('R-000-84: of very many changes, the first and the last hundred are reported, and the authors of the others still count', {
    ...LONG,
    timeout: 120_000,
  }, async () => {
    const key = await created({}, 'outer', 'prod');
    await set(key, { n: 1 });
    await set(key, { n: 2 }, { by: { name: 'second', source: 'claimed' } });
    await set(key, { n: 3 }, { by: { name: 'third', source: 'claimed' } });
    for (let batch = 0; batch < 5; batch += 1) {
      await Promise.all(FIELDS.map((name) => set(key, { [name]: `of ${batch}` })));
    }
    const reported = { changes: expect.toSatisfy((changes: unknown[]) => changes.length === 101), changes_left: 2 };
    expect((await viewTask(project.connection, key)).view).toMatchObject(reported);
    expect(readRecord(project.connection, key)).toMatchObject(reported);
    expect(await explainTask(project.connection, key)).toMatchObject(reported);
    const text = readFileSync(join(project.root, '.system/implement', key, 'tool_call.md'), 'utf8');
    expect(text).toMatch(/Changed \| .*: n \|\n\| Changed \| and 2 more times \|\n/);
    await runTask(project.connection, key);
    expect(await project.wait(key, { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
    for (const name of ['second', 'third']) {
      const no = await refused(decide(project.connection, key, 'approve', { by: name }));
      expect(no).toMatchObject({ code: 'approval.ignored' });
    }
    await decide(project.connection, key, 'approve', { by: 'ann' });
    expect(await ended(key)).toMatchObject({ status: 'succeeded', ...reported });
    expect(await explainTask(project.connection, key)).toMatchObject({ ...reported, source: 'history' });
  });

  test(
    'a change and a run: the task runs with one of the two inputs, and with the new one if the change was confirmed',
    LONG,
    async () => {
      const race = async (index: number) => {
        const key = await created({ n: 1 });
        const handle = project.connection.temporal.workflow.getHandle(key);
        const runLater = async () => {
          for (let call = 0; call < index; call += 1) await handle.describe();
          await runTask(project.connection, key);
        };
        const [change] = await Promise.all([refused(set(key, { n: 2 })), runLater()]);
        const { status, output } = await ended(key);
        const confirmed = change.value?.changed === true;
        if (!confirmed) expect(change).toMatchObject({ code: 'task.started' });
        expect({ status, output }).toMatchObject({ status: 'succeeded', output: { n: confirmed ? 2 : 1 } });
        expect(readRecord(project.connection, key)?.input).toMatchObject({ n: confirmed ? 2 : 1 });
        return confirmed;
      };
      const outcomes: boolean[] = [];
      for (let batch = 0; batch < 20; batch += 5) {
        outcomes.push(...(await Promise.all([0, 1, 2, 3, 4].map((index) => race(batch + index)))));
      }
      expect(new Set(outcomes)).toEqual(new Set([true, false]));
    },
  );
});

describe('during a change', () => {
  test('a cancellation is never lost: the task ends cancelled, with the change if it was confirmed', LONG, async () => {
    const race = async (index: number) => {
      const key = await created({ n: 1 });
      const handle = project.connection.temporal.workflow.getHandle(key);
      const cancelLater = async () => {
        for (let call = 0; call < index; call += 1) await handle.describe();
        await cancelTask(project.connection, key);
      };
      const [change] = await Promise.all([refused(set(key, { n: 2 })), cancelLater()]);
      expect(await ended(key)).toMatchObject({ status: 'cancelled' });
      const confirmed = change.value?.changed === true;
      if (!confirmed) expect(change).toMatchObject({ code: 'task.started' });
      expect(readRecord(project.connection, key)).toMatchObject({
        input: { n: confirmed ? 2 : 1 },
        result: { status: 'cancelled' },
      });
    };
    for (let batch = 0; batch < 20; batch += 5) {
      await Promise.all([0, 1, 2, 3, 4].map((index) => race(batch + index)));
    }
  });

  test('a run during a slow hook waits for it, and uses the new input', LONG, async () => {
    const key = await created({ n: 1 }, 'slowly');
    const marker = join(project.root, 'hook-called');
    rmSync(marker);
    const change = set(key, { n: 2 });
    await expect.poll(() => existsSync(marker), { timeout: 20_000 }).toBe(true);
    await runTask(project.connection, key);
    expect(await change).toMatchObject({ changed: true });
    expect(await ended(key)).toMatchObject({ status: 'succeeded', output: { n: 2 } });
  });
});

describe('updates sent by hand', () => {
  const update = (key: string, edit: unknown) =>
    project.connection.temporal.workflow
      .getHandle(key)
      .executeUpdate(UPDATES.modify, { args: [edit] })
      .then(
        () => 'accepted',
        (error) => error.cause?.type ?? error.message,
      );

  test('C-37: a change with its own plan or seal is refused, and changes nothing', async () => {
    const key = await created();
    const other = await created({ n: 5 });
    const start = await readStart(project.connection, other);
    const edit = { set: {}, unset: [], by };
    expect(await update(key, { ...edit, plan: start.plan, seal: start.seal, input: start.input })).toBe('seal.invalid');
    expect(await update(key, { ...edit, seal: start.seal })).toBe('seal.invalid');
    expect(await update(key, undefined)).toBe('usage.invalid');
    expect(await update(key, { set: [], unset: 'n', by: 'me' })).toBe('usage.invalid');
    expect((await viewTask(project.connection, key)).view).toMatchObject({ input: { n: 1 } });
    expect((await viewTask(project.connection, key)).view?.changes).toBeUndefined();
  });

  test('C-37: a task without a seal of ours can neither get another input nor be started as a changed one', async () => {
    const start = await readStart(project.connection, await created({ n: 5 }));
    const { temporal } = project.connection;
    const { taskQueue } = await temporal.workflow.getHandle(start.seal.task).describe();
    const changed = { created_at: '2030-01-01T00:00:00.000Z', changes: [], applied: [], signals: [], paused: false };
    for (const [n, forged] of [
      { ...start, run: false },
      { ...start, changed },
    ].entries()) {
      const options = { taskQueue, workflowId: `forged-${n}`, args: nextArguments(forged) };
      const error = await refused(temporal.workflow.execute('util.echo', options));
      expect((error as unknown as { cause: { type: string } }).cause.type).toBe('seal.invalid');
    }
    expect(await update('forged-1', { set: { n: 6 }, unset: [], by })).toBe('workflow execution already completed');
  });
});

describe('a task moved by new definitions', () => {
  const steps = `${SCHEMA}\n${REST}`;
  const files = { ...operation('util.echo', 'return input;', { yaml: SCHEMA }), ...workflow('moves', steps) };
  const moved = workflow('moves', `${steps}\nplacement: cloud`);
  const edit = { set: { n: 2 }, unset: [], by };

  test('R-000-84: is not changed if no worker serves its new queue, and can still be run', LONG, async () => {
    const local = await runProject(files, { placements: ['local'] });
    try {
      const { id } = await local.create('moves', { n: 1 }, { run: false });
      const { taskQueue, runId } = await local.connection.temporal.workflow.getHandle(id).describe();
      local.write(moved);
      const answer = await refused(changeInput(local.connection, id, edit));
      expect(answer).toMatchObject({ code: 'placement.no_worker' });
      expect(answer.message).toContain(taskQueue.replace('-local', '-cloud'));
      expect(answer.suggestion).toBe('Start one: ability worker --env dev --placement cloud.');
      const after = await local.connection.temporal.workflow.getHandle(id).describe();
      expect(after).toMatchObject({ taskQueue, runId, status: { name: 'RUNNING' } });
      const { view } = await viewTask(local.connection, id);
      expect(view).toMatchObject({ status: 'created', input: { n: 1 } });
      expect(view?.changes).toBeUndefined();
      await runTask(local.connection, id);
      expect(await local.wait(id)).toMatchObject({ result: { status: 'succeeded', output: { n: 1 } } });
    } finally {
      await local.stop();
    }
  });

  test('R-000-84: continues in its new queue if a worker serves that', async () => {
    const both = await runProject(files, { placements: PLACEMENTS });
    try {
      const { id } = await both.create('moves', { n: 1 }, { run: false });
      both.write(moved);
      expect(await changeInput(both.connection, id, edit)).toMatchObject({ changed: true });
      const { taskQueue } = await both.connection.temporal.workflow.getHandle(id).describe();
      expect(taskQueue).toBe(taskQueueOf(both.connection.project, 'dev', 'cloud'));
      await runTask(both.connection, id);
      expect(await both.wait(id)).toMatchObject({ result: { status: 'succeeded', output: { n: 2 } } });
    } finally {
      await both.stop();
    }
  });
});

test('a later worker continues from the change', LONG, async () => {
  const key = await created();
  await set(key, { n: 8 });
  await project.restartWorkers();
  expect(await set(key, { note: 'late' })).toMatchObject({ changed: true });
  await runTask(project.connection, key);
  expect(await ended(key)).toMatchObject({ status: 'succeeded', output: { n: 8, note: 'late' } });
});
