import { describe, expect, test } from 'vitest';
import type { Approval, DecisionOutcome } from '../../../../src/contracts/approvals.js';
import { Approvals } from '../../../../src/workflows/approvals/approvals.js';

const counted: DecisionOutcome = { counted: true, approval_id: 'a', status: 'open', missing: 1 };
const ignored: DecisionOutcome = { counted: false, approval_id: null, reason: 'no' };

/** As Temporal hands it to the next run. */
const carriedOn = (approvals: Approvals): Approvals => new Approvals(JSON.parse(JSON.stringify(approvals.carry())));

describe('the outcome of a decision', () => {
  test('is known by the id of the decision', () => {
    const approvals = new Approvals();
    expect([approvals.has('d-1'), approvals.outcomeOf('d-1')]).toEqual([false, null]);
    approvals.note('d-1', counted);
    approvals.note('d-2', ignored);
    expect([approvals.has('d-1'), approvals.outcomeOf('d-1')]).toEqual([true, counted]);
    expect(approvals.outcomeOf('d-2')).toEqual(ignored);
  });

  test('is null while its proof is checked, although the decision has come', () => {
    const approvals = new Approvals();
    approvals.note('d-1', null);
    expect([approvals.has('d-1'), approvals.outcomeOf('d-1')]).toEqual([true, null]);
    approvals.note('d-1', counted);
    expect(approvals.outcomeOf('d-1')).toEqual(counted);
  });

  test('is not kept for a decision without an id, of which none is a repetition', () => {
    const approvals = new Approvals();
    approvals.note(undefined, counted);
    expect(approvals.has(undefined)).toBe(false);
    expect(approvals.carry()).toEqual({ approvals: [] });
  });

  test('is known in the next run, where the decision still does not count again', () => {
    const approvals = new Approvals();
    approvals.note('d-1', counted);
    approvals.note('d-2', ignored);
    const next = carriedOn(carriedOn(approvals));
    expect([next.has('d-1'), next.outcomeOf('d-1'), next.outcomeOf('d-2')]).toEqual([true, counted, ignored]);
  });

  test('is kept for the last hundred decisions', () => {
    const approvals = new Approvals();
    for (let n = 0; n < 101; n += 1) approvals.note(`d-${n}`, counted);
    expect([approvals.has('d-0'), approvals.has('d-1'), approvals.has('d-100')]).toEqual([false, true, true]);
    approvals.note('d-1', ignored);
    expect(approvals.has('d-2')).toBe(true);
  });
});

test('the approvals of a task are those of its earlier runs and its own; only some are open', () => {
  const first = new Approvals({ approvals: [{ id: 'a', status: 'approved' } as Approval] });
  first.list.push({ id: 'b', status: 'open' } as Approval);
  const next = carriedOn(first);
  expect(next.list.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(next.open.map(({ id }) => id)).toEqual(['b']);
});

describe('an approval that was given ahead', () => {
  const given = {
    ...{ id: 'a', path: 'migrate', title: 'Migrate?', reasons: ['prod asks.'], status: 'approved' },
    ...{ due_at: '2030', raised_at: '2029', what: { ability: 'db', input: { to: 'v2' } } },
  } as unknown as Approval;
  const raised = (more: object = {}): Approval => {
    const { due_at: _, ...rest } = given;
    return { ...rest, status: 'open', raised_at: '2030', ...more } as Approval;
  };
  const holding = (more: object = {}) => new Approvals({ approvals: [{ ...given, ...more }] });

  test('counts once, also in the next run', () => {
    const approvals = holding();
    expect(approvals.takeAhead(raised())).toMatchObject({ id: 'a', used_at: '2030' });
    expect(approvals.takeAhead(raised())).toBeUndefined();
    expect(carriedOn(approvals).takeAhead(raised())).toBeUndefined();
    expect(carriedOn(holding()).takeAhead(raised())).toMatchObject({ id: 'a' });
  });

  test.each([
    ['another input', {}, { what: { ability: 'db', input: { to: 'v3' } } }],
    ['another step', {}, { path: 'other' }],
    ['another question', {}, { title: 'Really?' }],
    ['a reason that no one has seen', {}, { reasons: ['prod asks.', 'A hook asks.'] }],
    ['what was denied', { status: 'denied' }, {}],
    ['what is still open', { status: 'open' }, {}],
    ['what was not asked ahead', { due_at: undefined }, {}],
  ])('does not count for %s', (_, held, wanted) => {
    expect(holding(held).takeAhead(raised(wanted))).toBeUndefined();
  });
});
