import { expect, test } from 'vitest';
import { EXIT } from '../../../../../../src/contracts/states.js';
import type { TaskResult } from '../../../../../../src/contracts/task.js';
import { followTask, reportEnd } from '../../../../../../src/doors/cli/commands/following/follow-task.js';
import { main } from '../../../../../../src/doors/cli/main.js';
import type { Context } from '../../../../../../src/doors/cli/program/context.js';
import type { ProjectClient } from '../../../../../../src/doors/cli/program/project-operations.js';
import { NOWHERE, SILENT_TERMINAL } from '../../../../../fixtures/silent-terminal.js';
import { temporaryFolder } from '../../../../temporary-project.js';
import { openTask } from '../../output/live/example-task.js';

/** A terminal that lists what a command prints, in its order. */
function recording() {
  const printed: unknown[] = [];
  const add = (value: unknown): void => void printed.push(value);
  return { printed, terminal: { ...SILENT_TERMINAL, print: add, printJson: add, note: add } };
}

/** A project whose task is interrupted in a state. */
function projectWith(result?: TaskResult): ProjectClient {
  const events = async function* () {
    yield { type: 'end', kind: 'aborted', result };
  };
  const asked = { call: async () => ({ retry: null }), stream: async () => events() };
  return { paths: { records: '/nowhere' }, isOwnRuntime: () => true, ...asked } as unknown as ProjectClient;
}

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
  expect(await reportEnd(context, projectWith(), view, { junit: 'gone/out.xml' })).toBe(EXIT.failed);
  expect(printed).toEqual([
    expect.objectContaining({ status: 'failed' }),
    expect.stringContaining('--junit gone/out.xml was not written'),
  ]);
});

test.each<[TaskResult['status'], string, string]>([
  ['created', 'Interrupted; the task still waits to be run', 'ability task run k'],
  ['running', 'Interrupted; the task goes on', 'ability task watch k'],
])('Ctrl-C while a task is %s says the same in JSON and to people', async (status, message, next) => {
  const { printed, terminal } = recording();
  const context: Context = { ...NOWHERE, terminal, flags: { json: true } };
  const { signal } = new AbortController();
  const rest = () => undefined;
  const deadline = { signal, stopAndReadRest: rest, handOver: rest, stalled() {}, done() {} };
  expect(await followTask(context, projectWith(openTask({ status }).view), 'k', {}, deadline)).toBe(EXIT.interrupted);
  expect(printed).toEqual([
    `${message}: ${next}`,
    expect.objectContaining({ task_status: status, error: expect.objectContaining({ message }) }),
  ]);
});
