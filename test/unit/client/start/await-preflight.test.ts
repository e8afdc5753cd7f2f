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
const cancelled: Error = ended(new CancelledFailure('cancelled'));
const grpcError = (code: number) => Object.assign(new Error(`code ${code}`), { code, details: '', metadata: {} });

const CLOSED = { workflowExecutionFailedEventAttributes: {} };

/** A server with this history. @param waits what it answers while it waits for events, page by page. */
function connectionTo(waits: (object[] | Error)[], { end = cancelled, all = [] as object[] } = {}) {
  const getWorkflowExecutionHistory = vi.fn(async ({ nextPageToken, waitNewEvent }: Asked) => {
    if (!waitNewEvent) return { history: { events: all } };
    const at = nextPageToken?.[0] ?? 0;
    const events = waits[Math.min(at, waits.length - 1)] ?? [];
    if (events instanceof Error) throw events;
    return { history: { events }, nextPageToken: events.includes(CLOSED) ? new Uint8Array() : Uint8Array.of(at + 1) };
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

interface Asked {
  nextPageToken?: Uint8Array;
  waitNewEvent: boolean;
}

describe('the wait for a preflight', () => {
  test('ends with its answer, while the task goes on', async () => {
    const { connection, result, getWorkflowExecutionHistory } = connectionTo([[SIGNALED], [SIGNALED, ANSWERED]]);
    expect(await awaitPreflight(connection, RUN)).toEqual(FORMED);
    expect(result).not.toHaveBeenCalled();
    expect(getWorkflowExecutionHistory.mock.calls).toMatchObject([
      [{ namespace: 'default', execution: RUN, waitNewEvent: true }],
      [{ nextPageToken: Uint8Array.of(1) }],
    ]);
  });

  test('ends with its answer on a server that waits for the end of the run instead of single events', async () => {
    const { connection } = connectionTo([grpcError(4)], { all: [SIGNALED, ANSWERED] });
    expect(await awaitPreflight(connection, RUN)).toEqual(FORMED);
  });

  test.each([
    ['as the server waits for events', { waits: [[SIGNALED, CLOSED]], all: [] }],
    ['as the server lists them', { waits: [grpcError(4)], all: [SIGNALED, CLOSED] }],
  ])('ends with the refusal, if the run ended without an answer, %s', async (_, { waits, all }) => {
    const { connection, result } = connectionTo(waits, { end: ended(refused(REFUSAL)), all });
    await expect(awaitPreflight(connection, RUN)).rejects.toMatchObject({
      ...{ code: 'guard.denied', message: 'No.', suggestion: 'Ask.' },
      ...{ details: { hook_id: 'h' }, location: { file: 'a.yaml', line: 3 } },
    });
    expect(result).toHaveBeenCalledWith('t-1', 'r-1', { followRuns: false });
  });

  test.each<[string, Error]>([
    ['by a cancellation', cancelled],
    ['by another failure', ended(refused({ status: 'failed' }))],
    ['as another run, which has the answer in its arguments', new WorkflowContinuedAsNewError('next', 'r-2')],
  ])('ends without an answer, if the run ended %s', async (_, end) => {
    expect(await awaitPreflight(connectionTo([[CLOSED]], { end }).connection, RUN)).toBeUndefined();
  });

  test.each([
    ...['workflowExecutionCompletedEventAttributes', 'workflowExecutionTimedOutEventAttributes'],
    ...['workflowExecutionCanceledEventAttributes', 'workflowExecutionTerminatedEventAttributes'],
    'workflowExecutionContinuedAsNewEventAttributes',
  ])('ends without an answer at %s', async (closed) => {
    const { connection, result } = connectionTo([grpcError(4)], { all: [{ [closed]: {} }] });
    expect(await awaitPreflight(connection, RUN)).toBeUndefined();
    expect(result).toHaveBeenCalledOnce();
  });

  test('fails if the end of the run cannot be read', async () => {
    const { connection } = connectionTo([[CLOSED]], { end: grpcError(14) });
    await expect(awaitPreflight(connection, RUN)).rejects.toMatchObject({ code: 14 });
  });

  test('ends without an answer if it takes too long', async () => {
    const late = connectionTo([grpcError(4)], { all: [SIGNALED] });
    expect(await awaitPreflight(late.connection, RUN, 20)).toBeUndefined();
    // The end of a task that goes on may be days away.
    expect(late.result).not.toHaveBeenCalled();
    expect(await awaitPreflight(connectionTo([[ANSWERED]]).connection, RUN, 0)).toBeUndefined();
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
