import { expect, onTestFinished, test, vi } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { ApprovalPatience } from '../../../../src/client/watch/refuse-stuck.js';
import { waitForTask } from '../../../../src/client/watch/wait-for-task.js';
import type { Approval, CountedDecision } from '../../../../src/contracts/approvals.js';
import type { TaskState } from '../../../../src/contracts/states.js';

const decided: CountedDecision = { decision: 'approve', by: 'unnamed', at: '2026-01-01T00:00:00Z', self: false };
const approval = (id: string, more: Partial<Approval> = {}): Approval => ({
  id,
  path: id,
  title: id,
  what: { ability: 'a', implementation: null, environment: 'dev', effects: null, input: null },
  reasons: [],
  approvers: [],
  groups: [],
  people: [],
  quorum: 1,
  self_approval: true,
  comment: 'optional',
  requested_by: { name: 'x', source: 'claimed' },
  raised_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-01-02T00:00:00Z',
  status: 'open',
  decisions: [],
  ignored: [],
  ...more,
});

/** The index of the view, one a second, at which a caller with a patience of 2.5 s stops; undefined if at none. */
function stopsAt(looks: [TaskState, ...Approval[]][]): number | undefined {
  const patience = new ApprovalPatience(2500);
  const at = looks.findIndex(([status, ...approvals], n) => patience.hasEnded({ status, approvals }, n * 1000));
  return at === -1 ? undefined : at;
}

const a = approval('a');
const b = approval('b');

test('the patience of --wait-approval ends when the task has waited that long for people', () => {
  const looks: [TaskState, ...Approval[]][] = Array.from({ length: 5 }, () => ['waiting_approval', a]);
  expect(stopsAt([['running'], ...looks])).toBe(4);
});

test('it starts again after a decision, if the task has continued in between', () => {
  const waits: [TaskState, ...Approval[]] = ['waiting_approval', a];
  const next: [TaskState, ...Approval[]] = ['waiting_approval', approval('a', { status: 'approved' }), b];
  expect(stopsAt([waits, waits, ['running'], next, next, next])).toBeUndefined();
  expect(stopsAt([waits, waits, ['running'], next, next, next, next])).toBe(6);
});

test('it starts again after a decision, even if the task was not seen to continue', () => {
  const waits: [TaskState, ...Approval[]] = ['waiting_approval', a];
  const next: [TaskState, ...Approval[]] = ['waiting_approval', approval('a', { status: 'approved' }), b];
  expect(stopsAt([waits, waits, waits, next, next, next])).toBeUndefined();
  // Only the open approvals of a called task are known.
  const called: [TaskState, ...Approval[]] = ['waiting_approval', approval('a', { task: 'k/x' })];
  expect(
    stopsAt([called, called, called, ['waiting_approval', approval('a', { task: 'k/y' })], called]),
  ).toBeUndefined();
});

test('it starts again after the first of two required decisions', () => {
  const once = approval('a', { quorum: 2, decisions: [decided] });
  const waits: [TaskState, ...Approval[]] = ['waiting_approval', a];
  expect(stopsAt([waits, waits, waits, ['waiting_approval', once], ['waiting_approval', once]])).toBeUndefined();
});

test('it does not start again because another approval is raised, or a decision did not count', () => {
  const waits: [TaskState, ...Approval[]] = ['waiting_approval', a];
  const ignored = approval('a', { ignored: [{ decision: 'approve', by: 'x', reason: 'no', at: '' }] });
  const both: [TaskState, ...Approval[]] = ['waiting_approval', ignored, b];
  expect(stopsAt([waits, ['waiting_approval', a, b], both, both])).toBe(3);
});

test('a caller without a limit keeps waiting; one without any patience stops at the first view', () => {
  const waiting = { status: 'waiting_approval', approvals: [a] } as const;
  const [endless, none] = [new ApprovalPatience(undefined), new ApprovalPatience(0)];
  expect([
    endless.hasEnded({ ...waiting, approvals: [a] }, 0),
    endless.hasEnded({ ...waiting, approvals: [a] }, 1e12),
  ]).toEqual([false, false]);
  expect(none.hasEnded({ ...waiting, approvals: [a] }, 0)).toBe(true);
});

test('a caller that waits for a task stops once for an approval, and only after its patience has started again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const never = new AbortController();
  const looks: Approval[][] = [];
  const started = Date.now();
  const handle = {
    result: () => new Promise((_, reject) => never.signal.addEventListener('abort', () => reject(new Error('gone')))),
    query: async () => {
      const open = Date.now() - started < 500 ? [a] : [approval('a', { status: 'approved' }), b];
      looks.push(open);
      return { status: 'waiting_approval', progress: {}, approvals: open, links: {} };
    },
    describe: async () => ({ raw: {} }),
  };
  const temporal = {
    workflow: { getHandle: () => handle },
    withDeadline: (_: number, action: () => unknown) => action(),
    withAbortSignal(signal: AbortSignal, action: () => unknown) {
      signal.addEventListener('abort', () => never.abort());
      return action();
    },
  };
  const connection = { temporal, ui: null, namespace: 'default' } as unknown as Connection;
  const waiting = waitForTask(connection, 'x', { approvalMs: 700, timeoutMs: 5000 });
  await vi.advanceTimersByTimeAsync(5000);
  const end = await waiting;
  expect(end.kind).toBe('approval');
  const second = looks.filter((approvals) => approvals.includes(b));
  expect(second.length).toBeGreaterThan(1);
  expect(looks.length).toBeGreaterThan(second.length);
});
