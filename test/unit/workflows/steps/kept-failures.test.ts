import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { keepFailure, keptFailure, StepFailure } from '../../../../src/workflows/steps/step-failure.js';

vi.mock('@temporalio/workflow', async () => (await import('../../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const problem = { code: 'cert.expiring', message: 'soon' };

test('a failure that is an answer is still one in the next run of the task', () => {
  const kept = JSON.parse(JSON.stringify(keepFailure(new StepFailure(problem, false, true))));
  expect(keptFailure(kept)).toMatchObject({ problem, isAnswer: true });
});

test('any other failure is stored without additions', () => {
  expect(keepFailure(new StepFailure(problem))).toEqual({ error: problem });
  expect(keptFailure({ error: problem })).toMatchObject({ isAnswer: false });
});
