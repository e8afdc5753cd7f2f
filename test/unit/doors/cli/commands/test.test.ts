import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { EXIT } from '../../../../../src/contracts/states.js';
import { run } from '../../../../../src/doors/cli/commands/test.js';
import { runProjectCases } from '../../../../../src/testing/index.js';
import { NOWHERE, SILENT_TERMINAL } from '../../../../fixtures/silent-terminal.js';
import { temporaryProject } from '../../../temporary-project.js';

vi.mock('../../../../../src/testing/index.js', () => ({ runProjectCases: vi.fn() }));

test('cases that ran are reported even if their JUnit file cannot be written any more', async () => {
  const { root } = temporaryProject();
  mkdirSync(join(root, 'out'));
  const report = { status: 'failed' as const, passed: 0, failed: 1, duration_ms: 1, cases: [], problems: [] };
  vi.mocked(runProjectCases).mockImplementation(async () => {
    rmSync(join(root, 'out'), { recursive: true });
    return report;
  });
  const printed: unknown[] = [];
  const add = (value: unknown): void => void printed.push(value);
  const terminal = { ...SILENT_TERMINAL, printJson: add, note: add };
  const context = { ...NOWHERE, cwd: root, terminal, flags: { json: true } };
  expect(await run(context, [undefined], { junit: 'out/cases.xml' })).toBe(EXIT.failed);
  expect(printed).toEqual([report, expect.stringContaining('--junit out/cases.xml was not written')]);
});
