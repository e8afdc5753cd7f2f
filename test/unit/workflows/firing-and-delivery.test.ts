import {
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  RetryState,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { FiringRequest } from '../../../src/contracts/schedules.js';
import { firing } from '../../../src/workflows/firing-and-delivery.js';

const temporal = vi.hoisted(() => ({
  /** Result of the task, or an error that is thrown. */
  end: undefined as unknown,
  isCancelled: false,
}));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  CancellationScope: { current: () => ({ consideredCancelled: temporal.isCancelled }) },
  executeChild: async () => ({ seal: {}, plan: { ability: { id: 'greets' } } }),
  startChild: async () => ({
    result: async () => {
      if (temporal.end instanceof Error) throw temporal.end;
      return temporal.end;
    },
  }),
  workflowInfo: () => ({ typedSearchAttributes: { get: () => undefined }, startTime: new Date(0) }),
}));
vi.mock('../../../src/rules/tasks/form-start.js', () => ({
  formStart: () => ({ argument: { plan: { ability: { id: 'greets' } } }, attributes: {} }),
}));
vi.mock('../../../src/rules/tasks/task-arguments.js', () => ({ packArguments: () => [] }));

beforeEach(() => {
  Object.assign(temporal, { end: { status: 'succeeded' }, isCancelled: false });
});

const request = { format: 1, project: 'p', schedule: { id: 'nightly', ability: 'greets' } } as FiringRequest;
const statusOf = async () => (await firing(request)).status;

function endedBy(cause: Error) {
  const execution = { workflowId: 'x', runId: 'y' };
  return new ChildWorkflowFailure('default', execution, 'greets', RetryState.NON_RETRYABLE_FAILURE, cause);
}

describe('a firing ends with the end of its task', () => {
  const failed = (details: object[]) => ApplicationFailure.create({ type: 'script.exit', message: 'm', details });

  test.each<[string, unknown, string]>([
    ['a success', { status: 'succeeded' }, 'succeeded'],
    ['a failure', endedBy(failed([{ status: 'denied' }])), 'denied'],
    ['a failure without a result', endedBy(failed([])), 'failed'],
    ['a cancellation of the task alone', endedBy(new CancelledFailure('m')), 'cancelled'],
    ['a termination', endedBy(new TerminatedFailure('m')), 'cancelled'],
    ['a time-out of Temporal', endedBy(new TimeoutFailure('m', undefined, 'START_TO_CLOSE')), 'failed'],
  ])('%s', async (_, end, status) => {
    temporal.end = end;
    expect(await statusOf()).toBe(status);
  });
});

test('a firing that is cancelled itself is cancelled', async () => {
  temporal.end = endedBy(new CancelledFailure('m'));
  temporal.isCancelled = true;
  await expect(statusOf()).rejects.toBe(temporal.end);
});
