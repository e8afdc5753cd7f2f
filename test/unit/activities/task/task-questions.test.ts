import { describe, expect, test, vi } from 'vitest';
import { createFindUi, createProve } from '../../../../src/activities/task/task-questions.js';
import type { ProveAnswer, ProveRequest } from '../../../../src/contracts/activities.js';
import { examplePlan } from '../../rules/example-plan.js';
import { admittedTask } from '../admitted-task.js';

const DECISION = { approval: 'a' } as unknown as NonNullable<ProveRequest['decision']>;
const PROOF = { token: 'p' } as unknown as NonNullable<ProveRequest['proof']>;

test.each(['http://ui', null])('a task gets the address of the Temporal UI, %s', async (ui) => {
  const { plans, mark, environment } = admittedTask(examplePlan());
  expect(await environment().run(createFindUi({ plans, ui }), { seal: mark })).toBe(ui);
});

test('only a sealed task gets the address of the Temporal UI', async () => {
  const { plans, environment } = admittedTask(examplePlan());
  const found = environment().run(createFindUi({ plans, ui: 'http://ui' }), { seal: 'other' });
  await expect(found).rejects.toMatchObject({ type: 'seal.invalid' });
});

describe('the proof of a decision', () => {
  type Check = Parameters<typeof createProve>[0]['checkProof'];
  const proved = (checkProof: Check, of: Partial<ProveRequest>): Promise<ProveAnswer> => {
    const { plans, mark, environment } = admittedTask(examplePlan());
    return environment().run(createProve({ plans, checkProof }), { seal: mark, ...of });
  };

  test.each<[string, Check, Partial<ProveRequest>, ProveAnswer]>([
    ['cannot be checked by a worker without a check', null, { decision: DECISION, proof: PROOF }, { able: false }],
    ['can be checked by this worker, where there is no decision yet', () => 'wrong', {}, { able: true }],
    ['is right', () => undefined, { decision: DECISION, proof: PROOF }, { able: true }],
    ['is wrong', () => 'wrong', { decision: DECISION, proof: PROOF }, { able: true, reason: 'wrong' }],
    [
      'is missing',
      () => undefined,
      { decision: DECISION },
      { able: true, reason: expect.stringContaining('no proof') },
    ],
  ])('%s', async (_, check, of, answer) => {
    expect(await proved(check, of)).toEqual(answer);
  });

  test('is checked against the decision', async () => {
    const check = vi.fn(() => undefined);
    await proved(check, { decision: DECISION, proof: PROOF });
    expect(check).toHaveBeenCalledWith(DECISION, PROOF);
  });

  test('is checked only for a sealed task', async () => {
    await expect(proved(() => undefined, { seal: 'other' })).rejects.toMatchObject({ type: 'seal.invalid' });
  });
});
