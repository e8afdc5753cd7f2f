import { expect, test } from 'vitest';
import { run } from '../../../../../../src/doors/cli/commands/schedule/schedules.js';
import { NOWHERE } from '../../../../../fixtures/silent-terminal.js';

const runSpan = (from?: string, to?: string) => run(NOWHERE, ['backup'], { from, to } as never);

test.each([
  ['1', '2026-11-22'],
  ['2026-11-20', 'Nov 22 2026'],
  ['2026-11-20', '2026-11-31'],
  ['2026-11-20', undefined],
  [undefined, '2026-11-20'],
  ['2026-11-20', '2026-11-20'],
  ['2026-11-20T01:00+01:00', '2026-11-20T00:00'],
])('--from %s and --to %s are refused before a connection', async (from, to) => {
  await expect(runSpan(from, to)).rejects.toMatchObject({
    code: 'usage.invalid',
    message: `--from ${from ?? 'nothing'} and --to ${to ?? 'nothing'} are no span of time`,
  });
});

test('a span of days is accepted', async () => {
  await expect(runSpan('2026-11-20', '2026-11-22')).rejects.toMatchObject({ code: 'project.not_found' });
});
