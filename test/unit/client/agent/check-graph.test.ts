import { describe, expect, test } from 'vitest';
import { checkGraph } from '../../../../src/client/agent/judge-plan.js';
import type { PlannedEntry } from '../../../../src/contracts/agent-runtime.js';

const entry = (id: string, after?: string[], ability_id = 'notes.search'): PlannedEntry => {
  return { id, ability_id, input: {}, ...(after && { after }) };
};
const made = new Map([
  ['done', { call: 'notes.search', ended: true }],
  ['waits', { call: 'notes.search', ended: false }],
]);
const check = (...plan: PlannedEntry[]) =>
  checkGraph(plan, {
    abilities: new Set(['notes.search', 'notes.write']),
    made,
    callOf: ({ ability_id }) => ability_id,
  });

describe('checkGraph', () => {
  test.each([
    ['nothing', []],
    ['independent calls', [entry('a'), entry('b')]],
    ['a diamond, in any order', [entry('d', ['b', 'c']), entry('b', ['a']), entry('c', ['a']), entry('a')]],
    ['what comes after a call that has ended', [entry('a', ['done'])]],
    ['the same call under its id again', [entry('done'), entry('waits')]],
    ['another call under the id of one that waits to be run', [entry('waits', [], 'notes.write')]],
    ['the same id before twice', [entry('a'), entry('b', ['a', 'a'])]],
  ])('lets %s pass (R-000-79)', (_, plan) => {
    expect(check(...plan)).toEqual([]);
  });

  test.each([
    ['an id twice', [entry('a'), entry('a')], 'a', 'planner.plan_invalid', 'Two calls'],
    ['a call after itself', [entry('a', ['a'])], null, 'planner.plan_invalid', 'wait for each other: a'],
    [
      'a circle',
      [entry('x'), entry('a', ['c']), entry('b', ['a']), entry('c', ['b'])],
      null,
      'planner.plan_invalid',
      'a, b, c',
    ],
    ['what comes after no call', [entry('a', ['nothing'])], 'a', 'planner.plan_invalid', 'no call has that id'],
    ['what comes after a dropped call', [entry('a', ['waits'])], 'a', 'planner.plan_invalid', 'no call has that id'],
    ['an ability that is not offered', [entry('a', [], 'notes.serch')], 'a', 'ability.not_found', 'not among'],
    [
      'an id of an ended call for another',
      [entry('done', [], 'notes.write')],
      'done',
      'planner.plan_invalid',
      'has ended',
    ],
  ])('refuses %s, with a suggestion (R-000-79)', (_, plan, id, code, reason) => {
    expect(check(...plan)).toEqual([
      { id, refusal: { code, reason: expect.stringContaining(reason), suggestion: expect.stringMatching(/\w/) } },
    ]);
  });

  test('calls that depend on a circle are reported with it, and all faults are reported at once', () => {
    expect(check(entry('a', ['a']), entry('b', ['a']))).toMatchObject([
      { refusal: { reason: expect.stringContaining('a, b') } },
    ]);
    expect(check(entry('a', ['x']), entry('a'), entry('c', [], 'none'))).toHaveLength(3);
  });
});
