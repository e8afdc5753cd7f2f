import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contracts/json.js';
import type { TaskResult } from '../../../../src/contracts/task.js';
import { TASKS } from '../../../../src/doors/mcp/answer-discovery.js';
import { declaresTasks, declaresUrls, detailedTask } from '../../../../src/doors/mcp/task-states.js';

const BASE = { started_at: '2026-01-01T00:00:00.000Z', finished_at: '2026-01-01T00:00:01.000Z', error: null };
const data = (status: TaskResult['status'], error: TaskResult['error'] = null) => {
  const answer = { data: { status }, isError: status !== 'succeeded' };
  return detailedTask(answer, { ...BASE, status, error } as TaskResult, { handle: 'id', meta: {}, opensUrls: true });
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

describe('a declaration is an object, whatever its settings', () => {
  const NONE = [null, true, [], 'yes', undefined];

  test.each([
    ['the extension', declaresTasks, (value: unknown) => ({ extensions: { [TASKS]: value } })],
    ['addresses', declaresUrls, (value: unknown) => ({ elicitation: { form: {}, url: value } })],
  ])('of %s', (_, declares, declaring) => {
    for (const value of [{}, { more: 1 }, { deep: { settings: [true] } }])
      expect(declares(declaring(value))).toBe(true);
    for (const value of NONE) expect(declares(declaring(value))).toBe(false);
    for (const value of [...NONE, {}, { extensions: null, elicitation: null }, { extensions: {}, elicitation: {} }]) {
      expect(declares(value)).toBe(false);
    }
    const inherited = Object.values(declaring({})).map((one) => Object.create(one as object));
    expect(declares({ extensions: inherited[0], elicitation: inherited[0] })).toBe(false);
  });
});

describe('a task that waits for people', () => {
  const approval = { approval: 'ask-1', title: 'Go?', ability: 'a', environment: 'dev', who: 'bob', until: 'noon' };
  const asks = (page: JsonObject, opensUrls = true) => {
    const waiting: JsonObject[] = [
      { ...approval, commands: ['ability approve k'], ...page },
      { what: 'the signal go' },
    ];
    const result = { ...BASE, status: 'waiting_approval' } as TaskResult;
    const open = { handle: 'id', key: 'k', needsOthers: true };
    const answer = { data: { status: 'waiting_approval', waiting_for: waiting }, isError: false, open };
    return detailedTask(answer, result, { handle: 'id', meta: {}, opensUrls });
  };

  test('needs input where its person can be led to the page, and says all that it waits for', () => {
    const page = { page: 'http://127.0.0.1:1/tasks/k' };
    const asked = asks(page);
    expect(asked).toMatchObject({
      status: 'input_required',
      statusMessage: 'waits for approval: Go?; bob may decide until noon: ability approve k; waits for the signal go',
    });
    const [key] = Object.keys(asked.inputRequests as JsonObject);
    // The same key never stands for another request.
    const [other] = Object.keys(asks({ page: 'http://127.0.0.1:2/tasks/k' }).inputRequests as JsonObject);
    expect(key).toMatch(/^ask-1\.[0-9a-f]{12}$/);
    expect(other).not.toBe(key);
    expect(asks(page)).toMatchObject({ inputRequests: asked.inputRequests });
  });

  test('else has the answer of the call, which the protocol wants marked as complete', () => {
    for (const task of [asks({ page: 'http://127.0.0.1:1/tasks/k' }, false), asks({})]) {
      expect(task).toMatchObject({ status: 'completed', result: { resultType: 'complete' } });
      expect(task).not.toHaveProperty('inputRequests');
    }
  });
});
