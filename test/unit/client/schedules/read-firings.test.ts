import type { ScheduleDescription } from '@temporalio/client';
import { expect, test } from 'vitest';
import { isOurs, readFirings } from '../../../../src/client/schedules/read-firings.js';
import type { Refusal } from '../../../../src/contracts/task.js';
import { type Execution, serverWith } from '../start/fake-temporal.js';

const REFUSAL: Refusal = { status: 'unavailable', code: 'ability.not_found', reason: 'No.', suggestion: 'Look.' };

const scheduleOf = (...ids: string[]): ScheduleDescription => {
  const recentActions = ids.map((workflowId, n) => ({
    scheduledAt: new Date(n * 1000),
    takenAt: new Date(n * 1000 + 5),
    action: { workflow: { workflowId } },
  }));
  return { info: { recentActions } } as unknown as ScheduleDescription;
};

test.each<[string, Execution | undefined, object]>([
  ['goes on', { state: 'waiting' }, { status: 'open', task_status: 'waiting' }],
  ['has succeeded', { status: 'COMPLETED' }, { status: 'succeeded' }],
  ['has failed', { status: 'FAILED' }, { status: 'failed' }],
  ['was denied', { status: 'FAILED', state: 'denied' }, { status: 'denied' }],
  ['was cancelled', { status: 'CANCELLED' }, { status: 'cancelled' }],
  ['was terminated from outside', { status: 'TERMINATED' }, { status: 'terminated' }],
  ['has expired', { status: 'COMPLETED', state: 'expired' }, { status: 'expired' }],
  ['is forgotten', undefined, { status: 'forgotten' }],
  [
    'was refused',
    { status: 'FAILED', state: 'unavailable', refusal: REFUSAL },
    { status: 'refused', error: { code: 'ability.not_found', message: 'No.', suggestion: 'Look.' } },
  ],
  [
    'was refused without a suggestion',
    { status: 'FAILED', state: 'unavailable', refusal: { ...REFUSAL, suggestion: null } },
    { status: 'refused', error: { code: 'ability.not_found', message: 'No.' } },
  ],
])('a firing is the task that it started: one that %s', async (_, execution, expected) => {
  const { connection } = serverWith({ executions: execution ? { k: execution } : {} });
  expect(await readFirings(connection, scheduleOf('k'))).toStrictEqual([
    {
      ...{ scheduled_for: '1970-01-01T00:00:00.000Z', fired_at: '1970-01-01T00:00:00.005Z', task_key: 'k' },
      ...{ task_status: null, error: null, ...expected },
    },
  ]);
});

test('the newest firing comes first', async () => {
  const { connection } = serverWith();
  const firings = await readFirings(connection, scheduleOf('early', 'late'));
  expect(firings.map(({ task_key }) => task_key)).toEqual(['late', 'early']);
});

test('a schedule is ours if its tasks know it', () => {
  const of = (memo: object | undefined) => ({ action: { memo } }) as unknown as ScheduleDescription;
  expect([isOurs(of({ schedule: {} })), isOurs(of({})), isOurs(of(undefined))]).toEqual([true, false, false]);
});
