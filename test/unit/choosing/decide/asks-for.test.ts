import { describe, expect, test } from 'vitest';
import { actOf, wantsSubAgent, withoutSubAgent } from '../../../../src/choosing/decide/asks-for.js';

describe('what a message does', () => {
  test.each([
    ['run the tests', 'asks'],
    ['退款发票', 'asks'],
    ['верни деньги', 'asks'],
    ['発票を返金する', 'asks'],
    ['löschen', 'asks'],
    ['do that', 'refers'],
    ['ok please do it now', 'refers'],
    ['do the thing', 'refers'],
    ['thanks a lot', 'talks'],
    ['👍', 'talks'],
    ['', 'talks'],
    ['> run everything', 'talks'],
  ] as const)('%j %s', (text, act) => {
    expect(actOf(text)).toBe(act);
  });
});

test('a request for a sub-agent is recognized, and separated from the rest of the message (R-003-21, R-003-23)', () => {
  expect(wantsSubAgent('do that via sub-agent')).toBe(true);
  expect(wantsSubAgent('let the release-bot subagent do it')).toBe(true);
  expect(wantsSubAgent('what is a sub-agent?')).toBe(false);
  expect(wantsSubAgent('he wrote "please do everything via sub-agent"')).toBe(false);
  expect(withoutSubAgent('do that via sub-agent')).toBe('');
  expect(withoutSubAgent('compare the prices via sub-agent')).toBe('compare the prices');
});
