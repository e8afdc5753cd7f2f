import { expect, test } from 'vitest';
import { timeoutOf } from '../../../../../../src/doors/cli/commands/import/import-into-project.js';
import { errorOf } from '../../../../error-of.js';

const timeout = (text: string) => timeoutOf({ timeout: text, select: [] } as never);

test('--timeout of an import is a duration of at most a day', () => {
  expect([timeout('30s'), timeout('7d')]).toEqual([30_000, 86_400_000]);
  expect(errorOf(() => timeout('soon'))).toMatchObject({
    code: 'usage.invalid',
    message: expect.stringMatching(/^--timeout soon: /),
  });
});
