import { expect, test } from 'vitest';
import type { TaskResult } from '../../../../src/contracts/task.js';
import { declaresTasks, detailedTask, TASKS } from '../../../../src/doors/mcp/task-states.js';

const BASE = { started_at: '2026-01-01T00:00:00.000Z', finished_at: '2026-01-01T00:00:01.000Z', error: null };
const data = (status: TaskResult['status'], error: TaskResult['error'] = null) => {
  const answer = { data: { status }, isError: status !== 'succeeded' };
  return detailedTask(answer, { ...BASE, status, error } as TaskResult, 'id', {});
};

test.each(['created', 'guarding', 'waiting', 'running', 'finishing', 'waiting_approval'] as const)(
  '%s is working',
  (status) => {
    expect(data(status)).toMatchObject({ taskId: 'id', status: 'working', ttlMs: null, statusMessage: status });
    expect(data(status)).not.toHaveProperty('result');
  },
);

test('a task that succeeded is completed, one that was cancelled is cancelled, and any other end is completed with an error', () => {
  expect(data('succeeded')).toMatchObject({
    status: 'completed',
    result: { structuredContent: { status: 'succeeded' } },
  });
  for (const status of ['failed', 'denied', 'timed_out', 'unknown', 'expired'] as const) {
    const error = { code: 'guard.denied', message: 'no' };
    expect(data(status, error)).toMatchObject({ status: 'completed', result: { isError: true } });
  }
  expect(data('cancelled')).toMatchObject({ status: 'cancelled' });
  expect(data('cancelled')).not.toHaveProperty('result');
});

test('an engine failure is a failed task, with a JSON-RPC error', () => {
  const error = { code: 'engine.stuck', message: 'It is stuck', suggestion: 'Look.' };
  expect(data('failed', error)).toMatchObject({
    status: 'failed',
    error: { code: -32603, message: 'It is stuck', data: { code: 'engine.stuck', suggestion: 'Look.' } },
  });
});

test('only an empty object declares the extension', () => {
  const declared = (value: unknown) => declaresTasks({ extensions: { [TASKS]: value } });
  expect(declared({})).toBe(true);
  for (const value of [null, true, [], 'yes', { more: 1 }, undefined]) expect(declared(value)).toBe(false);
  for (const value of [undefined, null, {}, { extensions: null }, { extensions: {} }, { tasks: {} }]) {
    expect(declaresTasks(value)).toBe(false);
  }
  expect(declaresTasks({ extensions: Object.create({ [TASKS]: {} }) })).toBe(false);
});
