import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  cancelTask,
  decide,
  listGrants,
  openApprovals,
  readApprovals,
  revokeGrant,
  type ShownApproval,
  withProof,
} from '../../src/client/index.js';
import type { Decision, DecisionOutcome, Grant } from '../../src/contracts/approvals.js';
import type { GrantView, SealedGrant } from '../../src/contracts/grants.js';
import { GRANT_UPDATES, grantIdOf, QUERIES, SIGNALS, taskQueueOf, WORKFLOWS } from '../../src/contracts/names.js';
import type { AbilityError } from '../../src/contracts/problem.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { startChild, startForeign } from '../fixtures/foreign-workflow.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS, type TestTask } from '../fixtures/running-project.js';

const OWNER = userInfo().username;
const SCRIPT = 'appendFileSync("effects", input.host + "\\n"); return 1;';

let project: RunningProject;
let sessions = 0;

beforeAll(async () => {
  project = await runProject(
    {
      'ability.yaml': projectFile(`
  dev: { approve: [destructive], approvers: [alice, "${OWNER}"] }
  proven: { approve: [destructive], approvers: ["${OWNER}"], proof: required }
  guarded: { protected: true, approve: [destructive] }`),
      ...operation('host.restart', SCRIPT, { effects: 'destructive' }),
      ...operation('host.swapped', SCRIPT, { effects: 'destructive' }),
    },
    { proves: true },
  );
});
afterAll(() => project.stop());

const made = (name: string): number => {
  const file = join(project.root, 'effects');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.filter((line) => line === name).length;
};
async function newSession(): Promise<string> {
  sessions += 1;
  const id = `s-${sessions}`;
  await project.startSession(id);
  return id;
}
const start = async (host: string, session: string, more: TestTask = {}, of = 'host.restart') =>
  (await project.create(of, { host }, { session, ...more })).id;
/** A session that is given too much at once refuses, and can be asked again. */
async function startInTurn(host: string, session: string, left = 30): Promise<string> {
  try {
    return await start(host, session);
  } catch (error) {
    if (left === 0 || (error as AbilityError).code !== 'session.busy') throw error;
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 800));
    return startInTurn(host, session, left - 1);
  }
}
async function asked(key: string): Promise<ShownApproval> {
  await expect.poll(async () => (await readApprovals(project.connection, key)).length, { timeout: 20_000 }).toBe(1);
  return (await readApprovals(project.connection, key))[0] as ShownApproval;
}
async function endOf(key: string) {
  const end = await project.wait(key);
  if (end.kind !== 'ended') throw new Error(`${key}: ${end.kind}`);
  return end.result;
}
/** A task whose approval gives the grant. @returns the id of the grant. */
async function give(host: string, session: string, grant: Partial<Grant> = {}, more: TestTask = {}, of?: string) {
  const key = await start(host, session, more, of);
  const { id } = await asked(key);
  const whole: Grant = { for: 'session', up_to: 20, ...grant };
  await decide(project.connection, key, 'approve', { by: 'alice', approval_id: id, grant: whole });
  const { approvals } = await endOf(key);
  return approvals[0]?.grant_id as string;
}
/** Asks people in spite of the grant, and is not made. */
async function expectAsked(key: string, host: string): Promise<void> {
  const before = made(host);
  expect(await asked(key)).toMatchObject({ status: 'open' });
  expect(made(host)).toBe(before);
  await cancelTask(project.connection, key);
}
async function expectGranted(key: string, use: number): Promise<void> {
  expect(await endOf(key)).toMatchObject({
    status: 'succeeded',
    approvals: [{ status: 'approved', granted: { use } }],
  });
}
const handleOf = (id: string) =>
  project.connection.temporal.workflow.getHandle(grantIdOf(project.connection.project, id));
const viewOf = (id: string): Promise<GrantView> => handleOf(id).query(QUERIES.grant);
async function sealedOf(id: string): Promise<SealedGrant> {
  const { events } = await handleOf(id).fetchHistory();
  const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  return JSON.parse(Buffer.from(payload?.data ?? []).toString());
}

describe('a grant serves', () => {
  test('calls of its session that are alike, and each is counted', async () => {
    const session = await newSession();
    const id = await give('alike', session);
    await expectGranted(await start('alike', session), 2);
    await expectGranted(await start('another', session), 3);
    expect(await viewOf(id)).toMatchObject({ status: 'open', used: 3, up_to: 20, session });
  });

  test('no call with another byte of the script', async () => {
    const session = await newSession();
    await give('bytes', session, {}, {}, 'host.swapped');
    await expectGranted(await start('bytes', session, {}, 'host.swapped'), 2);
    project.write(operation('host.swapped', `${SCRIPT} `, { effects: 'destructive' }));
    await expectAsked(await start('bytes', session, {}, 'host.swapped'), 'bytes');
  });

  test('no other session, person, kind of caller, ability or environment', async () => {
    const session = await newSession();
    const id = await give('own', session);
    const user = { name: 'mallory', source: 'claimed' } as const;
    const agent = { name: 'tester', source: 'claimed', agent: 'reviewer' } as const;
    await expectAsked(await start('own', await newSession()), 'own');
    await expectAsked(await start('own', session, { user }), 'own');
    await expectAsked(await start('own', session, { user: agent }), 'own');
    await expectAsked(await start('own', session, {}, 'host.swapped'), 'own');
    const { id: outside } = await project.create('host.restart', { host: 'own' });
    await expectAsked(outside, 'own');
    expect(await viewOf(id)).toMatchObject({ used: 1 });
  });

  test('no call whose input does not meet its condition, or with which the condition fails', async () => {
    const session = await newSession();
    await give('if-1', session, { if: 'input.host.startsWith("if-")' });
    await expectGranted(await start('if-2', session), 2);
    await expectAsked(await start('other', session), 'other');
    const strange = await newSession();
    await give('no-1', strange, { if: 'input.nothing == 1' });
    await expectAsked(await start('no-1', strange), 'no-1');
  });

  test('no more calls than its count, fifty at once', { ...LONG, timeout: 180_000 }, async () => {
    const session = await newSession();
    const id = await give('many', session, { up_to: 20 });
    const keys = await Promise.all(Array.from({ length: 50 }, () => startInTurn('many', session)));
    const waiting = async () => {
      const open = await Promise.all(keys.map((key) => openApprovals(project.connection, key).catch(() => [])));
      return open.filter(({ length }) => length > 0).length;
    };
    await expect.poll(async () => made('many') + (await waiting()), { timeout: 120_000, interval: 1000 }).toBe(51);
    expect(made('many')).toBe(20);
    expect(await viewOf(id)).toMatchObject({ status: 'used_up', used: 20 });
    await expectAsked(await start('many', session), 'many');
    await Promise.all(keys.map((key) => cancelTask(project.connection, key).catch(() => {})));
  });

  test('no call after its time', async () => {
    const session = await newSession();
    const id = await give('late', session, { for_ms: 1000 });
    await expect.poll(async () => (await viewOf(id)).status, { timeout: 20_000 }).toBe('expired');
    await expectAsked(await start('late', session), 'late');
  });

  test('no call after it is revoked, also of a task that had been served, and the revoker is recorded', async () => {
    const session = await newSession();
    const id = await give('revoked', session);
    await expectGranted(await start('revoked', session), 2);
    expect(await revokeGrant(project.connection, id, 'bob')).toMatchObject({ status: 'revoked', revoked_by: 'bob' });
    await expectAsked(await start('revoked', session), 'revoked');
    await expect(revokeGrant(project.connection, id, 'bob')).rejects.toMatchObject({ code: 'grant.ended' });
    expect((await listGrants(project.connection, true)).find((one) => one.id === id)).toMatchObject({
      status: 'revoked',
      used: 2,
    });
  });
});

/** Sends a decision as any client of the server can. */
async function send(key: string, decision: Decision): Promise<DecisionOutcome | null> {
  const handle = project.connection.temporal.workflow.getHandle(key);
  const id = randomUUID();
  await handle.signal(SIGNALS.approve, { ...decision, id });
  let outcome: DecisionOutcome | null = null;
  await expect.poll(async () => (outcome = await handle.query(QUERIES.decision, id))).not.toBeNull();
  return outcome;
}

describe('nobody who only reaches Temporal', () => {
  test('adds a grant to a proved decision, or widens it', async () => {
    const { id: key } = await project.create('host.restart', { host: 'forged' }, { environment: 'proven' });
    const approval = await asked(key);
    const none = { token: undefined, door: null };
    const grant: Grant = { for: 'task', up_to: 2 };
    const plain = withProof(project.connection, approval, 'approve', { by: OWNER }, none);
    const proved = withProof(project.connection, approval, 'approve', { by: OWNER, grant }, none);
    const forged: Decision[] = [
      { ...plain, grant },
      { ...proved, grant: { ...grant, up_to: 1000 } },
      { ...proved, grant: { ...grant, for: 'session' } },
      { ...proved, grant: { ...grant, if: 'true' } },
      { by: OWNER, approval_id: approval.id, grant },
    ];
    for (const decision of forged) expect(await send(key, decision)).toMatchObject({ counted: false });
    const { grant: _, ...less } = proved;
    expect(await send(key, less)).toMatchObject({ counted: false });
    expect(made('forged')).toBe(0);
    expect(await send(key, proved)).toMatchObject({ counted: true });
    expect(await endOf(key)).toMatchObject({ approvals: [{ grant_id: expect.any(String), decisions: [{ grant }] }] });
  });

  test('starts a grant by hand, with arguments of a true one, as a child of foreign code, or with others', async () => {
    const { connection } = project;
    const session = await newSession();
    const id = await give('hand', session, { up_to: 2 });
    const sealed = await sealedOf(id);
    await expectGranted(await start('hand', session), 2);
    expect(await viewOf(id)).toMatchObject({ status: 'used_up' });
    const workflowId = grantIdOf(connection.project, id);
    const queue = taskQueueOf(connection.project, 'dev', 'local');
    const wider = { ...sealed, up_to: 1000 };
    for (const args of [[sealed], [wider], [{ ...wider, parent: undefined }]]) {
      await startForeign(connection, workflowId, WORKFLOWS.grant, args, queue);
      await expectAsked(await start('hand', session), 'hand');
      await handleOf(id)
        .terminate()
        .catch(() => {});
    }
    // Foreign code that answers every update as ours would.
    await startForeign(connection, workflowId, WORKFLOWS.grant, [sealed]);
    await expectAsked(await start('hand', session), 'hand');
    await handleOf(id).terminate();
    const parent = await startForeign(connection, `foreign-${randomUUID()}`, 'foreign', []);
    const own = { workflowId: parent.workflowId, runId: parent.runId };
    await startChild(connection, parent, {
      workflowId,
      type: WORKFLOWS.grant,
      queue,
      args: [{ ...sealed, parent: own }],
    });
    await expect.poll(async () => (await handleOf(id).describe()).status.name).toBe('RUNNING');
    expect(await viewOf(id)).toMatchObject({ status: 'open', used: 1 });
    await expectAsked(await start('hand', session), 'hand');
    await handleOf(id).terminate();
    expect(made('hand')).toBe(2);
  });

  test('has a grant count again, by a reset', async () => {
    const { connection } = project;
    const session = await newSession();
    const id = await give('reset', session, { up_to: 2 });
    await expectGranted(await start('reset', session), 2);
    const { runId, workflowId } = await handleOf(id).describe();
    const { events } = await handleOf(id).fetchHistory();
    const first = events?.find((event) => event.workflowTaskCompletedEventAttributes);
    await connection.temporal.workflowService.resetWorkflowExecution({
      namespace: connection.namespace,
      workflowExecution: { workflowId, runId },
      reason: 'an attack',
      ...(first?.eventId && { workflowTaskFinishEventId: first.eventId }),
      requestId: randomUUID(),
      resetReapplyExcludeTypes: [1, 2],
    });
    expect((await handleOf(id).describe()).status.name).toBe('RUNNING');
    await expectAsked(await start('reset', session), 'reset');
    expect(made('reset')).toBe(2);
  });

  test('gets more by updates of its own: what they use up is lost for others', async () => {
    const session = await newSession();
    const id = await give('burnt', session, { up_to: 3 });
    const use = { task_key: 'anything', approval_id: 'anything', id: 'anything' };
    for (let turn = 0; turn < 2; turn += 1) {
      await handleOf(id).executeUpdate(GRANT_UPDATES.use, { args: [use] });
    }
    await expectAsked(await start('burnt', session), 'burnt');
  });
});

describe('a decision with a grant does not count', () => {
  const refused = async (key: string, grant: unknown) => {
    const { id } = await asked(key);
    const end = decide(project.connection, key, 'approve', { by: 'alice', approval_id: id, grant });
    return end.then(
      () => 'counted',
      ({ code }) => code,
    );
  };

  test('without a session, where the environment allows none, or with a form that is no grant', async () => {
    const { id: key } = await project.create('host.restart', { host: 'refused' });
    const wrong = [
      { for: 'session', up_to: 20 },
      { for: 'project', up_to: 20 },
      { for: 'task' },
      { for: 'task', up_to: 1 },
      { for: 'task', up_to: 1e6 },
      { for: 'task', up_to: 2.5 },
      { for: 'task', up_to: '20' },
      { for: 'task', up_to: 20, for_ms: 8 * 86_400_000 },
      { for: 'task', up_to: 20, if: 'environment.name == "dev"' },
      { for: 'task', up_to: 20, if: 'now() > timestamp("2020-01-01T00:00:00Z")' },
      { for: 'task', up_to: 20, if: 7 },
      { for: 'task', up_to: 20, forever: true },
      'all',
    ];
    for (const grant of wrong) expect([grant, await refused(key, grant)]).toEqual([grant, 'grant.refused']);
    expect(await refused(key, { for: 'task', up_to: 20, if: 'input.host ==' })).toBe('expression.syntax');
    expect(await readApprovals(project.connection, key)).toMatchObject([{ status: 'open', decisions: [] }]);
    await cancelTask(project.connection, key);
    const { id: other } = await project.create('host.restart', { host: 'refused' }, { environment: 'guarded' });
    expect(await refused(other, { for: 'task', up_to: 20 })).toBe('grant.refused');
    await cancelTask(project.connection, other);
    expect(made('refused')).toBe(0);
  });

  test('from an agent', async () => {
    const { id: key } = await project.create('host.restart', { host: 'agent' });
    await asked(key);
    const options = (env: Record<string, string>) => ({
      cwd: project.root,
      env: { TEMPORAL_ADDRESS: inject('temporal').address, ABILITY_SEAL_KEYS: TEST_KEYS, ...env },
    });
    const args = ['approve', key, '--as', 'alice', '--for', 'task', '--up-to', '20', '--yes'];
    const agents: Record<string, string>[] = [{ ABILITY_CALLER: 'agent' }, { CLAUDECODE: '1' }];
    for (const env of agents) {
      const end = await abilityJson(args, options(env));
      expect([end.exitCode, end.json.error.code]).toEqual([4, 'approval.by_agent']);
      const revoked = await abilityJson(['grants', 'revoke', '0123456789abcdef'], options(env));
      expect([revoked.exitCode, revoked.json.error.code]).toEqual([4, 'approval.by_agent']);
    }
    expect(await asked(key)).toMatchObject({ status: 'open', decisions: [] });
    const { stdout } = await ability(args, options({}));
    expect(stdout).toContain('approved');
    expect((await endOf(key)).approvals[0]?.decisions).toMatchObject([{ grant: { for: 'task', up_to: 20 } }]);
  });
});

test('a grant that is given again replaces the open one', async () => {
  const session = await newSession();
  const id = await give('again', session, { if: 'input.host == "x"' });
  expect(await give('again', session)).toBe(id);
  await expectGranted(await start('again', session), 2);
});
