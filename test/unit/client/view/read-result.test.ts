import { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { awaitResult } from '../../../../src/client/view/read-result.js';
import type { StoredResult } from '../../../../src/contracts/stored-result.js';
import type { Refusal, TaskMemo } from '../../../../src/contracts/task.js';

const MEMO: TaskMemo = {
  ability: 'a.b',
  // The definitions of the client were older.
  version: '2',
  environment: 'dev',
  requested_by: 'ann',
};
const STARTED = '2026-01-01T00:00:00.000Z';
const STORED: StoredResult = {
  ...{ status: 'succeeded', version: '3', digest: 'd'.repeat(64), output: 5, steps: [] },
  ...{ started_at: STARTED, took_ms: 1500 },
};

/** A session on a Temporal where every workflow has ended with this result. */
function sessionOn(stored: StoredResult, created: Connection['created']) {
  const describe = vi.fn(async () => ({
    memo: MEMO,
    type: 'a.b',
    startTime: new Date(STARTED),
    closeTime: new Date('2026-01-01T00:00:02.000Z'),
    searchAttributes: { AbilityProject: ['own'] },
  }));
  const getHandle = () => ({ result: async () => stored, describe });
  const temporal = { workflow: { getHandle } };
  const session = { project: 'own', ui: null, paths: { records: '/nowhere' }, temporal, created };
  return { session: session as unknown as Connection, describe };
}

test('the result of a task that the session created is the same, with one request less', async () => {
  const queried = sessionOn(STORED, undefined);
  const known = sessionOn(STORED, new Map([['t-1', MEMO]]));
  const result = await awaitResult(known.session, 't-1');
  expect(result).toEqual(await awaitResult(queried.session, 't-1'));
  expect(result).toMatchObject({
    ability_id: 'a.b',
    version: '3',
    digest: STORED.digest,
    requested_by: { name: 'ann' },
  });
  expect(result).toMatchObject({ started_at: STARTED, finished_at: '2026-01-01T00:00:01.500Z', environment: 'dev' });
  expect([known.describe.mock.calls.length, queried.describe.mock.calls.length]).toEqual([0, 1]);
});

test('the server is queried for other tasks, and if the result lacks its times', async () => {
  const { took_ms: _, started_at: __, ...early } = STORED;
  const { session, describe } = sessionOn(early, new Map([['t-1', MEMO]]));
  expect(await awaitResult(session, 't-1')).toMatchObject({ finished_at: '2026-01-01T00:00:02.000Z' });
  expect(await awaitResult(session, 't-2')).toMatchObject({ ability_id: 'a.b' });
  expect(describe).toHaveBeenCalledTimes(2);
});

test('a task that preflight refused has the refusal as its error, and no clean-up', async () => {
  const { session } = sessionOn(STORED, undefined);
  const refusal: Refusal = { status: 'unavailable', code: 'guard.denied', reason: 'No.', suggestion: 'Ask.' };
  const cause = ApplicationFailure.create({ type: 'guard.denied', message: 'No.', details: [refusal] });
  const handle = session.temporal.workflow.getHandle('t-1');
  const result = () => Promise.reject(new WorkflowFailedError('failed', cause, 'NON_RETRYABLE_FAILURE'));
  session.temporal.workflow.getHandle = () => ({ ...handle, result }) as never;
  expect(await awaitResult(session, 't-1')).toMatchObject({
    ...{ status: 'unavailable', output: null, steps: [], cleanup_ran: null, ability_id: 'a.b', environment: 'dev' },
    error: { code: 'guard.denied', message: 'No.', suggestion: 'Ask.' },
  });
});
