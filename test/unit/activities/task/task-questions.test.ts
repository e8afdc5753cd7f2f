import { describe, expect, test, vi } from 'vitest';
import { createFindLink, createProve } from '../../../../src/activities/task/task-questions.js';
import type { ProveAnswer, ProveRequest } from '../../../../src/contracts/activities.js';
import { examplePlan } from '../../rules/example-plan.js';
import { admittedTask } from '../admitted-task.js';

const DECISION = { approval: 'a' } as unknown as NonNullable<ProveRequest['decision']>;
const PROOF = { token: 'p' } as unknown as NonNullable<ProveRequest['proof']>;

test.each([
  ['http://ui', 'https://page.test', /^https:\/\/page\.test\/tasks\/.+/],
  ['http://ui', null, /^http:\/\/ui\/namespaces\/.+\/workflows\/.+/],
  [null, null, /^null$/],
])('with the Temporal UI at %s and the page at %s, the link of a task is %s', async (ui, page, link) => {
  const { plans, mark, environment } = admittedTask(examplePlan());
  expect(String(await environment().run(createFindLink({ plans, ui, page }), { seal: mark }))).toMatch(link);
});

test('only a sealed task gets its link', async () => {
  const { plans, environment } = admittedTask(examplePlan());
  const found = environment().run(createFindLink({ plans, ui: 'http://ui', page: null }), { seal: 'other' });
  await expect(found).rejects.toMatchObject({ type: 'seal.invalid' });
});

describe('the proof of a decision', () => {
  type Check = ReturnType<Parameters<typeof createProve>[0]['proofs']>;
  const proved = (check: Check, of: Partial<ProveRequest>): Promise<ProveAnswer> => {
    const { plans, mark, environment } = admittedTask(examplePlan());
    return environment().run(createProve({ plans, proofs: () => check }), { seal: mark, ...of });
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
