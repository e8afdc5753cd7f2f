import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  cancelTask,
  changeInput,
  decide,
  explainTask,
  readApprovals,
  runTask,
  type ShownApproval,
  viewTask,
  withProof,
} from '../../src/client/index.js';
import type { Decision, DecisionOutcome, KeyProof, Verdict } from '../../src/contracts/approvals.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { QUERIES, SIGNALS } from '../../src/contracts/names.js';
import { proveDecision } from '../../src/server/keys/proof-key.js';
import { pathsOf } from '../../src/server/project-paths.js';
import { KeyFolder } from '../../src/worker/seal-keys.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS } from '../fixtures/running-project.js';

const OWNER = userInfo().username;
const ENVIRONMENTS = `
  strict: { approve: [destructive], approvers: [managers], quorum: 2, self_approval: false }
  proven: { approve: [destructive], proof: required, approvers: [owners] }
  unowned: { approve: [destructive], proof: required, approvers: [alice] }`;

let project: RunningProject;

beforeAll(async () => {
  project = await runProject(
    {
      'ability.yaml': projectFile(ENVIRONMENTS, `people: { managers: [alice, bob, tester], owners: ["${OWNER}"] }\n`),
      ...operation('db.drop', 'appendFileSync("effects", input.table + "\\n"); return 1;', { effects: 'destructive' }),
      ...workflow('quick', 'steps: [{ id: ask, approval: { title: Quick?, timeout: 1s } }]'),
      ...workflow(
        'both',
        `
steps:
  - id: each
    foreach: "[1, 2]"
    as: n
    max_parallel: 2
    steps: [{ id: ask, approval: { title: "Take \${{ string(n) }}?" } }]
  - { id: sub, call: quick_child, with: {} }`,
      ),
      ...workflow(
        'twice',
        `
steps:
  - id: g
    retry: { attempts: 2, first: 100ms }
    steps:
      - { id: ask, approval: { title: Go on? } }
      - { id: no, fail: { code: once_more, message: again } }`,
      ),
      ...workflow('quick_child', 'steps: [{ id: inner, approval: { title: Inner? } }]'),
    },
    { proves: true },
  );
});
afterAll(() => project.stop());

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error as { code: string; message: string },
  );

async function asking(environment: string, input: JsonObject = { table: 't' }, id = 'db.drop', more = {}) {
  const { id: key } = await project.create(id, input, { environment, ...more });
  return { key, approval: await onlyOpen(key) };
}
async function onlyOpen(key: string): Promise<ShownApproval> {
  await expect.poll(async () => (await readApprovals(project.connection, key)).length, { timeout: 20_000 }).toBe(1);
  return (await readApprovals(project.connection, key))[0] as ShownApproval;
}
const seen = async (key: string) => (await viewTask(project.connection, key)).result.approvals[0];
const effects = () => {
  const file = join(project.root, 'effects');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};
/** Sends a decision as any client of the server can. @returns its outcome. */
async function send(key: string, verdict: Verdict, decision: Decision): Promise<DecisionOutcome | null> {
  const handle = project.connection.temporal.workflow.getHandle(key);
  const id = randomUUID();
  const sent = { ...decision, id, ...(verdict === 'request_changes' && { request_changes: true }) };
  await handle.signal(verdict === 'approve' ? SIGNALS.approve : SIGNALS.deny, sent);
  let outcome: DecisionOutcome | null = null;
  await expect.poll(async () => (outcome = await handle.query(QUERIES.decision, id))).not.toBeNull();
  return outcome;
}
const signal = (key: string, name: string, decision: object) =>
  promisify(execFile)(inject('temporal').binary, [
    ...['workflow', 'signal', '--address', inject('temporal').address, '--workflow-id', key],
    ...['--name', name, '--input', JSON.stringify(decision)],
  ]);
const options = (env: Record<string, string> = {}) => ({
  cwd: project.root,
  env: { TEMPORAL_ADDRESS: inject('temporal').address, ABILITY_SEAL_KEYS: TEST_KEYS, ...env },
});

describe('a decision does not count', () => {
  test('from the requester, a non-approver or an empty name, or twice from one person', async () => {
    const { key, approval } = await asking('strict');
    for (const by of ['tester', ' tester ', 'mallory', 'managers', '', 'Alice']) {
      expect(await send(key, 'approve', { by, approval_id: approval.id })).toMatchObject({ counted: false });
    }
    expect(await send(key, 'approve', { by: 'alice' })).toMatchObject({ counted: true, missing: 1 });
    for (const by of ['alice', ' alice', 'alice\n']) {
      expect(await send(key, 'approve', { by })).toMatchObject({
        counted: false,
        reason: expect.stringMatching(/already/),
      });
    }
    expect(await seen(key)).toMatchObject({ status: 'open', decisions: [{ by: { name: 'alice' } }] });
    const story = await explainTask(project.connection, key);
    expect(story.approvals[0]?.ignored.map(({ reason }) => reason)).toHaveLength(9);
    await cancelTask(project.connection, key);
  });

  test('from an agent, whatever else it claims', async () => {
    const { key } = await asking('strict');
    const agents: Record<string, string>[] = [
      { ABILITY_CALLER: 'agent' },
      { CLAUDECODE: '1' },
      { CI: '1', GEMINI_CLI: '1' },
    ];
    for (const env of agents) {
      for (const verb of ['approve', 'deny']) {
        const end = await abilityJson([verb, key, '--as', 'alice', '--yes'], options(env));
        expect(end).toMatchObject({ exitCode: 4, json: { error: { code: 'approval.by_agent' } } });
      }
    }
    expect(await seen(key)).toMatchObject({ status: 'open', decisions: [], ignored: [] });
    await cancelTask(project.connection, key);
  });

  test('when it comes too late, and is refused with a code', async () => {
    const { key, approval } = await asking('strict', {}, 'quick');
    await project.wait(key);
    const late = failure(decide(project.connection, key, 'approve', { by: 'alice', approval_id: approval.id }));
    expect(await late).toMatchObject({ code: 'task.closed' });
    expect(await seen(key)).toMatchObject({ status: 'expired', decisions: [] });
  });

  test('about an input that has changed since it was shown', async () => {
    const shown = await asking('strict', { table: 'small' });
    const { id: key } = await project.create('db.drop', { table: 'small' }, { environment: 'strict', run: false });
    await changeInput(project.connection, key, {
      set: { table: 'all' },
      unset: [],
      by: { name: 'bob', source: 'claimed' },
    });
    await runTask(project.connection, key);
    const now = await onlyOpen(key);
    expect(now.what_digest).not.toBe(shown.approval.what_digest);
    const old = await send(key, 'approve', { by: 'alice', approval_id: shown.approval.id });
    expect(old).toMatchObject({ counted: false, reason: expect.stringMatching(/there is no approval/) });
    // A person who changed the input counts as a requester, too.
    expect(await send(key, 'approve', { by: 'bob', approval_id: now.id })).toMatchObject({ counted: false });
    await cancelTask(project.connection, key);
    await cancelTask(project.connection, shown.key);
  });
});

describe('when proof is required', () => {
  const proved = (approval: ShownApproval, verdict: Verdict = 'approve', more: Decision = {}) =>
    withProof(
      project.connection,
      approval,
      verdict,
      { by: OWNER, approval_id: approval.id, ...more },
      { token: undefined, door: null },
    );

  test('the owner of the runtime decides, and that is recorded', async () => {
    const { key, approval } = await asking('proven', { table: 'proved' });
    expect(approval.proof).toBe('required');
    const outcome = await decide(project.connection, key, 'approve', proved(approval, 'approve', { comment: 'seen' }));
    expect(outcome).toMatchObject({ status: 'approved' });
    const end = await project.wait(key);
    expect(end).toMatchObject({
      result: { status: 'succeeded', approvals: [{ decisions: [{ by: { name: OWNER, source: 'os_user' } }] }] },
    });
    expect(effects()).toContain('proved');
  });

  test('no decision counts without a proof, with a forged one, or with the proof of something else', async () => {
    const { key, approval } = await asking('proven', { table: 'forged' });
    const other = await asking('proven', { table: 'other' });
    const good = proved(approval);
    const about = {
      what: approval.what,
      approval_id: approval.id,
      raised_at: approval.raised_at,
      verdict: 'approve',
      by: OWNER,
      comment: null,
      fields: null,
      grant: null,
      denied_items: null,
    } as const;
    const forged: Decision[] = [
      { by: OWNER },
      { by: OWNER, approval_id: approval.id },
      { ...good, comment: 'another comment' },
      { ...good, fields: { x: 1 } },
      { ...good, by: 'alice' },
      { ...good, by: '' },
      { ...good, proof: { nonce: '0'.repeat(32), mac: (good.proof as KeyProof).mac } },
      { ...good, proof: { nonce: 'x', mac: 'y' } },
      { ...good, proof: proveDecision(randomBytes(32), about) },
      { ...good, proof: proved(approval, 'deny').proof as never },
      { ...proved(other.approval), approval_id: approval.id },
    ];
    for (const decision of forged) expect(await send(key, 'approve', decision)).toMatchObject({ counted: false });
    expect(await seen(key)).toMatchObject({ status: 'open', decisions: [] });
    expect(effects()).not.toContain('forged');
    await cancelTask(project.connection, key);
    await cancelTask(project.connection, other.key);
  });

  test('a signal without a proof does not count, and `why` reports it; one with a proof counts once', async () => {
    const { key, approval } = await asking('proven', { table: 'signalled' });
    await signal(key, 'approve', { approval_id: approval.id, by: OWNER });
    await signal(key, 'deny', { approval_id: approval.id, by: OWNER });
    await expect.poll(async () => (await seen(key))?.ignored.length, { timeout: 10_000 }).toBe(2);
    const { stdout } = await ability(['why', key], options());
    expect(stdout).toMatch(/ignored: approve .* it brings no proof/);
    expect(await seen(key)).toMatchObject({ status: 'open', decisions: [] });
    const decision = proved(approval);
    await signal(key, 'approve', { ...decision, id: 'once' });
    await signal(key, 'approve', { ...decision, id: 'once' }).catch(() => {});
    await signal(key, 'approve', decision).catch(() => {});
    const end = await project.wait(key);
    expect(end).toMatchObject({
      result: { approvals: [{ status: 'approved', decisions: [{ decision: 'approve' }] }] },
    });
  });

  test('a proof counts once, and not for a later approval with the same id', async () => {
    const { id: key } = await project.create('twice', {}, { environment: 'proven' });
    const first = await onlyOpen(key);
    const decision = proved(first);
    expect(await send(key, 'approve', decision)).toMatchObject({ counted: true });
    await expect
      .poll(async () => (await readApprovals(project.connection, key))[0]?.raised_at ?? first.raised_at, {
        timeout: 20_000,
      })
      .not.toBe(first.raised_at);
    const again = await onlyOpen(key);
    expect(again.id).toBe(first.id);
    expect(await send(key, 'approve', decision)).toMatchObject({ counted: false });
    expect(await send(key, 'deny', decision)).toMatchObject({ counted: false });
    expect((await readApprovals(project.connection, key))[0]).toMatchObject({ status: 'open', decisions: [] });
    expect(await send(key, 'approve', proved(again))).toMatchObject({ counted: true });
    expect(await project.wait(key)).toMatchObject({ result: { status: 'failed', error: { code: 'once_more' } } });
  });

  test('only the owner can be proved: another name cannot, and an owner who is not an approver does not count', async () => {
    const { key, approval } = await asking('unowned');
    expect(() => proved(approval, 'approve', { by: 'alice' })).toThrow(/only .* can be proved here/);
    const own = await send(key, 'approve', proved(approval));
    expect(own).toMatchObject({ counted: false, reason: expect.stringMatching(/not among the approvers/) });
    await cancelTask(project.connection, key);
  });

  test('the key is 32 bytes, readable by its owner only, never replaced, and not a seal key', async () => {
    const { proofKey, keys } = pathsOf(project.root);
    const { mode, size } = statSync(proofKey);
    expect([mode & 0o777, size]).toEqual([0o600, 32]);
    expect(new KeyFolder(keys).keys.size).toBe(0);
    const before = readFileSync(proofKey);
    await project.restartWorkers();
    expect(readFileSync(proofKey)).toEqual(before);
    const { key, approval } = await asking('proven');
    chmodSync(proofKey, 0o644);
    expect(() => proved(approval)).toThrow(/others may read/);
    chmodSync(proofKey, 0o600);
    writeFileSync(proofKey, 'short');
    expect(() => proved(approval)).toThrow(/contains no key/);
    writeFileSync(proofKey, before);
    await cancelTask(project.connection, key);
  });

  test('several open approvals, in a loop and in a called task, are each proved separately', async () => {
    const { id: key } = await project.create('both', {}, { environment: 'proven' });
    const open = () => readApprovals(project.connection, key);
    await expect.poll(async () => (await open()).length, { timeout: 20_000 }).toBe(2);
    for (const approval of await open()) await decide(project.connection, key, 'approve', proved(approval));
    await expect.poll(async () => (await open()).map(({ path }) => path), { timeout: 20_000 }).toEqual(['inner']);
    for (const approval of await open()) await decide(project.connection, key, 'approve', proved(approval));
    expect(await project.wait(key)).toMatchObject({ result: { status: 'succeeded' } });
  });
});
