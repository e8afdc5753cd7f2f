import { describe, expect, test } from 'vitest';
import { addUsage, grantLeft, leftOf, limitsWithin, UNUSED } from '../../../../src/rules/agents/agent-usage.js';

const own = { max_turns: 20, max_calls: 50, max_tokens: 1_000 };

describe('what an agent may use up', () => {
  test('is the lesser of its own limits and what an agent around it has left', () => {
    expect(limitsWithin(own, undefined)).toEqual(own);
    expect(limitsWithin(own, { calls: 3, tokens: 5_000, cost: 1 })).toEqual({
      max_turns: 20,
      max_calls: 3,
      max_tokens: 1_000,
      max_cost: 1,
    });
  });

  test('is told by what is left, never below nothing, and no limit is none', () => {
    const used = { ...UNUSED, turns: 2, calls: 60, input_tokens: 900, output_tokens: 200 };
    expect(leftOf(own, used, 7)).toEqual({ turns: 18, calls: 0, tokens: 0, seconds: 7 });
  });

  test('adds up, with costs where there are some, and says where a count is estimated', () => {
    const once = addUsage(UNUSED, { input_tokens: 10, output_tokens: 2 });
    expect(once).toEqual({ turns: 0, calls: 0, input_tokens: 10, output_tokens: 2 });
    const twice = addUsage(once, { input_tokens: 1, output_tokens: 1, cost: 0.5, estimated: true, calls: 4 });
    expect(twice).toEqual({ turns: 0, calls: 4, input_tokens: 11, output_tokens: 3, cost: 0.5, estimated: true });
  });

  test('is passed on by a workflow less by what agents used before, without what they may call', () => {
    const grant = { operations: ['a'], digest: 'd', calls: 5, tokens: 100 };
    const used = { ...UNUSED, calls: 2, input_tokens: 30, output_tokens: 10 };
    expect(grantLeft(grant, used)).toEqual({ calls: 3, tokens: 60 });
    expect(grantLeft(undefined, used)).toBeUndefined();
  });
});
