import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelTask, type TaskNow } from '../../src/client/index.js';
import { operation, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({
    ...operation(
      'util.maybe',
      'if (input.bad) throw new Error("not yet"); while (input.slow) await sleep(50); return {};',
      {
        effects: 'write_idempotent',
      },
    ),
    ...workflow(
      'busy',
      [
        'steps:',
        '  - id: all',
        '    parallel:',
        '      slow: { call: util.maybe, with: { slow: true } }',
        '      bad: { call: util.maybe, with: { bad: true }, timeout: 10m, retry: { attempts: 2, first: 1m } }',
        '      signal: { wait: { signal: go, timeout: 2h } }',
        '      pause: { wait: 1h }',
        '      again:',
        '        retry: { attempts: 2, first: 10m }',
        '        steps: [{ id: stop, fail: { code: mine.own, message: no } }]',
        '      poll:',
        '        repeat: { until: "false", every: 1h, max: 3 }',
        '        steps: [{ id: look, let: { x: 1 } }]',
        '      called: { call: inner }',
      ].join('\n'),
    ),
    ...workflow('inner', 'steps:\n  - { id: deep, wait: { signal: deeper } }'),
  });
});
afterAll(() => project.stop());

/** What a waiting command knows of the task, as soon as that is enough. */
async function untilKnown(id: string, isEnough: (now: TaskNow) => boolean): Promise<TaskNow> {
  const stop = new AbortController();
  let found: TaskNow | undefined;
  await project.wait(id, {
    signal: stop.signal,
    onProgress(_, now) {
      if (!now || !isEnough(now)) return;
      found = now;
      stop.abort();
    },
  });
  if (!found) throw new Error('it was never known');
  return found;
}

test('a waiting caller learns what each step waits for, the attempt of each call, and the state of called tasks', async () => {
  const { id } = await project.create('busy');
  const { view, attempts, called } = await untilKnown(
    id,
    ({ view: seen, attempts: tried, called: inner }) =>
      tried.length > 0 && (seen.waits?.length ?? 0) === 4 && (inner.get('all/called')?.view.waits?.length ?? 0) > 0,
  );
  const until = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(view.waits).toEqual(
    expect.arrayContaining([
      { path: 'all/signal', for: 'signal', what: 'go', until },
      { path: 'all/pause', for: 'time', until },
      { path: 'all/again', for: 'attempt', what: 'mine.own', attempt: 2, until },
      { path: 'all/poll', for: 'turn', until },
    ]),
  );
  // Two calls of one operation are open: the history shows which one is tried again.
  expect(attempts).toEqual([
    { path: 'all/bad', attempt: 2, starts_at: until, earlier: { code: 'script.exit', message: expect.any(String) } },
  ]);
  expect(called.get('all/called')?.view.waits).toEqual([{ path: 'deep', for: 'signal', what: 'deeper' }]);
  await cancelTask(project.connection, id);
}, 60_000);
