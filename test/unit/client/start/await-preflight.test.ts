import {
  ApplicationFailure,
  CancelledFailure,
  WorkflowContinuedAsNewError,
  WorkflowFailedError,
} from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { describe, expect, test, vi } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { awaitPreflight, isFormed, refusalOf } from '../../../../src/client/start/await-preflight.js';
import { ACTIVITIES } from '../../../../src/contracts/names.js';
import type { Formed, Refusal } from '../../../../src/contracts/task.js';
import { examplePlan } from '../../rules/example-plan.js';

const FORMED: Formed = { seal: { key_id: 'k', mac: 'm' }, plan: examplePlan() };
const REFUSAL: Refusal = {
  ...{ status: 'unavailable', code: 'guard.denied', reason: 'No.', suggestion: 'Ask.' },
  ...{ details: { hook_id: 'h' }, location: { file: 'a.yaml', line: 3 } },
};
const RUN = { workflowId: 't-1', runId: 'r-1' };

const toPayload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const SIGNALED = { workflowExecutionSignaledEventAttributes: {} };
const ANSWERED = {
  markerRecordedEventAttributes: {
    details: {
      data: { payloads: [toPayload({ activity_type: ACTIVITIES.preflight })] },
      result: { payloads: [toPayload(FORMED)] },
    },
  },
};
const refused = (...details: unknown[]) => ApplicationFailure.create({ type: 'guard.denied', message: 'No.', details });
const ended = (cause: Error) => new WorkflowFailedError('failed', cause, 'NON_RETRYABLE_FAILURE');
const grpcError = (code: number) => Object.assign(new Error(`code ${code}`), { code, details: '', metadata: {} });

/** The history of a run, page by page; the last one ends it. @param end what its result throws. */
function connectionTo(pages: (object[] | Error)[], end: Error = ended(new CancelledFailure('cancelled'))) {
  const getWorkflowExecutionHistory = vi.fn(async ({ nextPageToken }: { nextPageToken?: Uint8Array }) => {
    const at = nextPageToken?.[0] ?? 0;
    const events = pages[at] ?? [];
    if (events instanceof Error) throw events;
    return { history: { events }, nextPageToken: at + 1 < pages.length ? Uint8Array.of(at + 1) : new Uint8Array() };
  });
  const result = vi.fn(() => Promise.reject(end));
  const temporal = {
    withDeadline: (_: number, action: () => unknown) => action(),
    workflowService: { getWorkflowExecutionHistory },
    workflow: { result },
  };
  const codec = { decode: async (payloads: Payload[]) => payloads };
  const connection = { temporal, namespace: 'default', codec } as unknown as Connection;
  return { connection, result, getWorkflowExecutionHistory };
}

describe('the wait for a preflight', () => {
  test('ends with its answer, while the task goes on', async () => {
    const { connection, result, getWorkflowExecutionHistory } = connectionTo([[SIGNALED], [SIGNALED, ANSWERED], []]);
    expect(await awaitPreflight(connection, RUN)).toEqual(FORMED);
    expect(result).not.toHaveBeenCalled();
    expect(getWorkflowExecutionHistory.mock.calls).toMatchObject([
      [{ namespace: 'default', execution: RUN, waitNewEvent: true }],
      [{ nextPageToken: Uint8Array.of(1) }],
    ]);
  });

  test('ends with the refusal, if the run ended without an answer', async () => {
    const { connection, result } = connectionTo([[SIGNALED]], ended(refused(REFUSAL)));
    await expect(awaitPreflight(connection, RUN)).rejects.toMatchObject({
      ...{ code: 'guard.denied', message: 'No.', suggestion: 'Ask.' },
      ...{ details: { hook_id: 'h' }, location: { file: 'a.yaml', line: 3 } },
    });
    expect(result).toHaveBeenCalledWith('t-1', 'r-1', { followRuns: false });
  });

  test.each<[string, Error]>([
    ['by a cancellation', ended(new CancelledFailure('cancelled'))],
    ['by another failure', ended(refused({ status: 'failed' }))],
    ['as another run, which has the answer in its arguments', new WorkflowContinuedAsNewError('next', 'r-2')],
  ])('ends without an answer, if the run ended %s', async (_, end) => {
    expect(await awaitPreflight(connectionTo([[SIGNALED]], end).connection, RUN)).toBeUndefined();
  });

  test('fails if the end of the run cannot be read', async () => {
    const { connection } = connectionTo([[SIGNALED]], grpcError(14));
    await expect(awaitPreflight(connection, RUN)).rejects.toMatchObject({ code: 14 });
  });

  test('ends without an answer if it takes too long', async () => {
    const late = connectionTo([[SIGNALED], grpcError(4)]);
    expect(await awaitPreflight(late.connection, RUN)).toBeUndefined();
    const busy = connectionTo([[SIGNALED], [SIGNALED], []]);
    expect(await awaitPreflight(busy.connection, RUN, 0)).toBeUndefined();
    expect(busy.getWorkflowExecutionHistory).toHaveBeenCalledOnce();
    // The end of a task that goes on may be days away.
    for (const { result } of [late, busy]) expect(result).not.toHaveBeenCalled();
  });

  test('fails with any other error of the server', async () => {
    const { connection } = connectionTo([grpcError(14)]);
    await expect(awaitPreflight(connection, RUN)).rejects.toMatchObject({ code: 14 });
  });
});

test('a task is formed if its preflight sealed it', () => {
  expect([
    isFormed(FORMED),
    isFormed({ ended: {} as never }),
    isFormed({ dedicated: true }),
    isFormed(undefined),
  ]).toEqual([...[true, false, false, false]]);
});

test.each<[string, unknown]>([
  ['another error', new Error('No.')],
  ['a failure without details', ApplicationFailure.create({ type: 'guard.denied' })],
  ['the failure of a task that had begun', refused({ status: 'denied', code: 'guard.denied', reason: 'No.' })],
  ['a refusal without its code', refused({ status: 'unavailable', reason: 'No.' })],
  ['a refusal without its reason', refused({ status: 'unavailable', code: 'guard.denied' })],
  ['nothing', undefined],
])('no refusal is read from %s', (_, cause) => {
  expect(refusalOf(cause)).toBeUndefined();
});

test('a refusal without a suggestion has none', () => {
  expect(refusalOf(refused({ ...REFUSAL, suggestion: null }))).not.toHaveProperty('suggestion');
});
