import { describe, expect, test } from 'vitest';
import { type Retry, retryTask } from '../../../../src/client/start/retry-task.js';
import type { Formed } from '../../../../src/contracts/task.js';
import { examplePlan } from '../../rules/example-plan.js';
import { type Execution, serverWith } from './fake-temporal.js';

const FORMED: Formed = { seal: { key_id: 'k', mac: 'm' }, plan: examplePlan() };
const OPTIONS = { user: { name: 'ada' }, session: 's-1', scope: 'modules/users', intent: 'weekly' };
const ENDED: Execution = { status: 'FAILED', state: 'running', args: [{ n: 1 }, OPTIONS], answer: FORMED };
const BY: Retry = { person: { name: 'bob', source: 'claimed' }, kind: 'person', trace: null, run: true, soon: true };

async function retried(id: string, more: Partial<Retry> = {}, execution = ENDED) {
  const { connection, start } = serverWith({ executions: { [id]: execution } });
  const created = await retryTask(connection, id, { ...BY, ...more });
  const [type, options] = start.mock.calls[0] ?? [];
  return { created, type, args: options?.args };
}

describe('a retry', () => {
  test.each([
    ['k', 'k.r2'],
    ['k.r2', 'k.r3'],
    ['schedule:acme:nightly-2026-11-28T03:00:00Z', 'schedule:acme:nightly-2026-11-28T03:00:00Z.r2'],
    ['webhook:forge:72d3162e.r9', 'webhook:forge:72d3162e.r10'],
    ['nightly-2026-11-28T03:00:00Z', 'nightly-2026-11-28T03:00:00Z.r2'],
  ])('of %s has the key %s', async (id, key) => {
    const { created, args } = await retried(id);
    expect(created.id).toBe(key);
    expect(args?.[1]).toMatchObject({ retry: { task: id, from: null } });
  });

  test('has the input, the session, the scope and the intent of the task that it retries, and its own person', async () => {
    const { type, args } = await retried('k');
    expect(type).toBe('signup');
    expect(args).toEqual([
      { n: 1 },
      { ...OPTIONS, user: { name: 'bob' }, caller: 'person', retry: { task: 'k', from: null }, start_by: '60s' },
    ]);
  });

  test('has those that it names instead, and may have no session', async () => {
    const { args } = await retried('k', { session: 's-2', scope: 'modules/other', from: 'a' });
    expect(args?.[1]).toMatchObject({ session: 's-2', scope: 'modules/other', retry: { from: 'a' } });
    expect((await retried('k', { session: null })).args?.[1]).not.toHaveProperty('session');
  });

  test('needs a key that a task may have', async () => {
    await expect(retried('k'.repeat(64))).rejects.toMatchObject({ code: 'task.key_invalid' });
  });

  test('is refused for a task that was never formed', async () => {
    const refused = retried('k', {}, { ...ENDED, answer: undefined });
    await expect(refused).rejects.toMatchObject({ code: 'task.not_found', message: /never formed/ });
  });
});
