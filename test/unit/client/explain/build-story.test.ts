import { describe, expect, test } from 'vitest';
import { buildStory, type StorySources } from '../../../../src/client/explain/build-story.js';
import type { SeenCall } from '../../../../src/client/explain/read-calls.js';
import type { TaskHistory } from '../../../../src/client/explain/read-history.js';
import type { SeenTask } from '../../../../src/client/view/view-task.js';
import type { TaskResult, TaskStart } from '../../../../src/contracts/task.js';
import { examplePlan } from '../../rules/example-plan.js';

const result: TaskResult = {
  status: 'running',
  task_key: 't-1',
  ability_id: 'signup',
  version: 1,
  digest: 'd',
  environment: 'staging',
  output: null,
  error: null,
  warnings: [],
  steps: [],
  approvals: [],
  hooks: [],
  requested_by: { name: 'alice', source: 'claimed' },
  started_at: null,
  finished_at: null,
  cleanup_ran: null,
  links: { temporal: null, page: null, record: null },
};
const start: TaskStart = {
  options: {},
  plan: examplePlan([{ id: 'seed', verb: 'call', call: 'db.write', with: {}, if: 'input.x' }]),
  seal: {
    key_id: 'k',
    plan: 'digest',
    task: 't-1',
    input: 'i',
    user: { name: 'alice', source: 'claimed' },
    confirmations: [],
    mac: 'm',
  },
  input: { x: true },
  user: { name: 'alice', source: 'claimed' },
  session: 's-1',
  run: true,
  warnings: [],
};
const call = (more: Partial<SeenCall>): SeenCall => ({
  path: 'seed',
  operation: 'db.write',
  scheduled_at: '2026-01-01T00:00:00.000Z',
  attempt: 1,
  started_at: '2026-01-01T00:00:01.000Z',
  ended_at: null,
  end: null,
  problem: null,
  earlier: null,
  starts_at: null,
  worker: null,
  ...more,
});
const history = (more: Partial<TaskHistory> = {}): TaskHistory => ({
  created_at: '2026-01-01T00:00:00.000Z',
  start,
  given: { input: { x: true }, options: {} },
  calls: [],
  isCut: false,
  ...more,
});
const story = (seen: Partial<SeenTask> = {}, more: Partial<StorySources> = {}) =>
  buildStory({
    seen: { result, view: undefined, source: 'history', ...seen },
    history: history(),
    record: undefined,
    lastOutput: () => new Map(),
    protocols: () => new Map(),
    ...more,
  });

test('what a task was started with comes from its history', () => {
  expect(story()).toMatchObject({
    definition: { id: 'signup', version: 1, summary: 'Signs up.', kind: 'workflow' },
    resolution: {
      digest: 'digest',
      protected: true,
      operations: [{ key: 'db.write', runs: 's.mjs', tags: ['high-cost'] }],
    },
    input: { x: true },
    session: 's-1',
    created_at: '2026-01-01T00:00:00.000Z',
    gaps: [],
  });
});

test('a start that was refused has the input that it was given, and no resolution', () => {
  const given = { input: { x: false }, options: {} };
  expect(story({}, { history: history({ start: null, given }) })).toMatchObject({
    ...{ resolution: null, input: { x: false }, session: null, created_at: '2026-01-01T00:00:00.000Z' },
  });
});

test('a step has its condition, its times and its attempts', () => {
  const step = {
    id: 'seed',
    path: 'seed',
    call: 'db.write',
    status: 'succeeded',
    attempts: 0,
    duration_ms: 5,
  } as const;
  const calls = [call({ attempt: 2, end: 'completed', ended_at: '2026-01-01T00:00:09.000Z' })];
  const { steps } = story({ result: { ...result, steps: [step] } }, { history: history({ calls }) });
  expect(steps).toMatchObject([
    {
      condition: 'input.x',
      attempts: 2,
      started_at: '2026-01-01T00:00:00.000Z',
      finished_at: '2026-01-01T00:00:09.000Z',
      tries: [{ status: 'failed' }, { status: 'succeeded' }],
    },
  ]);
});

describe('if the steps are not known, the calls of the history replace them', () => {
  const calls = [
    call({ path: 'a', end: 'completed', ended_at: '2026-01-01T00:00:02.000Z' }),
    call({ path: 'g/b', end: 'failed', problem: { code: 'mine', message: 'no' } }),
    call({ path: 'g/b' }),
  ];

  test('in an open task: the last round counts', () => {
    expect(story({ source: 'description' }, { history: history({ calls }) }).steps).toMatchObject([
      { id: 'a', path: 'a', call: 'db.write', status: 'succeeded', duration_ms: 2000 },
      {
        id: 'b',
        path: 'g/b',
        status: 'running',
        tries: [
          { round: 1, status: 'failed' },
          { round: 2, status: 'running' },
        ],
      },
    ]);
  });

  test('in a terminated task: a call that was running has an unknown outcome', () => {
    const terminated = { ...result, status: 'cancelled' } as const;
    expect(story({ result: terminated }, { history: history({ calls }) }).steps).toMatchObject([
      { status: 'succeeded' },
      { status: 'unknown', tries: [{ status: 'failed' }, { status: 'unknown' }] },
    ]);
  });
});

describe('what is not known is reported', () => {
  test.each<[string, Partial<SeenTask>, Partial<StorySources>, RegExp]>([
    ['no worker answers', { source: 'description' }, {}, /^No worker answers/],
    ['the history is too long', {}, { history: history({ isCut: true }) }, /too long/],
    ['the start is in a store elsewhere', {}, { history: history({ start: null }) }, /in a store that is not seen/],
    ['Temporal forgot it', { source: 'record' }, { history: undefined }, /^Temporal no longer has this task/],
    [
      'it was terminated',
      { result: { ...result, status: 'cancelled', error: { code: 'task.terminated', message: 'x' } } },
      {},
      /^A terminated task leaves no result/,
    ],
  ])('%s', (_, seen, more, gap) => {
    expect(story(seen, more).gaps[0]).toMatch(gap);
  });
});
