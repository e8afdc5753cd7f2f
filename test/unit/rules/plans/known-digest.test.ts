import { expect, test } from 'vitest';
import type { Plan } from '../../../../src/contracts/plan.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { knownDigestOf } from '../../../../src/rules/plans/known-digest.js';

/** Nothing of a plan is read but its JSON. */
const plan = (text: string): Plan => JSON.parse(text);

test('the digest of a plan is the same whenever it is asked for, and in whatever order its keys are', () => {
  const digest = digestOf(plan('{"a": 1, "b": {"c": [2]}}'));
  for (const text of ['{"a": 1, "b": {"c": [2]}}', '{"b": {"c": [2]}, "a": 1}', '{"a": 1, "b": {"c": [2]}}']) {
    expect(knownDigestOf(plan(text))).toBe(digest);
  }
});

test('plans that differ have digests that differ, many of them and a large one as well', () => {
  const plans = Array.from({ length: 120 }, (_, n) =>
    plan(JSON.stringify({ n, text: n === 7 ? 'x'.repeat(70_000) : '' })),
  );
  expect(new Set(plans.map(knownDigestOf)).size).toBe(plans.length);
  for (const one of plans) expect(knownDigestOf(one)).toBe(digestOf(one));
});
