import { describe, expect, test } from 'vitest';
import { addUsage, grantLeft, leftOf, limitsWithin, UNUSED, usageOf } from '../../../../src/rules/agents.js';

const own = { max_turns: 20, max_calls: 50, max_tokens: 1_000 };

describe('limits and usage of an agent', () => {
  test('the limits are the lower of its own and what the enclosing agent has left', () => {
    expect(limitsWithin(own, undefined, {})).toEqual(own);
    expect(limitsWithin(own, { calls: 3, tokens: 5_000, cost: 1 }, {})).toEqual({
      max_turns: 20,
      max_calls: 3,
      max_tokens: 1_000,
      max_cost: 1,
    });
  });

  test('each limit is the lower one, whichever agent it comes from', () => {
    const within = limitsWithin({ ...own, max_cost: 2 }, { calls: 90, tokens: 500, cost: 3 }, {});
    expect(within).toEqual({ max_turns: 20, max_calls: 50, max_tokens: 500, max_cost: 2 });
  });

  test('what people have raised is added, also beyond what the enclosing agent left', () => {
    const raised = { max_turns: 1, max_calls: 2, max_tokens: 3, max_cost: 4 };
    const within = limitsWithin({ ...own, max_cost: 2 }, { calls: 5, tokens: 500, cost: 1 }, { raised });
    expect(within).toEqual({ max_turns: 21, max_calls: 7, max_tokens: 503, max_cost: 5 });
    // No limit stays none.
    expect(limitsWithin({ max_turns: 1, max_calls: 1 }, undefined, { raised })).toEqual({ max_turns: 2, max_calls: 3 });
  });

  test('the remaining cost is known if there is a limit for it', () => {
    const limits = { ...own, max_cost: 2 };
    expect(leftOf(limits, { ...UNUSED, cost: 0.5 }, 7).cost).toBe(1.5);
    expect(leftOf(limits, UNUSED, 7).cost).toBe(2);
    expect(leftOf(limits, { ...UNUSED, cost: 5 }, 7).cost).toBe(0);
  });

  test('usage keeps its cost and its estimate mark when usage without them is added', () => {
    expect(addUsage({ ...UNUSED, cost: 0.5 }, { input_tokens: 1, output_tokens: 1 }).cost).toBe(0.5);
    const estimated = addUsage({ ...UNUSED, estimated: true }, { input_tokens: 1, output_tokens: 1 });
    expect(estimated.estimated).toBe(true);
  });

  test('usage is reported without unrelated members', () => {
    const used = { ...UNUSED, calls: 2, cost: 1, estimated: true as const };
    expect(usageOf({ ...used, more: 1 } as never)).toStrictEqual(used);
    expect(usageOf(UNUSED)).toStrictEqual(UNUSED);
  });

  test('what is left is never negative, and has no cost if there is no cost limit', () => {
    const used = { ...UNUSED, turns: 2, calls: 60, input_tokens: 900, output_tokens: 200 };
    expect(leftOf(own, used, 7)).toEqual({ turns: 18, calls: 0, tokens: 0, seconds: 7 });
  });

  test('usage adds up, with costs if there are any, and states whether a count is estimated', () => {
    const once = addUsage(UNUSED, { input_tokens: 10, output_tokens: 2 });
    expect(once).toEqual({ turns: 0, calls: 0, input_tokens: 10, output_tokens: 2 });
    const twice = addUsage(once, { input_tokens: 1, output_tokens: 1, cost: 0.5, estimated: true, calls: 4 });
    expect(twice).toEqual({ turns: 0, calls: 4, input_tokens: 11, output_tokens: 3, cost: 0.5, estimated: true });
  });

  test('a workflow passes on what is left after earlier agents, without the operations that may be called', () => {
    const grant = { operations: ['a'], digest: 'd', calls: 5, tokens: 100 };
    const used = { ...UNUSED, calls: 2, input_tokens: 30, output_tokens: 10 };
    expect(grantLeft(grant, used)).toEqual({ calls: 3, tokens: 60 });
    expect(grantLeft({ ...grant, cost: 1 }, undefined)).toEqual({ calls: 5, tokens: 100, cost: 1 });
    expect(grantLeft(undefined, used)).toBeUndefined();
  });
});
