import { expect, test } from 'vitest';
import type { SeenSession } from '../../../../../src/client/index.js';
import { renderSession } from '../../../../../src/doors/cli/commands/session.js';

test('each warning of a prompt hook is shown on one line', () => {
  const seen = {
    session_id: 's-1',
    status: 'open',
    reason: null,
    environment: 'dev',
    scope: 'integration',
    user: { name: 'ada', source: 'claimed' },
    turn_index: 1,
    turn_context: null,
    counts: { total: 0 },
    tasks: [],
    unknown_signals: [],
    hooks: [{ hook_id: 'careful', phase: 'PromptSubmit', path: '', status: 'ok', warnings: ['About\ndeleting.'] }],
    stop_hooks: [],
  } as unknown as SeenSession;
  expect(renderSession(seen)[0]).toMatch(/; 1 turn$/);
  expect(renderSession(seen)).toContainEqual(
    expect.stringMatching(/^ {2}the hook careful of PromptSubmit warns: About.+deleting\.$/),
  );
});
