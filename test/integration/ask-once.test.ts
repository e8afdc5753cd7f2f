import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cancelTask, decide, readApprovals, type ShownApproval, withProof } from '../../src/client/index.js';
import type { Decision } from '../../src/contracts/approvals.js';
import { ability } from '../fixtures/called-command.js';
import { openDoor } from '../fixtures/http-door.js';
import { makeProject, operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS } from '../fixtures/running-project.js';

const OWNER = userInfo().username;
let project: RunningProject;

const once = (more = '', call = 'call: host.restart, with: { host: "${{ host }}" }') => `
input_schema: { type: object, properties: { hosts: { type: array } } }
steps:
  - id: hosts
    foreach: input.hosts
    as: host
    approval: { of: each, items: all }
    ${more}
    steps: [{ id: restart, ${call} }]
output: "\${{ steps.hosts.output }}"`;

beforeAll(async () => {
  project = await runProject(
    {
      'ability.yaml': projectFile(`
  dev: { approve: [destructive] }
  free: {}
  proven: { approve: [destructive], approvers: ["${OWNER}"], proof: required }`),
      ...operation('host.restart', 'appendFileSync("restarted", input.host + "\\n"); return input.host;', {
        effects: 'destructive',
        yaml: 'hooks: { pre_call: [ask_db] }',
      }),
      ...workflow('rollout', once()),
      ...workflow('finishing', once('on_failure: finish')),
      ...workflow('shifting', once('', 'call: host.restart, with: { host: "shifting-${{ uuid() }}" }')),
      ...workflow('wide', once('max_parallel: 4')),
      ...workflow(
        'again',
        `
steps:
  - id: g
    retry: { attempts: 2, first: 100ms }
    steps:
      - id: hosts
        foreach: "['again-1', 'again-2']"
        as: host
        approval: { of: each, items: all }
        steps: [{ id: restart, call: host.restart, with: { host: "\${{ host }}" } }]
      - { id: no, fail: { code: once_more, message: again } }`,
      ),
      ...workflow(
        'handled',
        `
steps:
  - id: hosts
    foreach: "['handled-1']"
    as: host
    approval: { of: each, items: all }
    steps:
      - id: restart
        call: host.restart
        with: { host: "\${{ host }}" }
        on_error: [{ errors: [approval.denied], steps: [{ id: restart2, call: host.restart, with: { host: "\${{ host }}" } }] }]`,
      ),
      'registry/hooks/PreAbilityCall.yaml': `hooks:
  - id: ask_db
    handler: { expression: { confirm_if: "input.host.startsWith('db')", reason: It is a database. } }
`,
    },
    { proves: true },
  );
});
afterAll(() => project.stop());

const hosts = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);
const restarted = (name: string) => {
  const file = join(project.root, 'restarted');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.filter((line) => line.startsWith(`${name}-`)).sort();
};
async function asked(key: string): Promise<ShownApproval> {
  await expect.poll(async () => (await readApprovals(project.connection, key)).length, { timeout: 20_000 }).toBe(1);
  return (await readApprovals(project.connection, key))[0] as ShownApproval;
}
const say = async (key: string, more: Partial<Decision> = {}) => {
  const { id } = await asked(key);
  return decide(project.connection, key, 'approve', { by: 'alice', approval_id: id, ...more });
};
const start = async (of: string, names: string[], environment = 'dev') =>
  (await project.create(of, { hosts: names }, { environment })).id;
async function endOf(key: string) {
  const end = await project.wait(key);
  if (end.kind !== 'ended') throw new Error(`${key}: ${end.kind}`);
  return end.result;
}

describe('a foreach that asks once', () => {
  test('shows all calls before the first, and makes those that were approved without asking again', async () => {
    const key = await start('rollout', hosts(3, 'a'));
    expect(await asked(key)).toMatchObject({
      path: 'hosts',
      title: '3 calls of host.restart in dev',
      what: { ability: 'host.restart', effects: 'destructive' },
      items: 3,
    });
    expect((await asked(key)).what.input).toEqual([1, 2, 3].map((item) => ({ item, input: { host: `a-${item}` } })));
    expect(restarted('a')).toEqual([]);
    await say(key);
    const { status, output, approvals } = await endOf(key);
    expect([status, output, approvals.length]).toEqual(['succeeded', hosts(3, 'a'), 1]);
  });

  test.each([
    ['rollout', ['b-1']],
    ['finishing', ['b-1', 'b-3', 'b-4']],
  ])('denies single items: %s', async (of, made) => {
    const before = restarted('b').length;
    const key = await start(of, hosts(4, 'b'));
    await say(key, { denied_items: [2] });
    const { status, error, approvals } = await endOf(key);
    expect([status, error]).toMatchObject([
      'denied',
      { code: 'approval.denied', message: expect.stringMatching(/alice denied item 2/) },
    ]);
    expect(restarted('b').length - before).toBe(made.length);
    expect(approvals).toMatchObject([{ status: 'approved', decisions: [{ denied_items: [2] }] }]);
  });

  test('asks for no call that needs no approval, and still asks where a hook wants it', async () => {
    expect(await endOf(await start('rollout', hosts(2, 'free'), 'free'))).toMatchObject({
      status: 'succeeded',
      approvals: [],
    });
    const key = await start('rollout', ['c-1', 'db-1']);
    await say(key);
    await expect.poll(() => restarted('c')).toEqual(['c-1']);
    expect(await asked(key)).toMatchObject({ path: 'hosts/1/restart', reasons: ['It is a database. (hook ask_db)'] });
    await say(key);
    expect(await endOf(key)).toMatchObject({ status: 'succeeded' });
  });

  test('asks again for a call whose input is another one than was shown', async () => {
    const key = await start('shifting', ['x']);
    await say(key);
    expect(await asked(key)).toMatchObject({ path: 'hosts/0/restart' });
    await cancelTask(project.connection, key);
    expect(restarted('shifting')).toEqual([]);
  });

  test('denied as a whole makes none; with no items it does not ask', async () => {
    const key = await start('rollout', hosts(2, 'd'));
    const { id } = await asked(key);
    await decide(project.connection, key, 'deny', { by: 'alice', approval_id: id, comment: 'no' });
    expect(await endOf(key)).toMatchObject({ status: 'denied' });
    expect(restarted('d')).toEqual([]);
    expect(await endOf(await start('rollout', []))).toMatchObject({ status: 'succeeded', output: [] });
  });

  test('asks again in the next attempt of its group, and for what its handlers call', async () => {
    const key = await start('again', []);
    const { raised_at } = await asked(key);
    await say(key);
    await expect
      .poll(async () => (await readApprovals(project.connection, key))[0]?.raised_at ?? raised_at, { timeout: 20_000 })
      .not.toBe(raised_at);
    await cancelTask(project.connection, key);
    const handled = await start('handled', []);
    await say(handled, { denied_items: [1] });
    expect(await asked(handled)).toMatchObject({ path: expect.stringMatching(/restart2$/) });
    await cancelTask(project.connection, handled);
    expect(restarted('handled')).toEqual([]);
  });

  test('goes on after a restart of the workers while it waits, and several at once', async () => {
    const key = await start('wide', hosts(6, 'e'));
    await asked(key);
    await project.restartWorkers();
    await say(key, { denied_items: [] });
    expect(await endOf(key)).toMatchObject({ status: 'succeeded' });
    expect(restarted('e')).toEqual(hosts(6, 'e'));
  });

  test('is decided by a command, and over HTTP', async () => {
    const key = await start('finishing', hosts(3, 'f'));
    await asked(key);
    const here = {
      cwd: project.root,
      env: { TEMPORAL_ADDRESS: inject('temporal').address, ABILITY_SEAL_KEYS: TEST_KEYS },
    };
    expect((await ability(['approve', key, '--deny-item', 'x', '--yes'], here)).exitCode).toBe(2);
    expect((await ability(['approve', key, '--deny-item', '9', '--yes'], here)).stderr).toContain('numbers 1 to 3');
    expect((await ability(['approve', key, '--deny-item', '1', '--deny-item', '3', '--yes'], here)).exitCode).toBe(0);
    await endOf(key);
    expect(restarted('f')).toEqual(['f-2']);
    expect((await ability(['why', key], here)).stdout).toContain('said yes, but not to the items 1, 3, at');
    const door = await openDoor(project.connection);
    const other = await start('finishing', hosts(2, 'g'));
    const body = { decision: 'approve', denied_items: [1] };
    const path = `/v1/tasks/${other}/approvals/${(await asked(other)).id}`;
    expect((await door.call('POST', path, { token: door.token('carol', ['read', 'approve']), body })).status).toBe(200);
    await endOf(other);
    await door.close();
    expect(restarted('g')).toEqual(['g-2']);
  });
});

describe('a decision on single items does not count', () => {
  test('with numbers that are none, or a denial of all, or on another approval, or with a grant', async () => {
    const key = await start('rollout', hosts(2, 'h'));
    const { id } = await asked(key);
    for (const denied_items of [[0], [3], [1.5], ['1'], 'all', {}]) {
      await expect(say(key, { denied_items })).rejects.toMatchObject({ code: 'approval.ignored' });
    }
    const no = decide(project.connection, key, 'deny', { by: 'alice', approval_id: id, denied_items: [1] });
    await expect(no).rejects.toMatchObject({ code: 'approval.ignored' });
    const grant = { for: 'task', up_to: 9 };
    await expect(say(key, { grant })).rejects.toMatchObject({ code: 'grant.refused' });
    await cancelTask(project.connection, key);
    const { id: single } = await project.create('host.restart', { host: 'h-3' });
    await expect(say(single, { denied_items: [1] })).rejects.toMatchObject({ code: 'approval.ignored' });
    await cancelTask(project.connection, single);
    expect(restarted('h')).toEqual([]);
  });

  test('if its proof is of another one', async () => {
    const key = await start('finishing', hosts(3, 'i'), 'proven');
    const approval = await asked(key);
    const none = { token: undefined, door: null };
    const proved = withProof(project.connection, approval, 'approve', { by: OWNER, denied_items: [1, 2] }, none);
    const send = (decision: Decision) => decide(project.connection, key, 'approve', decision);
    const { denied_items: _, ...all } = proved;
    for (const forged of [all, { ...proved, denied_items: [1] }, { ...proved, denied_items: [] }]) {
      await expect(send(forged)).rejects.toMatchObject({ code: 'approval.ignored' });
    }
    await send(proved);
    await endOf(key);
    expect(restarted('i')).toEqual(['i-3']);
  });
});

test('more than people can look through is refused before anything is asked', async () => {
  const key = await start('rollout', hosts(501, 'many'));
  expect(await endOf(key)).toMatchObject({ status: 'failed', error: { code: 'limit.approval_items', step: 'hosts' } });
  expect(restarted('many')).toEqual([]);
});

test.each([
  [
    'two steps',
    'steps: [{ id: a, call: host.restart, with: { host: x } }, { id: b, call: host.restart, with: { host: x } }]',
  ],
  ['no call', 'steps: [{ id: a, let: { x: 1 } }]'],
  ['a workflow', 'steps: [{ id: a, call: inner }]'],
  [
    'an undo',
    'steps: [{ id: a, call: host.restart, with: { host: x }, undo: { call: host.restart, with: { host: x } } }]',
  ],
])('%s is refused where the definition is loaded', async (_, steps) => {
  const folder = makeProject({
    ...operation('host.restart', 'return 1;'),
    ...workflow('inner', 'steps: [{ id: a, let: { x: 1 } }]'),
    ...workflow('loop', `steps: [{ id: l, foreach: "[1]", as: n, approval: { of: each, items: all }, ${steps} }]`),
  });
  const { stdout } = await ability(['lint', '--json'], { cwd: folder.root });
  expect(stdout).toMatch(/People cannot be asked once for all items/);
  folder.remove();
});
