import { describe, expect, test } from 'vitest';
import type { CountedDecision, Grant } from '../../../../src/contracts/approvals.js';
import { describeGrant, grantOf } from '../../../../src/rules/tasks/decision-form.js';
import { isGranted, whyNoGrant } from '../../../../src/rules/tasks/grants.js';

const HOUR = 3_600_000;
const decision = (grant?: Grant): CountedDecision => ({
  decision: 'approve',
  by: 'unnamed',
  at: '2026-01-01T00:00:00Z',
  self: false,
  ...(grant && { grant }),
});
const together = (...grants: (Grant | undefined)[]) => grantOf({ decisions: grants.map(decision) });

describe('what several people grant together', () => {
  test('is the least of each, under all conditions', () => {
    expect(
      together(
        { for: 'session', up_to: 20, if: 'input.a == 1', for_ms: 2 * HOUR },
        { for: 'task', up_to: 5, if: 'input.b == 2' },
      ),
    ).toEqual({ for: 'task', up_to: 5, if: ['input.a == 1', 'input.b == 2'], ms: 2 * HOUR });
    expect(together({ for: 'session', up_to: 3 }, { for: 'session', up_to: 4 })).toEqual({
      for: 'session',
      up_to: 3,
      if: [],
      ms: 24 * HOUR,
    });
  });

  test('is nothing unless each of them grants something', () => {
    expect(together({ for: 'task', up_to: 5 }, undefined)).toBeUndefined();
    expect(together(undefined)).toBeUndefined();
    expect(together()).toBeUndefined();
  });
});

describe('a call is granted', () => {
  const granted = { reasons: ['a', 'b'], if: ['input.host != "db"', 'input.n < 3'] };

  test('for reasons that were seen, if all conditions hold', () => {
    expect(isGranted(granted, { reasons: ['b'], input: { host: 'web', n: 1 } })).toBe(true);
    expect(isGranted(granted, { reasons: ['b', 'new'], input: { host: 'web', n: 1 } })).toBe(false);
    expect(isGranted(granted, { reasons: ['a'], input: { host: 'db', n: 1 } })).toBe(false);
    expect(isGranted(granted, { reasons: ['a'], input: { host: 'web', n: 3 } })).toBe(false);
  });

  test('not if a condition fails or gives no boolean', () => {
    expect(isGranted(granted, { reasons: [], input: { n: 1 } })).toBe(false);
    expect(isGranted({ reasons: [], if: ['input.n'] }, { reasons: [], input: { n: 1 } })).toBe(false);
  });
});

test('an approval that was escalated, or that is of no call, is no source of a grant', () => {
  const grant = { for: 'task', up_to: 2 };
  expect(whyNoGrant({ grants: ['task'] }, 'approve', grant)).toBeUndefined();
  expect(whyNoGrant({ grants: ['task'] }, 'deny', grant)).toMatchObject({ code: 'grant.refused' });
  expect(whyNoGrant({}, 'approve', grant)).toMatchObject({ code: 'grant.refused' });
  expect(whyNoGrant({ grants: ['task'], escalated_at: '2026-01-01T00:00:00Z' }, 'approve', grant)).toMatchObject({
    code: 'grant.refused',
  });
});

test('a grant in words', () => {
  expect(describeGrant({ for: 'task', up_to: 20, if: 'input.env == "staging"', for_ms: 2 * HOUR })).toBe(
    'up to 20 such calls of the task whose input meets input.env == "staging", for 2h',
  );
});
