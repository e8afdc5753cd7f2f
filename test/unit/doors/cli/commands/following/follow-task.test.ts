import { expect, test, vi } from 'vitest';
import { type Connection, type TaskNow, type WaitEnd, waitForTask } from '../../../../../../src/client/index.js';
import { EXIT } from '../../../../../../src/contracts/states.js';
import { followTask, reportEnd } from '../../../../../../src/doors/cli/commands/following/follow-task.js';
import { main } from '../../../../../../src/doors/cli/main.js';
import type { Context } from '../../../../../../src/doors/cli/program/context.js';
import { NOWHERE, SILENT_TERMINAL } from '../../../../../fixtures/silent-terminal.js';
import { temporaryFolder } from '../../../../temporary-project.js';
import { openTask } from '../../output/live/example-task.js';

vi.mock('../../../../../../src/client/index.js', async (original) => ({
  ...(await original<object>()),
  waitForTask: vi.fn(),
}));

/** A terminal that lists what a command prints, in its order. */
function recording() {
  const printed: unknown[] = [];
  const add = (value: unknown): void => void printed.push(value);
  return { printed, terminal: { ...SILENT_TERMINAL, print: add, printJson: add, note: add } };
}

const CONNECTION = { paths: { records: '/nowhere' }, store: { isShared: false } } as unknown as Connection;

test.each([
  ['run', 'x'],
  ['task run', 'x'],
  ['task watch', 'x'],
  ['task retry', 'x'],
  ['test', ''],
])('`ability %s` refuses a report that cannot be written before it does anything', async (command, subject) => {
  const { printed, terminal } = recording();
  const args = [...command.split(' '), ...(subject ? [subject] : []), '--junit', '.', '--json'];
  expect(await main({ args, cwd: temporaryFolder(), env: {}, terminal })).toBe(EXIT.usage);
  const message = '--junit . cannot be written: it is a directory';
  expect(printed).toMatchObject([{ status: 'error', error: { code: 'usage.invalid', message } }]);
});

test('the result comes before a report that cannot be written, and keeps its exit code', async () => {
  const { printed, terminal } = recording();
  const context: Context = { ...NOWHERE, terminal, cwd: temporaryFolder(), flags: { json: true } };
  const { view } = openTask({ status: 'failed' });
  expect(await reportEnd(context, CONNECTION, view, { junit: 'gone/out.xml' })).toBe(EXIT.failed);
  expect(printed).toEqual([
    expect.objectContaining({ status: 'failed' }),
    expect.stringContaining('--junit gone/out.xml was not written'),
  ]);
});

test.each<[TaskNow['view']['status'], string, string]>([
  ['created', 'Interrupted; the task still waits to be run', 'ability task run k'],
  ['running', 'Interrupted; the task goes on', 'ability task watch k'],
])('Ctrl-C while a task is %s says the same in JSON and to people', async (status, message, next) => {
  const { printed, terminal } = recording();
  const end: WaitEnd = { kind: 'aborted', result: openTask({ status }).view };
  vi.mocked(waitForTask).mockResolvedValue(end);
  const context: Context = { ...NOWHERE, terminal, flags: { json: true } };
  const deadline = { signal: new AbortController().signal, stopAndReadRest: () => undefined, stalled() {}, done() {} };
  expect(await followTask(context, CONNECTION, 'k', {}, deadline)).toBe(EXIT.interrupted);
  expect(printed).toEqual([
    `${message}: ${next}`,
    expect.objectContaining({ task_status: status, error: expect.objectContaining({ message }) }),
  ]);
});
