import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { readUnfinished } from '../../../src/testing/drive-task.js';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** A history of events specified only by their attributes; each comes a second after the previous one. */
const read = (...events: Record<string, unknown>[]) =>
  readUnfinished({
    events: events.map((attributes, index) => ({
      eventId: index + 1,
      eventTime: { seconds: 100 + index, nanos: 0 },
      ...attributes,
    })),
  } as unknown as History);

const scheduled = { workflowTaskScheduledEventAttributes: {} };
const completed = { workflowTaskCompletedEventAttributes: {} };
const timer = (timerId: string, seconds: number) => ({
  timerStartedEventAttributes: { timerId, startToFireTimeout: { seconds, nanos: 500_000_000 } },
});
const activity = (activityId: string) => ({
  activityTaskScheduledEventAttributes: {
    activityId,
    retryPolicy: { initialInterval: { seconds: 1 }, backoffCoefficient: 2, maximumInterval: { seconds: 5 } },
  },
});

test('a workflow task is under way from when it is scheduled until it is completed', () => {
  expect(read(scheduled).hasWorkflowTask).toBe(true);
  expect(read(scheduled, { workflowTaskStartedEventAttributes: {} }).hasWorkflowTask).toBe(true);
  expect(read(scheduled, completed).hasWorkflowTask).toBe(false);
});

test('failing workflow code is reported, until it succeeds', () => {
  const failed = { workflowTaskFailedEventAttributes: { failure: { message: 'boom' } } };
  expect(read(scheduled, failed)).toMatchObject({ hasWorkflowTask: true, fault: 'boom' });
  expect(read(scheduled, failed, scheduled, completed).fault).toBeUndefined();
});

test('timers that neither fired nor were cancelled fire at their time', () => {
  const fired = { timerFiredEventAttributes: { timerId: 'b' } };
  const cancelled = { timerCanceledEventAttributes: { timerId: 'c' } };
  const { timers } = read(timer('a', 86_400), timer('b', 1), timer('c', 1), fired, cancelled);
  expect([...timers]).toEqual([['a', (100 + 86_400.5) * 1000]]);
});

test.each(['Completed', 'Failed', 'TimedOut', 'Canceled'])('an activity that is %s is over', (end) => {
  const over = { [`activityTask${end}EventAttributes`]: { scheduledEventId: 2 } };
  expect([...read(activity('1'), activity('2'), over).activities.keys()]).toEqual(['1']);
});

test('an activity waits before each attempt according to its policy', () => {
  const backoff = read(activity('1')).activities.get('1');
  expect([2, 3, 4, 5].map((attempt) => backoff?.(attempt))).toEqual([1000, 2000, 4000, 5000]);
});

test('children are open until they have ended', () => {
  const child = (workflowId: string) => ({ startChildWorkflowExecutionInitiatedEventAttributes: { workflowId } });
  const ended = { childWorkflowExecutionCompletedEventAttributes: { initiatedEventId: 1 } };
  expect([...read(child('k/a'), child('k/b'), ended).children.values()]).toEqual(['k/b']);
});

test.each(['Completed', 'Failed', 'Canceled', 'Terminated', 'TimedOut'])('a workflow that is %s is closed', (end) => {
  expect(read(scheduled).isClosed).toBe(false);
  expect(read(scheduled, { [`workflowExecution${end}EventAttributes`]: {} }).isClosed).toBe(true);
});
