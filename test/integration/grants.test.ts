import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cancelTask, decide, listGrants, openApprovals } from '../../src/client/index.js';
import type { Grant } from '../../src/contracts/approvals.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { openDoor } from '../fixtures/http-door.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS } from '../fixtures/running-project.js';

let project: RunningProject;

const each = (more: string) => `
input_schema: { type: object, properties: { hosts: { type: array } } }
steps:
  - id: hosts
    foreach: "input.hosts"
    as: host
    ${more}
    steps: [{ id: restart, call: host.restart, with: { host: "\${{ host }}" } }]`;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('\n  dev: { approve: [destructive] }\n  two: { approve: [destructive], quorum: 2 }'),
    ...operation('host.restart', 'appendFileSync("restarted", input.host + "\\n"); return 1;', {
      effects: 'destructive',
    }),
    ...operation('host.reboot', 'appendFileSync("restarted", input.host + "\\n"); return 1;', {
      effects: 'destructive',
    }),
    ...workflow('rollout', each('')),
    ...workflow(
      'one',
      'input_schema: { type: object }\nsteps: [{ id: restart, call: host.restart, with: { host: "${{ input.host }}" } }]',
    ),
    ...workflow(
      'called',
      'input_schema: { type: object }\nsteps: [{ id: h, foreach: "input.hosts", as: host, steps: [{ id: inner, call: one, with: { host: "${{ host }}" } }] }, { id: other, call: host.reboot, with: { host: called-x } }]',
    ),
    ...workflow('asks', 'steps: [{ id: ask, approval: { title: Well? } }]'),
    ...workflow('rollout.wide', each('max_parallel: 5')),
  });
});
afterAll(() => project.stop());

const hosts = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);
const restarted = (name: string) => {
  const file = join(project.root, 'restarted');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.filter((line) => line.startsWith(`${name}-`)).length;
};
const asked = async (key: string, count = 1) => {
  await expect.poll(async () => (await openApprovals(project.connection, key)).length, { timeout: 20_000 }).toBe(count);
  return openApprovals(project.connection, key);
};
const approve = async (key: string, grant?: Grant, open = 1) => {
  const [first] = await asked(key, open);
  return decide(project.connection, key, 'approve', {
    by: 'alice',
    approval_id: first?.id as string,
    ...(grant && { grant }),
  });
};

describe('one yes for what is alike', () => {
  test('serves the further calls of its task, each counted and recorded', async () => {
    const { id } = await project.create('rollout', { hosts: hosts(6, 'a') });
    await approve(id, { for: 'task', up_to: 5 });
    const [sixth] = await asked(id);
    expect(sixth?.path).toBe('hosts/5/restart');
    expect(restarted('a')).toBe(5);
    await approve(id);
    const end = await project.wait(id);
    if (end.kind !== 'ended') throw new Error(end.kind);
    const { approvals, status, warnings } = end.result;
    expect([status, warnings]).toEqual(['succeeded', []]);
    const [first] = approvals;
    expect(first).toMatchObject({ grants: ['task'], grant_id: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(approvals.map(({ granted }) => granted?.use)).toEqual([undefined, 2, 3, 4, 5, undefined]);
    expect(approvals[1]).toMatchObject({
      status: 'approved',
      decisions: [],
      granted: { by: first?.grant_id, task_key: id, approval_id: first?.id, of: 5 },
    });
  });

  test('also decides what was open in its task when it was given', async () => {
    const { id } = await project.create('rollout.wide', { hosts: hosts(5, 'b') });
    await approve(id, { for: 'task', up_to: 5 }, 5);
    const end = await project.wait(id);
    expect(end).toMatchObject({ result: { status: 'succeeded' } });
    expect(restarted('b')).toBe(5);
  });

  test('given in a called task, serves the root and all that it calls; another ability asks', async () => {
    const { id } = await project.create('called', { hosts: hosts(3, 'called') });
    await approve(id, { for: 'task', up_to: 10 });
    await expect.poll(() => restarted('called'), { timeout: 20_000 }).toBe(3);
    const [other] = await asked(id);
    expect(other).toMatchObject({ path: 'other', what: { ability: 'host.reboot' } });
    const [grant] = await listGrants(project.connection, false);
    expect(grant).toMatchObject({ status: 'open', for: 'task', task: id, used: 3, up_to: 10 });
    await approve(id);
    await project.wait(id);
    expect((await listGrants(project.connection, false)).map((one) => one.id)).not.toContain(grant?.id);
    const all = await listGrants(project.connection, true);
    expect(all.find((one) => one.id === grant?.id)).toMatchObject({ status: 'task_ended' });
  });

  test('is given, shown, listed and revoked by commands', async () => {
    const { id } = await project.create('rollout', { hosts: hosts(4, 'c') });
    await asked(id);
    const here = {
      cwd: project.root,
      env: { TEMPORAL_ADDRESS: inject('temporal').address, ABILITY_SEAL_KEYS: TEST_KEYS },
    };
    for (const [more, message] of [
      [['--up-to', '20'], /no grant/],
      [['--for', 'all', '--up-to', '20'], /no grant/],
      [['--for', 'task'], /no grant/],
      [['--for', 'task', '--up-to', '1'], /no grant/],
      [['--for', 'task', '--up-to', '20', '--for-time', '8d'], /up to 7d/],
    ] as const) {
      const refused = await abilityJson(['approve', id, '--yes', ...more], here);
      expect([refused.exitCode, refused.json.error.message]).toEqual([2, expect.stringMatching(message)]);
    }
    const like = await abilityJson(['approve', '--like', 'restart-0', '--for', 'task', '--up-to', '2', '--yes'], here);
    expect([like.exitCode, like.json.error.code]).toEqual([2, 'usage.invalid']);
    const wrong = await abilityJson(
      ['approve', id, '--for', 'task', '--up-to', '9', '--if', 'input.host ==', '--yes'],
      here,
    );
    expect([wrong.exitCode, wrong.json.error.code]).toEqual([2, 'expression.syntax']);
    const given = ['--for', 'task', '--up-to', '9', '--if', 'input.host != "c-3"', '--for-time', '2h'];
    expect((await ability(['approve', id, '--as', 'alice', '--yes', ...given], here)).exitCode).toBe(0);
    expect(await asked(id)).toMatchObject([{ path: 'hosts/2/restart' }]);
    const [grant] = (await abilityJson(['grants', 'list'], here)).json;
    expect(grant).toMatchObject({ used: 2, up_to: 9, if: ['input.host != "c-3"'], by: [{ name: 'alice' }] });
    const shown = (await ability(['grants', 'list'], here)).stdout;
    expect(shown).toContain(`grant ${grant.id}: host.restart in dev, 2 of 9 calls`);
    const why = (await ability(['why', id], here)).stdout;
    expect(why).toContain(
      'said yes and granted up to 9 such calls of the task whose input meets input.host != "c-3", for 2h',
    );
    expect(why).toContain(`use 2 of 9 of the grant ${grant.id}`);
    expect((await ability(['grants', 'revoke', grant.id], here)).stdout).toMatch(/revoked .* by tester/);
    await approve(id);
    expect(await asked(id)).toMatchObject([{ path: 'hosts/3/restart' }]);
    const again = await abilityJson(['grants', 'revoke', grant.id], here);
    expect([again.exitCode, again.json.error.code]).toEqual([1, 'grant.ended']);
    await cancelTask(project.connection, id);
  });

  test('is made by the worker that takes up the decision', async () => {
    const { id } = await project.create('rollout', { hosts: hosts(3, 'd') });
    const [first] = await asked(id);
    await project.stopWorkers();
    const signal = { by: 'alice', approval_id: first?.id, grant: { for: 'task', up_to: 3 } };
    await project.connection.temporal.workflow.getHandle(id).signal('approve', signal);
    await project.restartWorkers();
    expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded' } });
    expect(restarted('d')).toBe(3);
  });

  test('comes only of the approval of a call', async () => {
    const { id } = await project.create('asks');
    const [step] = await asked(id);
    const decision = { by: 'alice', approval_id: step?.id as string, grant: { for: 'task', up_to: 2 } };
    await expect(decide(project.connection, id, 'approve', decision)).rejects.toMatchObject({ code: 'grant.refused' });
    await cancelTask(project.connection, id);
  });

  test('needs one of each who has to agree', async () => {
    const { id } = await project.create('rollout', { hosts: hosts(3, 'e') }, { environment: 'two' });
    const give = async (by: string, grant?: Grant) => {
      const approval_id = (await asked(id))[0]?.id as string;
      await decide(project.connection, id, 'approve', { by, approval_id, ...(grant && { grant }) });
    };
    await give('alice', { for: 'task', up_to: 9 });
    await give('bob');
    expect(await asked(id)).toMatchObject([{ path: 'hosts/1/restart' }]);
    await give('alice', { for: 'task', up_to: 9 });
    await give('bob', { for: 'task', up_to: 2 });
    expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded' } });
    expect(restarted('e')).toBe(3);
  });
});

test('over HTTP: a decision grants, the grant is listed, and its revoker is whom the door knows', async () => {
  const door = await openDoor(project.connection);
  try {
    const { id } = await project.create('rollout', { hosts: hosts(2, 'f') });
    const [first] = await asked(id);
    const token = door.token('carol', ['read', 'approve']);
    const body = { decision: 'approve', grant: { for: 'task', up_to: 5, if: 'false', for_ms: 60_000 } };
    const said = await door.call('POST', `/v1/tasks/${id}/approvals/${first?.id}`, { token, body });
    expect([said.status, said.body.status]).toEqual([200, 'approved']);
    await asked(id);
    const { body: open } = await door.call('GET', '/v1/grants', { token });
    expect(open).toMatchObject([{ used: 1, up_to: 5, by: [{ name: 'carol' }] }]);
    const reader = door.token('dave', ['read']);
    const path = `/v1/grants/${open[0].id}/revoke`;
    expect((await door.call('POST', path, { token: reader })).body.code).toBe('door.forbidden');
    expect((await door.call('POST', path, { token })).body).toMatchObject({ revoked_by: 'carol' });
    const { body: all } = await door.call('GET', '/v1/grants?all=true', { token });
    expect(all).toContainEqual(expect.objectContaining({ id: open[0].id, status: 'revoked' }));
    expect((await door.call('GET', '/v1/grants', { token })).body).toEqual([]);
    await cancelTask(project.connection, id);
  } finally {
    await door.close();
  }
});
