import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide, readApprovals, showSession, startSession } from '../../src/client/index.js';
import type { Approval } from '../../src/contracts/approvals.js';
import { replayHistory } from '../../src/worker/replay/replay-history.js';
import { operation, type ProjectFiles, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const USER = { name: 'ada', source: 'claimed' } as const;
const PATIENT = { timeout: 30_000 };

const page = readFileSync(join(import.meta.dirname, '../../docs/sessions.md'), 'utf8');
const [, limits = ''] = /<!-- limits -->\n```yaml\n([\s\S]*?)```/.exec(page) ?? [];

/** The guard of the documentation, with a limit of one. */
const FILES: ProjectFiles = {
  'ability.yaml': projectFile('{ dev: { approvers: [bob] } }'),
  'registry/hooks/PreAbilityCall.yaml': limits.replace('>= 10 +', '>= 1 +'),
  ...operation('note.send', 'return 1;', { effects: 'write_additive' }),
  ...operation('pay.refund', 'return input.amount;', { effects: 'write_additive' }),
  ...workflow('notes', 'steps: [{ id: one, call: note.send }, { id: two, call: note.send }]'),
};

describe('a guard over a session that asks at its limit', () => {
  let project: RunningProject;
  const start = async (): Promise<string> =>
    (await startSession(project.connection, { environment: 'dev', scope: 'integration', user: USER })).session_id;
  const create = async (session: string, ability = 'note.send'): Promise<string> =>
    (await project.create(ability, {}, { session })).id;
  const statusOf = async (key: string) => {
    const end = await project.wait(key);
    return end.kind === 'ended' ? end.result : undefined;
  };
  const asked = async (key: string, count = 1): Promise<Approval> => {
    const open = async () => (await readApprovals(project.connection, key)).filter(({ status }) => status === 'open');
    await expect.poll(async () => (await open()).length, PATIENT).toBe(count);
    return (await open())[0] as Approval;
  };
  const approve = async (key: string, by: number) => {
    const { id } = await asked(key);
    await decide(project.connection, key, 'approve', { approval_id: id, by: 'bob', fields: { by } });
  };
  /** A session that has made the one call that it may. */
  const atLimit = async (): Promise<string> => {
    const session = await start();
    expect(await statusOf(await create(session))).toMatchObject({ status: 'succeeded' });
    return session;
  };

  beforeAll(async () => {
    project = await runProject(FILES);
    await project.host().serve([{ environment: 'dev', placement: 'local' }]);
  });
  afterAll(() => project.stop());

  test('people see what it has done, and raise it: the call and as many after it as they allow are made', async () => {
    const session = await atLimit();
    const key = await create(session);
    expect(await asked(key)).toMatchObject({
      title: 'Raise the limit ten_notes of the session for note.send?',
      what: { ability: 'note.send', input: { limit: 'ten_notes', raised: 0 } },
      reasons: [
        'Ten notes are sent in a session. (hook ten_notes)',
        'The session has made 1 of note.send; the limit was raised by 0 so far.',
      ],
      fields: { by: { type: 'number' } },
    });
    await approve(key, 2);
    expect(await statusOf(key)).toMatchObject({ status: 'succeeded' });
    expect(await statusOf(await create(session))).toMatchObject({ status: 'succeeded' });
    const raised = (await showSession(project.connection, session)).raised?.ten_notes ?? {};
    expect(Object.values(raised)).toEqual([2]);
    // The limit is three now.
    const fourth = await create(session);
    expect(await asked(fourth)).toMatchObject({ what: { input: { raised: 2 } } });
    await project.connection.temporal.workflow.getHandle(fourth).cancel();
    const history = await project.connection.temporal.workflow.getHandle(key).fetchHistory();
    expect(await replayHistory({ name: key, workflowId: key, history })).toMatchObject({ status: 'ok' });
  });

  test('denied, or raised by nothing, the call is denied as by any guard, and does not count', async () => {
    const session = await atLimit();
    const key = await create(session);
    await decide(project.connection, key, 'deny', { approval_id: (await asked(key)).id, by: 'bob' });
    const denied = { status: 'denied', error: { code: 'guard.denied', message: expect.stringContaining('Ten notes') } };
    expect(await statusOf(key)).toMatchObject(denied);
    const other = await create(session);
    await approve(other, 0);
    expect(await statusOf(other)).toMatchObject(denied);
    const seen = await showSession(project.connection, session);
    expect([seen.counts.total, seen.raised]).toEqual([1, undefined]);
  });

  test('a decision that is sent again, and one for another session, raise nothing', async () => {
    const [session, other] = [await atLimit(), await atLimit()];
    const key = await create(session);
    const { id } = await asked(key);
    const handle = project.connection.temporal.workflow.getHandle(key);
    const decision = { approval_id: id, by: 'bob', fields: { by: 1 } };
    for (const once of ['d-1', 'd-1', 'd-2']) await handle.signal('approve', { ...decision, id: once });
    expect(await statusOf(key)).toMatchObject({ status: 'succeeded' });
    // It may make two calls now, and has made them.
    const third = await create(session);
    expect(await asked(third)).toMatchObject({ what: { input: { raised: 1 } } });
    const there = await create(other);
    expect(await asked(there)).toMatchObject({ what: { input: { raised: 0 } } });
    for (const open of [third, there]) await project.connection.temporal.workflow.getHandle(open).cancel();
    expect((await showSession(project.connection, other)).raised).toBeUndefined();
  });

  test('two calls that come to it together ask each for itself, and what is approved adds up', async () => {
    const session = await atLimit();
    const keys = await Promise.all([create(session), create(session)]);
    await Promise.all(keys.map((key) => asked(key)));
    await Promise.all(keys.map((key) => approve(key, 1)));
    expect(await Promise.all(keys.map(statusOf))).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }]);
    const raised = (await showSession(project.connection, session)).raised?.ten_notes ?? {};
    expect(Object.values(raised)).toEqual([1, 1]);
    const next = await create(session);
    expect(await asked(next)).toMatchObject({ what: { input: { raised: 2 } } });
    await project.connection.temporal.workflow.getHandle(next).cancel();
  });

  test('another guard of the same session keeps its limit, and a step of a workflow asks, too', async () => {
    const session = await start();
    const key = await create(session, 'notes');
    expect(await asked(key)).toMatchObject({ path: 'two' });
    await approve(key, 600);
    expect(await statusOf(key)).toMatchObject({ status: 'succeeded' });
    const refund = await project.run('pay.refund', { amount: 501 }, { session });
    expect(refund).toMatchObject({ status: 'denied', error: { code: 'guard.denied' } });
  });
});
