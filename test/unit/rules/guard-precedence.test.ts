import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GuardDecision, HookAnswer } from '../../../src/contracts/hooks.js';
import { firstDeny, strongestDecision } from '../../../src/rules/guard-precedence.js';

const answer = (hook_id: string, decision: GuardDecision): HookAnswer => ({
  hook_id,
  phase: 'PreAbilityCall',
  path: '',
  status: 'ok',
  decision,
});

test.each([
  [['allow', 'need_user_confirm', 'deny'], 'deny'],
  [['deny', 'allow'], 'deny'],
  [['need_user_confirm', 'allow'], 'need_user_confirm'],
  [['allow', 'allow'], 'allow'],
  [[], 'allow'],
] as const)('%j together say %s', (decisions, strongest) => {
  expect(strongestDecision(decisions.map((decision) => ({ decision })))).toBe(strongest);
});

test('their order does not matter', () => {
  const decision = fc.constantFrom('allow', 'need_user_confirm', 'deny');
  fc.assert(
    fc.property(fc.array(decision), (decisions) => {
      const answers = decisions.map((one) => ({ decision: one }));
      expect(strongestDecision([...answers].reverse())).toBe(strongestDecision(answers));
    }),
  );
});

test('the first deny is the one that is reported', () => {
  const answers = [answer('asks', 'need_user_confirm'), answer('first', 'deny'), answer('second', 'deny')];
  expect(firstDeny(answers)?.hook_id).toBe('first');
  expect(firstDeny([answer('asks', 'need_user_confirm')])).toBeUndefined();
});
