import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { formatUntil } from '../../../../../../src/doors/cli/output/format-time.js';
import { LiveView } from '../../../../../../src/doors/cli/output/live/live-view.js';
import { OutputStream } from '../../../../../../src/doors/cli/output/live/stream-output.js';
import { OutputReader } from '../../../../../../src/operations/read-output.js';
import type { SeenNow } from '../../../../../../src/operations/watch-task.js';
import { openScreen } from '../../../../../fixtures/screen.js';
import { temporaryProject } from '../../../../temporary-project.js';
import { exampleApproval } from '../story/example-story.js';
import { ago, NOW, openTask, row } from './example-task.js';

beforeEach(() => {
  // The emulator of the screen has its own timers.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A view of a task on a screen, with a folder of records. */
function viewOn(columns = 80, rows = 24, isVerbose = false) {
  const { root } = temporaryProject({});
  const screen = openScreen(columns, rows);
  const clock = { now: NOW };
  const stream = isVerbose ? new OutputStream(root, 'k') : undefined;
  const context = {
    flags: {},
    terminal: screen.terminal,
    cwd: root,
    env: { ABILITY_USER: 'alice' },
    door: undefined,
    began: 0,
  };
  const view = new LiveView(
    context,
    { key: 'k', project: { isOwnRuntime: () => true }, reader: new OutputReader(root), stream },
    () => clock.now,
  );
  const log = (file: string, text: string, seconds = 0, attempt = 1): void => {
    const path = join(root, 'k', file);
    mkdirSync(dirname(path), { recursive: true });
    const line = `${JSON.stringify({ time: ago(seconds), step: 'x', attempt, stream: 'stderr', text })}\n`;
    if (path.endsWith('.now')) writeFileSync(path, line);
    else appendFileSync(path, line);
  };
  const look = async (now: SeenNow): Promise<string[]> => {
    view.update(now.view, now);
    vi.advanceTimersByTime(300);
    return screen.lines();
  };
  return { root, view, screen, clock, log, look };
}

const running = (path: string, seconds: number) => ({
  status: 'running' as const,
  started_at: ago(seconds),
  call: path,
});

test('a running call shows its duration, and the last line of its output', async () => {
  const { look, log } = viewOn();
  log('logs/dump.jsonl', 'table_1', 5);
  log('logs/dump.jsonl', '\x1b[32mtable_2\x1b[0m', 3);
  const steps = [
    row('seed', { status: 'succeeded', duration_ms: 428 }),
    row('dump', { status: 'running', call: 'db.dump' }),
  ];
  expect(await look(openTask({ steps, progress: { dump: running('dump', 70) } }))).toEqual([
    'nightly  running 1m 12s  1/2 steps  k',
    '  ✓ seed           428ms',
    '  ▸ dump  db.dump  1m 10s',
    '      │ table_2',
  ]);
});

test('a progress bar that rewrites its line shows its current state, and silence shows its duration', async () => {
  const { look, log, root } = viewOn();
  log('logs/push.jsonl', 'begin', 60);
  log('logs/push.now', '\r 10%|#   |\r 40%|##  |', 1);
  const task = openTask({ steps: [row('push', { status: 'running' })], progress: { push: running('push', 61) } });
  expect(await look(task)).toContain('      │ 40%|##  |');
  rmSync(join(root, 'k/logs/push.now'));
  expect(await look(task)).toContain('      │ begin (1m ago)');
});

test('a loop has a bar, its count, its failures, and the running items with their output', async () => {
  const { look, log } = viewOn();
  log('logs/hosts/8/deploy.jsonl', 'copying', 1);
  const hosts = row('hosts', {
    status: 'running',
    items: { verb: 'foreach', total: 20, succeeded: 7, failed: 1, running: 2, now: [{ item: 8, label: 'web-09' }] },
    failures: [
      {
        item: 3,
        label: 'web-04',
        status: 'failed',
        path: 'hosts/3/deploy',
        attempts: 1,
        error: { code: 'script.exit', message: 'no space\nleft' },
      },
    ],
  });
  const progress = {
    hosts: running('hosts', 12),
    'hosts/8/deploy': running('hosts/8/deploy', 2),
    'hosts/9/deploy': running('hosts/9/deploy', 1),
  };
  expect(
    await look(openTask({ steps: [hosts, row('hosts/*/deploy', { status: 'running', turns: 9 })], progress })),
  ).toEqual([
    'nightly  running 1m 12s  k',
    '  ▸ hosts  ████░░░░░░░░ 8/20  1 failed  12s',
    '      ✗ item 3 (web-04): script.exit: no space',
    '      8 (web-09) deploy  2s  │ copying',
    '      9 deploy  1s',
  ]);
});

test('a call that waits for its next attempt shows when it starts, and why the last one failed', async () => {
  const { look, log, clock } = viewOn();
  log('logs/flush.jsonl', 'from the first attempt', 1);
  const task = openTask(
    { steps: [row('flush', { status: 'running' })], progress: { flush: running('flush', 4) } },
    {
      attempts: [
        {
          path: 'flush',
          attempt: 2,
          starts_at: ago(-8),
          earlier: { code: 'script.exit', message: 'flush.sh ended with exit code 1\nno answer' },
        },
      ],
    },
  );
  expect(await look(task)).toEqual([
    'nightly  running 1m 12s  k',
    '  ▸ flush  4s  attempt 2 in 8 s',
    '      │ script.exit: no answer',
  ]);
  clock.now += 9000;
  expect(await look(task)).toContain('  ▸ flush  13s  attempt 2');
});

test('a waiting step shows what it waits for: a signal, people, a pause, a turn', async () => {
  const { look } = viewOn();
  const expires_at = ago(-7200);
  const approvals = [exampleApproval({ path: 'ask', approvers: ['release-managers'], expires_at })];
  const steps = ['signal', 'ask', 'poll', 'group'].map((path) => row(path, { status: 'waiting' }));
  const progress = Object.fromEntries(
    steps.map(({ path }) => [path, { status: 'waiting' as const, started_at: ago(5) }]),
  );
  const lines = await look(
    openTask({
      status: 'waiting_approval',
      steps,
      progress,
      approvals,
      waits: [
        { path: 'signal', for: 'signal', what: 'dns_done', until: expires_at },
        { path: 'poll', for: 'turn', until: ago(-30) },
        { path: 'group', for: 'attempt', what: 'http.503', attempt: 3, until: ago(-8) },
      ],
    }),
  );
  expect(lines).toEqual(
    expect.arrayContaining([
      'nightly  waiting for approval 1m 12s  0/4 steps  k',
      '  ? signal  5s  waits for signal dns_done',
      '  ? ask     5s  waits for approval by release-managers',
      `      │ until ${formatUntil(expires_at, NOW)}`,
      '  ? poll    5s  next turn in 30 s',
      '  ? group   5s  waits until 08:10:08 (in 8 s) for attempt 3: http.503',
    ]),
  );
  expect(lines.join('\n')).toMatch(/ability approve k --approval ask-1 --as NAME +# say yes/);
  expect(lines).toContain('Page:   ability open k');
});

test('a task that a step has called shows what is running in it', async () => {
  const { look, log } = viewOn();
  log('children/release/logs/build.jsonl', 'compiling', 1);
  const inner = openTask({
    task_key: 'k/release',
    steps: [row('get', { status: 'succeeded' }), row('build', { status: 'running' })],
    progress: { build: running('build', 3) },
  });
  const steps = [row('release', { status: 'running', call: 'app.release' })];
  const progress = { release: { ...running('release', 4), child: 'k/release' } };
  expect(await look(openTask({ steps, progress }, { called: { release: inner } }))).toEqual([
    'nightly  running 1m 12s  k',
    '  ▸ release  app.release  4s',
    '      ▸ build  3s',
    '          │ compiling',
  ]);
});

test('it draws at most four times a second, and writes nothing if nothing changed', async () => {
  const { view, screen, clock } = viewOn();
  const task = openTask({ steps: [row('a', { status: 'running' })], progress: { a: running('a', 1) } });
  view.update(task.view, task);
  const before = screen.written.length;
  for (let turn = 0; turn < 100; turn += 1) {
    clock.now += 10;
    view.update(task.view, task);
    vi.advanceTimersByTime(10);
  }
  expect(screen.written.length - before).toBeLessThanOrEqual(4);
  const then = screen.written.length;
  vi.advanceTimersByTime(5000);
  expect(screen.written).toHaveLength(then);
});

test.each([
  [80, 24],
  [40, 10],
])('at %i by %i, many steps, deep paths and long output stay within the screen', async (columns, rows) => {
  const { look, log } = viewOn(columns, rows);
  const paths = Array.from({ length: 60 }, (_, index) => `a_group_with_a_long_name/step_${index}`);
  const steps = paths.map((path, index) =>
    row(path, { status: index < 30 ? 'succeeded' : index === 30 ? 'running' : 'pending' }),
  );
  const at = paths[30] as string;
  log(`logs/${at}.jsonl`, `日本語${'🚀 long '.repeat(50)}`, 1);
  const lines = await look(openTask({ steps, progress: { [at]: running(at, 1) } }));
  expect(lines).toHaveLength(rows - 1);
  expect(lines.join('\n')).toMatch(/▸ .*step_30/);
  expect(lines.join('\n')).toMatch(/│ 日本語/);
  expect(lines[1]).toMatch(/… \d+ succeeded/);
  expect(lines.at(-1)).toMatch(/… \d+ pending/);
});

test('with --verbose the output of all calls is shown above, each line once, with its step', async () => {
  const { look, log, screen, view } = viewOn(80, 24, true);
  log('logs/dump.jsonl', 'one', 3);
  log('logs/push.jsonl', 'two', 2, 2);
  const task = openTask({ steps: [row('dump', { status: 'running' })], progress: { dump: running('dump', 4) } });
  expect((await look(task)).slice(0, 3)).toEqual(['dump | one', 'push#2 | two', 'nightly  running 1m 12s  k']);
  vi.advanceTimersByTime(1000);
  log('children/call/logs/inner.jsonl', 'three', 1);
  view.close();
  expect(await screen.lines()).toEqual(['dump | one', 'push#2 | two', 'call/inner | three']);
});

test('a line of a log that was cut is not shown, and the lines after it are', async () => {
  const { root, look, log, screen, view } = viewOn(80, 24, true);
  log('logs/dump.jsonl', 'one', 3);
  appendFileSync(join(root, 'k/logs/dump.jsonl'), '{"time":"2026-01-31T08:0{"time":\n');
  const task = openTask({ steps: [row('dump', { status: 'running' })], progress: { dump: running('dump', 4) } });
  expect(await look(task)).toEqual(['dump | one', 'nightly  running 1m 12s  k', '  ▸ dump  4s', '      │ one']);
  log('logs/dump.jsonl', 'two', 1);
  view.close();
  expect(await screen.lines()).toEqual(['dump | one', 'dump | two']);
});

test('a call that undoes an item of a loop is a row, but not a running item as well', async () => {
  const { look } = viewOn();
  const hosts = row('hosts', { status: 'failed', items: { verb: 'foreach', total: 2, succeeded: 1, failed: 1 } });
  const undo = row('hosts/0/deploy.undo', { status: 'running', call: 'deploy' });
  const progress = { [undo.path]: running(undo.path, 2) };
  const shown = await look(openTask({ steps: [hosts, undo], progress }));
  expect(shown.filter((line) => line.includes('deploy.undo'))).toEqual(['  ▸ hosts/0/deploy.undo  deploy  2s']);
});

test('on a narrow terminal the purpose of a command is below it, so that the command can be copied', async () => {
  const approvals = [exampleApproval({ path: 'ask', title: 'Release the new version to everybody?' })];
  const task = openTask({ steps: [row('ask', { status: 'waiting' })], approvals });
  const narrow = (await viewOn(80).look(task)).map((line) => line.trim());
  expect(narrow).toContain('ability approve k --approval ask-1');
  expect(narrow).toContain('# say yes to "Release the new version to everybody?"');
  const wide = await viewOn(140).look(task);
  expect(wide.join('\n')).toMatch(/ability approve k --approval ask-1 +# say yes/);
});

test('the input step of a template is not shown on the screen', async () => {
  const { look, view } = viewOn();
  const steps = [
    row('tell', { status: 'running' }),
    row('tell/input', { id: 'tell/input', status: 'succeeded' }),
    row('tell/send', { id: 'tell/send', status: 'running', call: 'mail.send' }),
  ];
  const lines = (await look(openTask({ steps, progress: { tell: running('tell', 5) } }))).join('\n');
  expect(lines).toContain('tell/send');
  expect(lines).not.toContain('tell/input');
  view.close();
});
