import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { RunningGroups } from '../../../../src/worker/running-groups.js';

/** Process groups of a test, in a folder of their own. */
export function groupsHere(): RunningGroups {
  const folder = mkdtempSync(join(tmpdir(), 'ability-groups-'));
  const groups = new RunningGroups(folder);
  onTestFinished(() => {
    groups.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return groups;
}
