import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cancelTask, decide, openApprovals } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

const ENVIRONMENTS = `
  dev: {}
  staging: { approve: [destructive], approvers: [release-manager] }
  prod: { protected: true, approve: [write_idempotent, destructive], approvers: [managers], quorum: 2, self_approval: false }
  proven: { approve: [destructive], proof: required }`;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile(ENVIRONMENTS, 'people: { managers: [alice, bob, tester] }\n'),
    ...operation('db.drop', 'return { dropped: input.table };', { effects: 'destructive' }),
    ...operation('db.put', 'return 1;', { effects: 'write_idempotent' }),
    ...workflow(
      'release',
      `
steps:
  - id: ask
    approval: { title: "Release \${{ input.build }}?", approvers: [managers], quorum: 2, timeout: 24h }
  - { id: note, let: { by: "\${{ steps.ask.output.by }}", comment: "\${{ steps.ask.output.comment }}" } }
finally: [{ id: bye, let: { status: "\${{ steps.ask.status }}" } }]
output: "\${{ steps.note.output }}"`,
    ),
    ...workflow(
      'taking',
      `
steps:
  - id: ask
    approval: { title: Big? }
    on_error:
      - errors: [approval.changes_requested]
        steps: [{ id: todo, let: { todo: "\${{ steps.ask.error.details.comment }}" } }]
        output: "\${{ steps.todo.output }}"
output: "\${{ steps.ask.output }}"`,
    ),
    ...workflow('quick', 'steps: [{ id: ask, approval: { title: Quick?, timeout: 1s } }]'),
    ...workflow(
      'later',
      `
steps:
  - id: ask
    approval: { title: Quick?, timeout: 1s }
    on_error:
      - errors: [approval.denied]
        output: denied
      - errors: [approval.expired]
        output: expired
output: "\${{ steps.ask.output }}"`,
    ),
    ...workflow('reasoned', 'steps: [{ id: ask, approval: { title: Why?, comment: required } }]'),
    ...workflow(
      'two',
      'steps: [{ id: p, parallel: { a: { approval: { title: A? } }, b: { approval: { title: B? } } } }]',
    ),
  });
});
afterAll(() => project.stop());

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

/** Creates a task and waits until it requests its approvals. */
async function createWaiting(ability: string, input: JsonObject = {}, environment = 'dev', approvals = 1) {
  const { id } = await project.create(ability, input, { environment });
  await expect
    .poll(async () => (await openApprovals(project.connection, id)).length, { timeout: 20_000 })
    .toBe(approvals);
  return { id, approvals: await openApprovals(project.connection, id) };
}
const ended = async (id: string) => {
  const end = await project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};

describe('an approval step', () => {
  test('waits for the required number of people, counting each once', async () => {
    const { id, approvals } = await createWaiting('release', { build: '17' });
    expect(approvals[0]).toMatchObject({
      id: expect.stringMatching(/^ask-[0-9a-f]{12}$/),
      title: 'Release 17?',
      approvers: ['managers'],
      people: ['alice', 'bob', 'tester'],
      quorum: 2,
      requested_by: { name: 'tester', source: 'claimed' },
    });
    expect(await decide(project.connection, id, 'approve', { by: 'alice' })).toMatchObject({
      status: 'open',
      missing: 1,
    });
    expect(await failure(decide(project.connection, id, 'approve', { by: 'alice' }))).toMatchObject({
      code: 'approval.ignored',
    });
    await decide(project.connection, id, 'approve', { by: 'bob', comment: 'fine' });
    const result = await ended(id);
    expect(result).toMatchObject({ status: 'succeeded', output: { by: 'bob', comment: 'fine' } });
    expect(result.approvals[0]?.ignored).toMatchObject([{ by: 'alice', reason: 'alice has already decided' }]);
  });

  test('a denial ends the task as denied, with who and why, after finally', async () => {
    const { id } = await createWaiting('release', { build: '1' });
    const filled = decide(project.connection, id, 'deny', { by: 'bob', fields: { ticket: 'T-1' } });
    expect(await failure(filled)).toMatchObject({ code: 'usage.invalid', message: expect.stringMatching(/ticket/) });
    await decide(project.connection, id, 'deny', { by: 'bob', comment: 'too early' });
    const result = await ended(id);
    expect(result).toMatchObject({
      status: 'denied',
      error: { code: 'approval.denied', step: 'ask' },
      cleanup_ran: true,
    });
    expect(result.error?.message).toMatch(/bob denied "Release 1\?": too early/);
  });

  test('a denial may request changes, which the requester gets as the result', async () => {
    const { id } = await createWaiting('release', { build: '1' });
    const silent = decide(project.connection, id, 'request_changes', { by: 'bob' });
    expect(await failure(silent)).toMatchObject({ message: expect.stringMatching(/a comment must say which/) });
    const outcome = await decide(project.connection, id, 'request_changes', { by: 'bob', comment: 'use build 2' });
    expect(outcome).toMatchObject({ status: 'changes_requested' });
    expect(await ended(id)).toMatchObject({
      status: 'denied',
      error: { code: 'approval.changes_requested', details: { by: 'bob', comment: 'use build 2' } },
      approvals: [{ status: 'changes_requested', decisions: [{ decision: 'request_changes' }] }],
      cleanup_ran: true,
    });
  });

  test('an on_error that names it receives the requested changes', async () => {
    const { id } = await createWaiting('taking');
    await decide(project.connection, id, 'request_changes', { by: 'bob', comment: 'smaller' });
    expect(await ended(id)).toMatchObject({ status: 'succeeded', output: { todo: 'smaller' } });
  });

  test('no answer in time denies; only an on_error that names it continues', async () => {
    const [quick, later] = await Promise.all([project.run('quick'), project.run('later')]);
    expect(quick).toMatchObject({ status: 'denied', error: { code: 'approval.expired' } });
    expect(later).toMatchObject({ status: 'succeeded', output: 'expired', approvals: [{ status: 'expired' }] });
  });

  test('a person who is not among the approvers is ignored, with the reason', async () => {
    const { id } = await createWaiting('release', { build: '2' });
    const error = await failure(decide(project.connection, id, 'approve', { by: 'mallory' }));
    expect(error).toMatchObject({ code: 'approval.ignored' });
    expect(error.message).toMatch(/mallory is not among the approvers \(managers\)/);
    expect(await failure(decide(project.connection, id, 'approve', {}))).toMatchObject({ code: 'approval.ignored' });
    await cancelTask(project.connection, id);
  });

  test('a required comment must be present', async () => {
    const { id } = await createWaiting('reasoned');
    const error = await failure(decide(project.connection, id, 'approve', { by: 'x' }));
    expect(error).toMatchObject({
      message: expect.stringMatching(/needs a comment/),
      suggestion: 'Say why, with `--comment TEXT`.',
    });
    await decide(project.connection, id, 'approve', { by: 'x', comment: 'because' });
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
  });

  test('while two are open, a decision must name one; a late decision is reported as late', async () => {
    const { id, approvals } = await createWaiting('two', {}, 'dev', 2);
    expect((await failure(decide(project.connection, id, 'approve', { by: 'x' }))).message).toMatch(
      /2 approvals are open/,
    );
    for (const { id: approval_id } of approvals)
      await decide(project.connection, id, 'approve', { by: 'x', approval_id });
    const result = await ended(id);
    expect(result.status).toBe('succeeded');
    expect(await failure(decide(project.connection, id, 'approve', { by: 'x' }))).toMatchObject({
      code: 'task.closed',
    });
  });

  test('an unknown task is reported', async () => {
    expect(await failure(decide(project.connection, 'nope', 'approve', {}))).toMatchObject({ code: 'task.not_found' });
  });
});

describe('an environment', () => {
  test('requires approval of the effects that it names, and shows what would be done', async () => {
    const { id, approvals } = await createWaiting('db.drop', { table: 'users' }, 'staging');
    expect(approvals[0]).toMatchObject({
      path: 'run',
      what: {
        ability: 'db.drop',
        implementation: 'db.drop',
        environment: 'staging',
        effects: 'destructive',
        input: { table: 'users' },
      },
      reasons: ['staging asks for approval of destructive calls.'],
    });
    await decide(project.connection, id, 'approve', { by: 'release-manager' });
    expect(await ended(id)).toMatchObject({ status: 'succeeded', output: { dropped: 'users' } });
  });

  test('does not require it for the others', async () => {
    expect(await project.run('db.put', {}, { environment: 'staging' })).toMatchObject({
      status: 'succeeded',
      approvals: [],
    });
  });

  test('may forbid deciding for oneself, even to approvers', async () => {
    const { id } = await createWaiting('db.put', {}, 'prod');
    const error = await failure(decide(project.connection, id, 'approve', { by: 'tester' }));
    expect(error.message).toMatch(/deciding for oneself is not allowed here/);
    await cancelTask(project.connection, id);
  });

  test('a person alone approves with one command unless this is forbidden, and that is recorded', async () => {
    const { id } = await createWaiting('quick');
    await decide(project.connection, id, 'approve', { by: 'tester' });
    const result = await ended(id);
    expect(result.approvals[0]?.decisions).toMatchObject([{ by: { name: 'tester', source: 'claimed' }, self: true }]);
  });

  test('that requires proof is refused if no proof can be checked', async () => {
    const result = await project.run('db.drop', { table: 't' }, { environment: 'proven' });
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'feature.unsupported', message: expect.stringMatching(/own runtime/) },
    });
  });
});

describe('signals', () => {
  const signal = (id: string, name: string, input: object) =>
    promisify(execFile)(inject('temporal').binary, [
      ...['workflow', 'signal', '--address', inject('temporal').address, '--workflow-id', id],
      ...['--name', name, '--input', JSON.stringify(input)],
    ]);

  test('`temporal workflow signal` approves', async () => {
    const { id, approvals } = await createWaiting('db.drop', { table: 'x' }, 'staging');
    await signal(id, 'approve', { approval_id: approvals[0]?.id, by: 'release-manager', comment: 'by hand' });
    expect(await ended(id)).toMatchObject({
      status: 'succeeded',
      approvals: [{ decisions: [{ comment: 'by hand' }] }],
    });
  });

  test('`deny` with request_changes requests changes, and `approve` with it is ignored', async () => {
    const { id } = await createWaiting('db.drop', { table: 'x' }, 'staging');
    await signal(id, 'approve', { by: 'release-manager', request_changes: true });
    await signal(id, 'deny', { by: 'release-manager', comment: 'not now', request_changes: true });
    expect(await ended(id)).toMatchObject({
      status: 'denied',
      error: { code: 'approval.changes_requested' },
      approvals: [{ ignored: [{ reason: 'it approves and asks for changes at once' }] }],
    });
  });

  test('a malformed signal is ignored and breaks nothing', async () => {
    const { id } = await createWaiting('db.drop', { table: 'x' }, 'staging');
    await signal(id, 'approve', { by: 7, approval_id: ['x'] });
    await signal(id, 'deny', { by: 'release-manager' });
    expect(await ended(id)).toMatchObject({ status: 'denied', approvals: [{ ignored: [{ decision: 'approve' }] }] });
  });

  test('lists show the state while the task waits', async () => {
    const { id } = await createWaiting('db.drop', { table: 'y' }, 'staging');
    const handle = project.connection.temporal.workflow.getHandle(id);
    await expect
      .poll(async () => (await handle.describe()).searchAttributes.AbilityStatus, { timeout: 10_000 })
      .toEqual(['waiting_approval']);
    await cancelTask(project.connection, id);
    expect(await ended(id)).toMatchObject({ status: 'cancelled', approvals: [{ status: 'cancelled' }] });
  });
});
