import { expect, test } from 'vitest';
import type { GuardDecision, HookAnswer } from '../../../../src/contracts/hooks.js';
import { firstDeny } from '../../../../src/rules/hooks/fold-answers.js';

const answer = (hook_id: string, decision: GuardDecision): HookAnswer => ({
  hook_id,
  phase: 'PreAbilityCall',
  path: '',
  status: 'ok',
  decision,
});

test('a deny overrides earlier answers, and the first deny is reported', () => {
  const answers = [
    answer('lets', 'allow'),
    answer('asks', 'need_user_confirm'),
    answer('first', 'deny'),
    answer('second', 'deny'),
  ];
  expect(firstDeny(answers)?.hook_id).toBe('first');
  expect(firstDeny([answer('asks', 'need_user_confirm')])).toBeUndefined();
});
