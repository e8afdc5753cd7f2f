import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { run } from '../../../../../../src/doors/cli/commands/hooks/export.js';
import { isHeld, takeLock } from '../../../../../../src/server/processes/lock.js';
import { NOWHERE } from '../../../../../fixtures/silent-terminal.js';
import { temporaryProject } from '../../../../temporary-project.js';

test('the guard is written only while no other command writes into the project', async () => {
  const { root } = temporaryProject();
  const settings = join(root, '.claude/settings.json');
  const lock = takeLock(join(root, '.system/authoring.lock'));
  if (!isHeld(lock)) throw new Error('the lock of a new project is held');
  const note = vi.fn();
  const exporting = run({ ...NOWHERE, cwd: root, terminal: { ...NOWHERE.terminal, note } }, [], { to: 'claude' });
  await vi.waitFor(() => expect(note).toHaveBeenCalledWith(expect.stringMatching(/^Waiting for process/)));
  expect(existsSync(settings)).toBe(false);
  lock.release();
  await exporting;
  expect(existsSync(settings)).toBe(true);
});
