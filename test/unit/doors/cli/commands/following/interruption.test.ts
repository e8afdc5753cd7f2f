import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { withInterruption } from '../../../../../../src/doors/cli/commands/following/interruption.js';
import { main } from '../../../../../../src/doors/cli/main.js';
import { openTerminal } from '../../../../../../src/doors/cli/output/terminal/terminal.js';
import { temporaryFolder, temporaryProject } from '../../../../temporary-project.js';

/** Stands in for a process; nothing ends it. */
function surroundings() {
  const output = () => Object.assign(new EventEmitter(), { isTTY: false, write: () => true });
  const around = Object.assign(new EventEmitter(), {
    ...{ stdin: { isTTY: false }, stdout: output(), stderr: output(), exit: () => {} },
  });
  return { around, terminal: openTerminal({}, around as never) };
}

test('Ctrl-C aborts the action; after its end or failure nothing listens', async () => {
  const { around, terminal } = surroundings();
  const aborted = await withInterruption({ terminal }, async (signal) => {
    around.emit('SIGINT');
    return signal.aborted;
  });
  expect(aborted).toBe(true);
  const failing = withInterruption({ terminal }, () => Promise.reject(new Error('fault')));
  await expect(failing).rejects.toThrow('fault');
  expect(around.eventNames()).toEqual([]);
});

test.each([
  ['serve', 'outside a project', temporaryFolder],
  ['worker', 'without keys', () => temporaryProject().root],
])('`ability %s` that cannot start %s leaves Ctrl-C to the program that called it', async (command, _, folder) => {
  const { around, terminal } = surroundings();
  const args = [command, '--address', '127.0.0.1:1'];
  expect(await main({ args, cwd: folder(), env: {}, terminal })).not.toBe(0);
  expect(around.eventNames()).toEqual([]);
});
