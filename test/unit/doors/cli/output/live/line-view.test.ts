import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TaskView } from '../../../../../../src/contracts/task.js';
import { LineView } from '../../../../../../src/doors/cli/output/live/progress-view.js';
import { OutputReader } from '../../../../../../src/operations/read-output.js';
import { SILENT_TERMINAL } from '../../../../../fixtures/silent-terminal.js';
import { exampleApproval } from '../story/example-story.js';
import { ago, NOW, openTask, row } from './example-task.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function viewOfLines() {
  const notes: string[] = [];
  const terminal = { ...SILENT_TERMINAL, note: (text: string) => void notes.push(text) };
  const context = { flags: {}, terminal, cwd: '/', env: {}, door: undefined, began: 0 };
  const view = new LineView(
    context,
    { key: 'k', project: { isOwnRuntime: () => true }, reader: new OutputReader('/nowhere'), stream: undefined },
    () => NOW,
  );
  return { notes, view, look: (task: Partial<TaskView>) => view.update(openTask(task).view, openTask(task)) };
}

test('without a terminal each step is reported once, when it ends', () => {
  const { notes, look } = viewOfLines();
  const dump = (more: object) => ({ steps: [row('dump', more), row('next')] });
  look(dump({ status: 'running' }));
  look(dump({ status: 'succeeded', attempts: 1, duration_ms: 2000 }));
  look(dump({ status: 'succeeded', attempts: 1, duration_ms: 2000 }));
  expect(notes).toEqual(['  dump succeeded 2s']);
});

test('once a minute one line reports what runs or waits, and for how long', () => {
  const { notes, view } = viewOfLines();
  const task = openTask(
    {
      started_at: ago(180),
      steps: [
        row('both', { status: 'running' }),
        row('both/dump', { status: 'running' }),
        row('hosts', { status: 'running', items: { verb: 'foreach', total: 20, succeeded: 7, failed: 1 } }),
        row('later'),
      ],
      progress: {
        both: { status: 'running', started_at: ago(178) },
        'both/dump': { status: 'running', started_at: ago(178) },
        hosts: { status: 'running', started_at: ago(60) },
      },
    },
    { attempts: [{ path: 'both/dump', attempt: 2, starts_at: null, earlier: null }] },
  );
  view.update(task.view, task);
  vi.advanceTimersByTime(59_000);
  expect(notes).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(notes).toEqual(['  running 3m: both/dump 2m 58s, attempt 2; hosts 8/20, 1 failed, 1m']);
  vi.advanceTimersByTime(60_000);
  expect(notes).toHaveLength(2);
  view.close();
  vi.advanceTimersByTime(120_000);
  expect(notes).toHaveLength(2);
});

test('what a step waits for is reported once', () => {
  const { notes, look } = viewOfLines();
  const waits = [{ path: 'go', for: 'signal' as const, what: 'dns_done' }];
  look({ steps: [row('go', { status: 'waiting' })], waits });
  look({ steps: [row('go', { status: 'waiting' })], waits });
  expect(notes).toEqual(['  go waits for signal dns_done']);
});

test('a wait for the next attempt is reported once for each attempt, unless it is short', () => {
  const { notes, look } = viewOfLines();
  const wait = (attempt: number, seconds: number) => {
    const until = ago(-seconds);
    const waits = [{ path: 'turns', for: 'attempt' as const, what: 'model.unavailable', attempt, until }];
    look({ steps: [row('turns')], waits });
  };
  wait(2, 2);
  wait(3, 40);
  wait(3, 39);
  expect(notes).toEqual([
    expect.stringMatching(/^ {2}turns waits until .* \(in 40 s\) for attempt 3: model\.unavailable$/),
  ]);
});

test('steps that were never reached are only counted', () => {
  const { notes, view } = viewOfLines();
  const steps = ['a', 'b', 'c', 'd'].map((path) => row(path, { status: 'skipped' }));
  view.update({ ...openTask({ steps }).view, status: 'failed', finished_at: ago(0) });
  expect(notes).toEqual(['  4 steps skipped']);
});

test('completed steps are reported before the questions to people, with the number of the attempt', () => {
  const { notes, look } = viewOfLines();
  const canary = row('canary', { status: 'succeeded', attempts: 2, duration_ms: 1000 });
  look({ steps: [canary, row('ask', { status: 'waiting' })], approvals: [exampleApproval({ path: 'ask' })] });
  expect(notes[0]).toBe('  canary succeeded 1s (attempt 2)');
  expect(notes[1]).toContain('Release?');
});
