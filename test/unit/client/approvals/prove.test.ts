import type os from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { withProof } from '../../../../src/client/approvals/prove.js';
import type { Connection } from '../../../../src/client/connection/connect.js';
import type { Approval } from '../../../../src/contracts/approvals.js';
import { makeTokenText, tokenText } from '../../../../src/server/keys/tokens/token-text.js';

vi.mock('node:os', async (original) => ({ ...(await original<typeof os>()), userInfo: vi.fn() }));
afterEach(() => void vi.mocked(userInfo).mockReset());

const { userInfo } = await import('node:os');
const approval = {
  id: 'ask-1',
  raised_at: '2026-11-30T00:00:00.000Z',
  proof: 'required',
  what: { ability: 'pay', environment: 'prod' },
} as Approval;
const connection = { isOwnRuntime: true, paths: {}, address: '127.0.0.1:1' } as Connection;
const proved = (token: string | undefined) =>
  withProof(connection, approval, 'approve', { by: 'ann' }, { token, door: null });

test('a token proves a decision also where the account of the process has no name, as in many containers', () => {
  vi.mocked(userInfo).mockImplementation(() => {
    throw new Error('ENOENT: uv_os_get_passwd');
  });
  const made = makeTokenText();
  expect(proved(tokenText(made))).toMatchObject({
    approval_id: 'ask-1',
    proof: { token: made.id, mac: expect.any(String) },
  });
});

test('without a token only the user who owns the runtime is proved', () => {
  vi.mocked(userInfo).mockReturnValue({ username: 'bob' } as ReturnType<typeof userInfo>);
  expect(() => proved(undefined)).toThrow('only bob can be proved here, and not ann');
});
