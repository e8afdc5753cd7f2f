import { expect, test } from 'vitest';
import type { Approval } from '../../../../src/contracts/approvals.js';
import type { TaskResult } from '../../../../src/contracts/task.js';
import { isPlainYes, plainYes, restoreResult, storeResult } from '../../../../src/rules/tasks/stored-result.js';

const ANN = { name: 'ann', source: 'claimed' } as const;

/** What Temporal's description of a workflow says about a task; not what its preflight made of it. */
const known: TaskResult = {
  status: 'running',
  task_key: 't-1',
  ability_id: 'deploy',
  version: 2,
  digest: 'd'.repeat(64),
  environment: 'staging',
  output: null,
  error: null,
  warnings: [],
  steps: [],
  approvals: [],
  hooks: [],
  requested_by: ANN,
  started_at: '2026-01-01T00:00:00.000Z',
  finished_at: '2026-01-01T00:00:09.000Z',
  cleanup_ran: null,
  links: { temporal: null, page: null, record: null },
};

const approval: Approval = {
  id: 'ask-1',
  path: 'ask',
  title: 'Release?',
  what: { ability: 'deploy', implementation: null, environment: 'staging', effects: 'read', input: { n: 1 } },
  reasons: ['The step ask of deploy asks.'],
  approvers: [],
  groups: [],
  people: [],
  quorum: 1,
  self_approval: true,
  comment: 'optional',
  requested_by: ANN,
  raised_at: '2026-01-01T00:00:02.000Z',
  expires_at: '2026-01-02T00:00:02.000Z',
  status: 'approved',
  decisions: [],
  ignored: [],
};

const yes = (hook_id: string, path: string) =>
  ({ hook_id, phase: 'PreAbilityCall', path, status: 'ok', decision: 'allow' }) as const;

const short: TaskResult = {
  ...known,
  status: 'succeeded',
  output: { text: 'hello' },
  steps: [{ id: 'echo', path: 'echo', call: 'echo', status: 'succeeded', attempts: 1, duration_ms: 21 }],
  started_at: '2026-01-01T00:00:01.000Z',
  finished_at: '2026-01-01T00:00:01.021Z',
};

test.each<[string, TaskResult]>([
  ['a short task', short],
  [
    'steps that are no calls, did not run, ran in turns or failed',
    {
      ...short,
      steps: [
        { id: 'all', path: 'all', call: null, status: 'failed', attempts: 0, duration_ms: 5 },
        { id: 'a', path: 'all/*/a', call: 'echo', status: 'failed', attempts: 7, duration_ms: 4, turns: 3 },
        {
          id: 'b',
          path: 'all/*/b',
          call: 'echo',
          status: 'skipped',
          attempts: 0,
          duration_ms: null,
          error: { code: 'x', message: 'y' },
        },
      ],
    },
  ],
  [
    'changes of its input, of which some are only counted',
    { ...short, changes: [{ by: ANN, at: '2026-01-01T00:00:00.000Z', fields: ['n'] }], changes_left: 3 },
  ],
  [
    'hooks in the order in which they answered',
    {
      ...short,
      hooks: [
        yes('one', ''),
        yes('two', ''),
        yes('one', 'echo'),
        { ...yes('script', 'echo'), duration_ms: 12 },
        { ...yes('two', 'echo'), warnings: ['beware'] },
        { ...yes('one', 'echo'), phase: 'PostAbilityCall' },
        yes('one', 'echo'),
      ],
    },
  ],
  [
    'hooks of which only some were timed',
    {
      ...short,
      hooks: [
        { ...yes('one', 'a'), duration_ms: 12 },
        yes('one', 'b'),
        { ...yes('one', 'c'), duration_ms: 5 },
        yes('two', 'a'),
        { ...yes('two', 'b'), duration_ms: 7 },
      ],
    },
  ],
  [
    'approvals by anyone, and by listed people',
    {
      ...short,
      approvals: [
        approval,
        {
          ...approval,
          approvers: ['ops'],
          people: ['bob'],
          quorum: 2,
          self_approval: false,
          comment: 'required',
          status: 'denied',
          ignored: [{ decision: 'approve', by: null, reason: 'late', at: '2026-01-01T00:00:03.000Z' }],
        },
      ],
    },
  ],
  [
    'a failure, with its clean-up and its warnings',
    {
      ...short,
      status: 'failed',
      output: null,
      error: { code: 'a.b', message: 'no' },
      warnings: ['w'],
      cleanup_ran: true,
    },
  ],
  [
    'an agent that answered, with its caller, its lock and its files',
    {
      ...short,
      caller: 'agent',
      answer: { ability: 'echo' } as never,
      agent: { turns: 2 } as never,
      concurrency: { key: 'k' } as never,
      files: [{ step: 'echo', name: 'a' }] as never,
    },
  ],
  ['a task that has begun', { ...short, status: 'running', output: null, finished_at: null }],
  ['a person who is known, and a child', { ...short, requested_by: { name: 'ann', source: 'token' }, worked_ms: 3 }],
  [
    'a task that never began',
    { ...short, status: 'expired', output: null, started_at: null, finished_at: known.finished_at },
  ],
])('a history restores the result of %s', (_, result) => {
  const stored = JSON.parse(JSON.stringify(storeResult(result)));
  const seen = { ...known, version: '', digest: '', finished_at: result.finished_at };
  expect(restoreResult(seen, stored)).toEqual(result);
});

test('a history stores little more of a short task than its output and its steps', () => {
  expect(storeResult(short)).toEqual({
    status: 'succeeded',
    version: 2,
    digest: 'd'.repeat(64),
    output: { text: 'hello' },
    steps: [{ id: 'echo', call: 'echo', status: 'succeeded', duration_ms: 21 }],
    started_at: '2026-01-01T00:00:01.000Z',
    took_ms: 20 + 1,
  });
});

test('a history stores only the non-default values of an approval that is open to anyone', () => {
  const [stored] = storeResult({ ...short, approvals: [approval] }).approvals ?? [];
  for (const name of ['approvers', 'people', 'quorum', 'self_approval', 'comment', 'ignored', 'requested_by']) {
    expect(stored).not.toHaveProperty(name);
  }
  expect(stored).toMatchObject({ id: 'ask-1', status: 'approved' });
});

test('a history stores the duration of a finished task, and none for one that continues', () => {
  expect(storeResult({ ...short, finished_at: null })).not.toHaveProperty('took_ms');
  expect(storeResult({ ...short, started_at: null })).not.toHaveProperty('took_ms');
});

test.each([
  [{}, true],
  [{ duration_ms: 5 }, true],
  [{ status: 'error' }, false],
  [{ decision: 'need_user_confirm' }, false],
  [{ warnings: ['beware'] }, false],
  [{ duration_ms: 5, warnings: ['beware'] }, false],
] as const)('the answer of a hook with %j is a plain yes: %s', (more, is) => {
  const answer = plainYes({ hook_id: 'one', phase: 'PreAbilityCall', path: 'a' });
  expect(isPlainYes({ ...answer, ...(more as object) })).toBe(is);
});
