import { describe, expect, test } from 'vitest';
import type {
  AttemptStory,
  StoryOperation,
  StoryResolution,
  TaskStory,
} from '../../../../../../src/contracts/story.js';
import { formatMoment, localTime } from '../../../../../../src/doors/cli/output/format-time.js';
import { renderStory } from '../../../../../../src/doors/cli/output/story/render-story.js';
import { exampleApproval, exampleStep, exampleStory } from './example-story.js';

const rendered = (more: Partial<TaskStory> = {}) => renderStory(exampleStory(more), [], (_, text) => text);
const firstOf = (more: Partial<TaskStory>) => rendered(more).split('\n', 1)[0];
const attempt = (more: Partial<AttemptStory>): AttemptStory => ({
  number: 1,
  round: 1,
  status: 'failed',
  error: null,
  last_words: null,
  started_at: null,
  ended_at: null,
  starts_at: null,
  worker: null,
  ...more,
});

test('a story has a headline and sections, and no section is empty', () => {
  const next = [{ command: 'ability task watch t-1', purpose: 'wait for its end' }];
  expect(renderStory(exampleStory({ steps: [] }), next, (_, text) => text)).toBe(
    [
      'signup v2 (t-1) is running',
      '',
      'Asked',
      `  by alice (claimed) in staging, created ${formatMoment('2026-01-31T08:00:00Z')}`,
      '  Signs up.',
      '  build_id: "17"',
      '',
      'Next',
      '  ability task watch t-1',
      '      # wait for its end',
    ].join('\n'),
  );
});

test('changes that are not listed are counted at their position', () => {
  const changes = ['ann', 'ben'].map((name, n) => ({
    by: { name, source: 'claimed' as const },
    at: `2026-01-31T08:0${n}:00.000Z`,
    fields: ['n'],
  }));
  const shown = (more: Partial<TaskStory>) => renderStory(exampleStory(more), [], (_, text) => text);
  expect(shown({ changes, changes_left: 7 })).toContain(
    [
      `  ann (claimed) changed n ${formatMoment('2026-01-31T08:00:00Z')}`,
      '  and 7 more',
      `  ben (claimed) changed n ${formatMoment('2026-01-31T08:01:00Z')}`,
    ].join('\n'),
  );
  expect(shown({ changes })).not.toContain('more');
});

describe('the headline states the status of the task, and the reason', () => {
  const error = { code: 'mine', message: 'No luck\nand more', step: 'seed' };
  const exampleTurn = {
    key: 'deploy-prod',
    lock: 'lock:p:prod:0',
    held_by: ['t-0'],
    asked_at: '2026-01-31T08:00:00.000Z',
    granted_at: null,
  };
  const running = [exampleStep({ status: 'running' }), exampleStep({ status: 'running', call: null })];
  test.each<[Partial<TaskStory>, string]>([
    [{ status: 'created' }, 'was created and waits to be run'],
    [{ status: 'created', source: 'record' }, 'was created; how it ended is not known'],
    [{ status: 'guarding' }, 'waits for its guards'],
    [{ status: 'waiting_approval', approvals: [exampleApproval()] }, 'waits for people: Release?'],
    [{ status: 'waiting', concurrency: exampleTurn }, 'waits for its turn: deploy-prod is held by t-0'],
    [{ status: 'running', steps: running }, 'is running seed'],
    [{ status: 'finishing' }, 'is cleaning up'],
    [{ status: 'succeeded' }, 'succeeded'],
    [{ status: 'failed', error }, 'failed in step seed: No luck'],
    [{ status: 'denied', error }, 'was denied in step seed: No luck'],
    [{ status: 'cancelled' }, 'was cancelled'],
    [{ status: 'cancelled', error: { code: 'task.terminated', message: 'By hand' } }, 'was terminated: By hand'],
    [{ status: 'timed_out', error }, 'took too long in step seed: No luck'],
    [{ status: 'unknown', error }, 'ended without its outcome being known in step seed: No luck'],
    [{ status: 'expired' }, 'expired'],
  ])('%j', (more, headline) => {
    expect(firstOf(more)).toBe(`signup v2 (t-1) ${headline}`);
  });

  test('for a low-level ability it names no step, since there is only one', () => {
    const definition = { id: 'db.write', version: 1, summary: null, kind: 'operation' } as const;
    expect(firstOf({ status: 'failed', error, definition, task_key: null })).toBe('db.write v1 failed: No luck');
  });
});

test('the resolution lists the implementation, what it runs, effects, tags and hooks', () => {
  const operation: StoryOperation = {
    key: 'db.write',
    version: 3,
    effects: 'write_idempotent',
    implementation: 'pg',
    kind: 'script',
    runs: 'node s.mjs',
    tags: ['fast'],
    hooks: ['guard'],
  };
  const digest = 'a'.repeat(64);
  const resolution: StoryResolution = {
    digest,
    placement: 'cloud',
    protected: true,
    operations: [operation],
    hooks: ['own'],
  };
  expect(rendered({ resolution })).toContain(
    [
      'Resolved',
      '  for staging, which is protected, placed cloud, plan aaaaaaaaaaaa',
      '  hooks around it: own',
      '  db.write v3 by pg [fast], write_idempotent: script node s.mjs',
      '      hooks: guard',
    ].join('\n'),
  );
});

describe('attempts', () => {
  const linesOf = (tries: AttemptStory[]) =>
    rendered({ steps: [exampleStep({ tries })] })
      .split('\n')
      .filter((line) => line.includes('attempt'));
  test('a single successful attempt has no line', () => {
    expect(linesOf([attempt({ status: 'succeeded' })])).toEqual([]);
  });

  test.each<[Partial<AttemptStory>, string]>([
    [{ error: { code: 'mine', message: 'no' } }, 'attempt 1 failed: mine no'],
    [{ last_words: 'oh' }, 'attempt 1 failed; its last output: oh'],
    [{}, 'attempt 1 failed; its error was not kept'],
    [{ round: 2, status: 'cancelled' }, 'attempt 1 of round 2 cancelled'],
    [
      { status: 'running', started_at: '2026-01-31T08:00:00.000Z', worker: '7@h' },
      `attempt 1 runs since ${localTime('2026-01-31T08:00:00Z')} on 7@h`,
    ],
    [{ status: 'waiting' }, 'attempt 1 waits for a worker'],
    [
      { status: 'waiting', starts_at: '2026-01-31T08:00:00.000Z' },
      `attempt 1 starts ${formatMoment('2026-01-31T08:00:00Z')}`,
    ],
    [{ status: 'unknown' }, 'attempt 1 was under way when the task ended; how it went is not known'],
  ])('%j', (one, line) => {
    expect(linesOf([attempt(one), attempt({ number: 2, status: 'succeeded' })])[0]?.trim()).toBe(line);
  });
});

test('a group does not repeat the error of a step in it', () => {
  const error = { code: 'mine', message: 'no' };
  const group = exampleStep({ path: 'g', call: null, status: 'failed', error });
  const inner = exampleStep({ path: 'g/a', status: 'failed', error });
  expect(rendered({ steps: [group, inner] }).match(/mine no/g)).toHaveLength(1);
});

test('text written by people cannot imitate a line of the story', () => {
  const by = { name: 'bob\u001b[2K', source: 'claimed' } as const;
  const decisions = [
    { decision: 'deny', by, comment: 'no\n          approved', at: '2026-01-31T08:00:03.000Z', self: false },
  ] as const;
  const text = rendered({ steps: [], approvals: [exampleApproval({ status: 'denied', decisions: [...decisions] })] });
  expect(text).not.toContain('\u001b');
  expect(text).not.toMatch(/^ {6}approved$/m);
  expect(text).toMatch(/^ {6}denied$/m);
});

test('the input step of a template is hidden, since its author does not know it', () => {
  const steps = [
    exampleStep({ id: 'tell', path: 'tell', call: null }),
    exampleStep({ id: 'tell/input', path: 'tell/input', call: null }),
    exampleStep({ id: 'tell/send', path: 'tell/send', call: 'mail.send' }),
  ];
  expect(rendered({ steps })).toContain('tell/send');
  expect(rendered({ steps })).not.toContain('tell/input');
});

test('if the input of a template fails, the step that uses the template reports why', () => {
  const error = { code: 'expression.failed', message: 'no such key' };
  const steps = [
    exampleStep({ id: 'tell', path: 'tell', call: null, status: 'failed', error }),
    exampleStep({ id: 'tell/input', path: 'tell/input', call: null, status: 'failed', error }),
  ];
  expect(rendered({ status: 'failed', steps })).toContain('no such key');
});

test('a call of an MCP tool shows the protocol, and the request shows the agent that it came through', () => {
  const steps = [exampleStep({ protocol: '2026-07-28', status: 'succeeded' })];
  const requested_by = { name: 'alice', source: 'claimed', agent: 'probe\n' } as const;
  const text = rendered({ steps, requested_by, caller: 'session' });
  expect(text).toContain(', over MCP 2026-07-28');
  expect(text).toContain('by alice (claimed, session), through probe in staging');
});
