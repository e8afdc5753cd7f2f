import { expect, test } from 'vitest';
import { isConfirmed } from '../../../../../src/doors/cli/input/ask.js';
import { NOWHERE } from '../../../../fixtures/silent-terminal.js';

const typed = { ...NOWHERE, terminal: { ...NOWHERE.terminal, hasKeyboard: () => true } };

test('a question that a person cannot see is no consent', async () => {
  await expect(isConfirmed(typed, 'Approve this?')).rejects.toMatchObject({
    code: 'usage.invalid',
    message: expect.stringContaining('Approve this?'),
    suggestion: expect.stringContaining('--yes'),
  });
});

test('without a person, or with --yes, there is no question', async () => {
  expect(await isConfirmed(NOWHERE, 'Approve this?')).toBe(true);
  expect(await isConfirmed({ ...typed, flags: { yes: true } }, 'Approve this?')).toBe(true);
});
