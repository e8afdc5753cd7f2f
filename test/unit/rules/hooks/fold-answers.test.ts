import { expect, test } from 'vitest';
import type { HookAnswer } from '../../../../src/contracts/hooks.js';
import { foldAnswers } from '../../../../src/rules/hooks/fold-answers.js';

const answer = (path: string, more: Partial<HookAnswer> = {}): HookAnswer => ({
  hook_id: 'h',
  phase: 'PreAbilityCall',
  path,
  status: 'ok',
  decision: 'allow',
  ...more,
});
const shown = (...answers: HookAnswer[]) =>
  foldAnswers(answers).folded.map(({ answer: { path, decision }, times }) => `${path} ${decision} ${times}`);

test('equal answers of the turns of a loop are folded into one, whatever their durations', () => {
  const turns = [answer('l/0/a', { duration_ms: 3 }), answer('l/1/a', { duration_ms: 5 }), answer('l/2/a')];
  expect(shown(...turns)).toEqual(['l/*/a allow 3']);
  expect(foldAnswers(turns).folded[0]?.answer).not.toHaveProperty('duration_ms');
});

test('different answers stay separate, in the order in which they first occurred', () => {
  const denied = answer('l/1/a', { decision: 'deny' });
  expect(shown(answer('l/0/a'), denied, answer('l/0/b'), answer('l/2/a'))).toEqual([
    'l/*/a allow 2',
    'l/*/a deny 1',
    'l/*/b allow 1',
  ]);
});

test('answers outside loops are never folded', () => {
  expect(shown(answer('a'), answer('a'), answer(''))).toEqual(['a allow 1', 'a allow 1', ' allow 1']);
});

test('of many answers in loops, a hundred are listed with their turns, and the others are counted', () => {
  const reasons = Array.from({ length: 102 }, (_, n) => answer('l/0/a', { reason: `${n}` }));
  const { folded, left } = foldAnswers([...reasons, answer('l/1/a', { reason: '0' }), answer('x')]);
  expect([folded.length, left, folded[0]?.times]).toEqual([101, 2, 2]);
  expect(folded.at(-1)?.answer.path).toBe('x');
});
