import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  cancelTask,
  decide,
  listApprovals,
  readApprovals,
  type ShownApproval,
  viewTask,
} from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS } from '../fixtures/running-project.js';

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile(
      '{ dev: { approve: [destructive] }, closed: { approve: [destructive], approvers: [alice], self_approval: false } }',
    ),
    ...operation('db.drop', 'return input.table;', { effects: 'destructive' }),
    ...workflow('sub', 'steps: [{ id: inner, approval: { title: Inner? } }]'),
    ...workflow('outer', 'steps: [{ id: call, call: sub, with: {} }]'),
    ...workflow(
      'gates',
      'steps: [{ id: p, parallel: { a: { approval: { title: A? } }, b: { approval: { title: B? } } } }]',
    ),
    ...workflow(
      'two',
      'steps: [{ id: p, parallel: { a: { approval: { title: A? } }, b: { approval: { title: B? } } } }]',
    ),
  });
});
afterAll(() => project.stop());

const options = (env: Record<string, string> = {}) => ({
  cwd: project.root,
  env: { TEMPORAL_ADDRESS: inject('temporal').address, ABILITY_SEAL_KEYS: TEST_KEYS, ...env },
});
const run = (...args: string[]) => ability(args, options());
const json = (...args: string[]) => abilityJson(args, options());
async function raise(name: string, input: JsonObject = {}, more = {}, count = 1): Promise<ShownApproval[]> {
  const { id } = await project.create(name, input, more);
  await expect.poll(async () => (await readApprovals(project.connection, id)).length, { timeout: 20_000 }).toBe(count);
  return readApprovals(project.connection, id);
}
const drop = async (table: string, more = {}) => (await raise('db.drop', { table }, more))[0] as ShownApproval;
const listed = (...approvals: ShownApproval[]) =>
  expect
    .poll(async () => (await listApprovals(project.connection)).map(({ id }) => id), { timeout: 20_000 })
    .toEqual(expect.arrayContaining(approvals.map(({ id }) => id)));
const statusOf = async ({ task_key }: ShownApproval) =>
  (await viewTask(project.connection, task_key)).result.approvals[0]?.status;
const cancel = (...approvals: ShownApproval[]) =>
  Promise.all(approvals.map(({ task_key }) => cancelTask(project.connection, task_key)));

describe('approve --like', () => {
  test('decides all that request the same, each by its own id, and no other input', async () => {
    const same = [await drop('t'), await drop('t'), await drop('t')];
    const other = await drop('u');
    await listed(...same, other);
    expect(new Set(same.map(({ id }) => id)).size).toBe(3);
    const [one] = same as [ShownApproval];
    const end = await json('approve', '--like', one.id, '--comment', 'all three');
    expect(end.exitCode).toBe(0);
    expect(end.json).toHaveLength(3);
    for (const { id, task_key } of same) {
      expect(end.json).toContainEqual({ task_key, approval_id: id, counted: true, status: 'approved' });
      expect(end.stderr).toContain(`approval ${id}:`);
      expect(await project.wait(task_key)).toMatchObject({ result: { status: 'succeeded', output: 't' } });
      expect((await viewTask(project.connection, task_key)).result.approvals[0]?.decisions).toMatchObject([
        { decision: 'approve', comment: 'all three' },
      ]);
    }
    expect(end.stderr).not.toContain(other.id);
    expect(await statusOf(other)).toBe('open');
    await cancel(other);
  });

  test('does not decide another gate of the same task, with the same input but another question', async () => {
    const [a, b] = (await raise('gates', {}, {}, 2)) as [ShownApproval, ShownApproval];
    await listed(a, b);
    expect([a.what_digest, a.plan_digest]).toEqual([b.what_digest, b.plan_digest]);
    const { json: decided } = await json('approve', '--like', a.id);
    expect(decided).toMatchObject([{ approval_id: a.id, counted: true }]);
    expect((await readApprovals(project.connection, a.task_key)).map(({ id }) => id)).toEqual([b.id]);
    await cancel(b);
  });

  test('does not decide one that requests the same under another plan', async () => {
    const before = await drop('p');
    // All that an approver sees is the same, but the script behind it differs.
    project.write(operation('db.drop', 'return input.table + "!";', { effects: 'destructive' }));
    const after = await drop('p');
    await listed(before, after);
    expect(after.what_digest).toBe(before.what_digest);
    expect(after.plan_digest).not.toBe(before.plan_digest);
    expect(await json('approve', '--like', before.id)).toMatchObject({
      exitCode: 0,
      json: [{ approval_id: before.id }],
    });
    expect(await statusOf(after)).toBe('open');
    await cancel(after);
  });

  test('reports the one of three that does not count, decides the other two, and exits with 4', async () => {
    const same = [await drop('q'), await drop('q'), await drop('q')] as const;
    const [first, second, third] = same;
    await listed(...same);
    // Alice requested the second one herself, so her decision about it is ignored.
    const closed = [
      await drop('c', { environment: 'closed' }),
      await drop('c', { environment: 'closed', user: { name: 'alice', source: 'claimed' } }),
      await drop('c', { environment: 'closed' }),
    ] as const;
    await listed(...closed);
    const end = await json('approve', '--like', closed[0].id, '--as', 'alice');
    expect(end).toMatchObject({ exitCode: 4, json: expect.any(Array) });
    expect(end.json).toHaveLength(3);
    expect(end.json).toContainEqual({
      task_key: closed[1].task_key,
      approval_id: closed[1].id,
      counted: false,
      error: expect.objectContaining({
        code: 'approval.ignored',
        message: expect.stringMatching(/alice asked for it/),
      }),
    });
    expect(await statusOf(closed[1])).toBe('open');
    expect(await Promise.all([closed[0], closed[2]].map(statusOf))).toEqual(['approved', 'approved']);
    await decide(project.connection, first.task_key, 'deny', { by: 'bob', approval_id: first.id });
    await project.wait(first.task_key);
    // The decided one is no longer open.
    const text = await run('approve', '--like', second.id);
    expect(text).toMatchObject({ exitCode: 0 });
    expect(text.stdout.split('\n').sort()).toEqual(
      [second, third].map(({ task_key, id }) => `${task_key} ${id} approved`).sort(),
    );
    await cancel(closed[1]);
  });

  test('is refused for a decided or unknown approval, with a key, an id or fields, and for agents', async () => {
    const open = await drop('agents');
    await listed(open);
    expect(await json('approve', '--like', 'run-000000000000')).toMatchObject({
      exitCode: 2,
      json: { error: { code: 'approval.not_found' } },
    });
    for (const more of [[open.task_key], ['--approval', open.id], ['--set', 'a=b']]) {
      expect(await json('approve', ...more, '--like', open.id)).toMatchObject({
        exitCode: 2,
        json: { error: { code: 'usage.invalid' } },
      });
    }
    const agent = await abilityJson(['approve', '--like', open.id, '--yes'], options({ ABILITY_CALLER: 'agent' }));
    expect(agent).toMatchObject({ exitCode: 4, json: { error: { code: 'approval.by_agent' } } });
    expect((await viewTask(project.connection, open.task_key)).result.approvals[0]).toMatchObject({
      status: 'open',
      decisions: [],
      ignored: [],
    });
    await cancel(open);
    await project.wait(open.task_key);
    expect(await json('approve', '--like', open.id)).toMatchObject({ json: { error: { code: 'approval.not_found' } } });
  });
});

describe('an approval raised by a called task', () => {
  test('has the ability, the key and the sealed plan of that task, wherever it is listed', async () => {
    const [child] = (await raise('outer')) as [ShownApproval];
    await listed(child);
    const { result } = await viewTask(project.connection, child.task_key);
    expect(child).toMatchObject({ task_ability: 'sub', plan_digest: result.digest, task: child.task_key });
    const root = child.task_key.split('/')[0] as string;
    // A separate task that requests the same runs under another plan, and so is not alike.
    const [alone] = (await raise('sub')) as [ShownApproval];
    await listed(alone);
    expect(alone.what_digest).toBe(child.what_digest);
    expect(alone.plan_digest).not.toBe(child.plan_digest);
    expect(await json('approve', '--like', alone.id)).toMatchObject({ json: [{ approval_id: alone.id }] });
    const all = (await listApprovals(project.connection)).filter(({ id }) => id === child.id);
    expect(all).toMatchObject([{ task_key: child.task_key, task_ability: 'sub', plan_digest: result.digest }]);
    // Both the key of the caller and the displayed key lead to it.
    expect((await run('approvals', root)).stdout).toContain(`in: sub ${child.task_key}, step inner`);
    expect(await json('approve', root)).toMatchObject({ exitCode: 0, json: { approval_id: child.id } });
    expect(await project.wait(root)).toMatchObject({ result: { status: 'succeeded' } });
    const [again] = (await raise('outer')) as [ShownApproval];
    const { stdout } = await run('approvals', again.task_key);
    expect(stdout).toContain(`approved before: ${child.task_key} `);
    const command = /decide: ability (.*)/.exec(stdout)?.[1]?.split(' ') ?? [];
    expect((await run(...command)).exitCode).toBe(0);
  });
});

describe('an earlier approval', () => {
  test('is shown with what differs, by approvals and approve, and not shown if there is none', async () => {
    const asTester = { user: { name: 'tester', source: 'claimed' as const }, environment: 'closed' };
    const first = await drop('history-1', asTester);
    await run('approve', first.task_key, '--as', 'alice');
    await project.wait(first.task_key);
    const second = await drop('history-2', asTester);
    const known = () => json('approvals', second.task_key).then(({ json: [shown] }) => shown.last_approved);
    await expect.poll(async () => (await known())?.task_key, { timeout: 20_000 }).toBe(first.task_key);
    expect(await known()).toMatchObject({
      approval_id: first.id,
      by: ['alice'],
      what: { input: { table: 'history-1' } },
      differs: [{ at: 'what.input.table', expected: 'history-1', actual: 'history-2' }],
    });
    const line = `approved before: ${first.task_key} `;
    const change = 'what.input.table: "history-1" -> "history-2"';
    const { stdout } = await run('approvals', second.task_key);
    expect(stdout).toContain(line);
    expect(stdout).toMatch(/by alice; different now:/);
    expect(stdout).toContain(change);
    // A denial does not count, nor does another environment.
    const elsewhere = await drop('history-2');
    expect((await run('approvals', elsewhere.task_key)).stdout).not.toContain(line);
    await cancel(elsewhere);
    const denied = await run('deny', second.task_key, '--as', 'alice');
    expect(denied.stderr).toContain(change);
    await project.wait(second.task_key);
    const third = await drop('history-1', asTester);
    const { stderr, exitCode } = await run('approve', third.task_key, '--as', 'alice');
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(new RegExp(`approved before: ${first.task_key} .*by alice; the same`));
  });

  test('is shown by --like as well', async () => {
    const before = await drop('like-1');
    await run('approve', before.task_key);
    await project.wait(before.task_key);
    const now = await drop('like-2');
    await listed(now);
    const { stderr } = await run('approve', '--like', now.id);
    expect(stderr).toMatch(/approved before: \S+ .*; different now:\n +what\.input\.table: "\S+" -> "like-2"/);
  });

  test('is reported as none for the first of its kind', async () => {
    const [one] = (await raise('two', {}, {}, 2)) as [ShownApproval];
    const { stdout } = await run('approvals', one.task_key);
    expect(stdout).toMatch(/approved before: none of this ability at this step/);
    const { json: shown } = await json('approvals', one.task_key);
    expect(shown).toMatchObject([{ last_approved: null }, { last_approved: null }]);
    await cancel(one);
  });
});

describe('a decision that names no approval', () => {
  test('is refused while two are open, both of which are named, and nothing is sent', async () => {
    const [a, b] = (await raise('two', {}, {}, 2)) as [ShownApproval, ShownApproval];
    for (const verb of ['approve', 'deny']) {
      const end = await json(verb, a.task_key);
      expect(end).toMatchObject({ exitCode: 2, json: { error: { code: 'usage.invalid' } } });
      expect(end.json.error.message).toContain(a.id);
      expect(end.json.error.message).toContain(b.id);
    }
    const { result } = await viewTask(project.connection, a.task_key);
    expect(result.approvals.map(({ decisions, ignored }) => [decisions, ignored])).toEqual([
      [[], []],
      [[], []],
    ]);
    expect(result.warnings).toEqual([]);
    expect(await json('approve', a.task_key, '--approval', b.id)).toMatchObject({ json: { approval_id: b.id } });
    // Only one is left, so that the command can name it.
    expect(await json('approve', a.task_key)).toMatchObject({ exitCode: 0, json: { approval_id: a.id } });
  });

  test('exits with 4 if it does not count, whichever command sent it', async () => {
    const one = await drop('ignored', { environment: 'closed' });
    for (const args of [['approve'], ['deny'], ['deny', '--request-changes', '--comment', 'x']]) {
      const [verb = '', ...more] = args;
      expect(await json(verb, one.task_key, ...more, '--as', 'mallory')).toMatchObject({
        exitCode: 4,
        json: { error: { code: 'approval.ignored', message: expect.stringMatching(/mallory is not among/) } },
      });
    }
    await cancel(one);
  });
});
