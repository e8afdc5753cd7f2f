import { expect, test } from 'vitest';
import type { Plan } from '../../../../src/contracts/plan.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { knownDigestOf } from '../../../../src/rules/plans/plan-digest.js';

/** Only the JSON of a plan is read. */
const plan = (text: string): Plan => JSON.parse(text);

test('the digest of a plan is always the same, whatever the order of its keys', () => {
  const digest = digestOf(plan('{"a": 1, "b": {"c": [2]}}'));
  for (const text of ['{"a": 1, "b": {"c": [2]}}', '{"b": {"c": [2]}, "a": 1}', '{"a": 1, "b": {"c": [2]}}']) {
    expect(knownDigestOf(plan(text))).toBe(digest);
  }
});

test('different plans have different digests, even many of them and a large one', () => {
  const plans = Array.from({ length: 120 }, (_, n) =>
    plan(JSON.stringify({ n, text: n === 7 ? 'x'.repeat(70_000) : '' })),
  );
  expect(new Set(plans.map(knownDigestOf)).size).toBe(plans.length);
  for (const one of plans) expect(knownDigestOf(one)).toBe(digestOf(one));
});
