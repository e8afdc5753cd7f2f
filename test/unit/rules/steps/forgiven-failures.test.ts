import { expect, test } from 'vitest';
import type { PlanStep } from '../../../../src/contracts/plan.js';
import type { StepSummary } from '../../../../src/contracts/task.js';
import { describeForgiven } from '../../../../src/rules/steps/describe-items.js';

/** A step with its path, and whether it continues after an error. */
function listed(path: string, continues = true): { step: PlanStep; path: string } {
  const step: PlanStep = { id: 'x', verb: 'let', let: {}, ...(continues && { continue_on_error: true }) } as never;
  return { step, path };
}

function row(path: string, more: Partial<StepSummary>): StepSummary {
  return { id: path, path, call: null, status: 'failed', attempts: 1, duration_ms: 1, ...more };
}

const error = { code: 'script.exit', message: 'x.sh ended with exit code 3\nmore' };

test('a forgiven failure is reported with its step and reason', () => {
  expect(describeForgiven([listed('notify')], [row('notify', { error })])).toEqual([
    'The step notify failed and the task went on (continue_on_error): script.exit: x.sh ended with exit code 3',
  ]);
});

test('steps that succeeded, were not forgiven or cannot be forgiven are not reported', () => {
  const steps = [listed('a'), listed('b', false), listed('c'), listed('d')];
  const rows = [
    row('a', { status: 'succeeded', error }),
    row('b', { error }),
    row('c', { status: 'unknown', error: { code: 'outcome.unknown', message: '' } }),
    row('d', { status: 'denied', error: { code: 'guard.denied', message: '' } }),
  ];
  expect(describeForgiven(steps, rows)).toEqual([]);
});

test('for a step in a loop the failed turns are counted, and the first is named', () => {
  const failures = [
    { item: 12, label: 'web-13', status: 'failed' as const, path: 'hosts/12/check', attempts: 1, error },
  ];
  const turns = row('hosts/*/check', { turns: 20, failed_turns: 3, failures, failures_left_out: 2 });
  expect(describeForgiven([listed('hosts/*/check')], [turns])).toEqual([
    'The step hosts/*/check failed in 3 of 20 turns, which went on (continue_on_error); first item 12 (web-13): script.exit: x.sh ended with exit code 3',
  ]);
});

test('a failure that ended its turn is reported by the loop, not as forgiven', () => {
  expect(
    describeForgiven([listed('hosts/*/check')], [row('hosts/*/check', { turns: 20, failed_turns: 1, error })]),
  ).toEqual([]);
});

test('a nested loop that failed in some turns is reported with its error, if it has one', () => {
  const items = { verb: 'foreach' as const, total: 2, succeeded: 1 };
  const warningsOf = (more: Partial<StepSummary>) =>
    describeForgiven([listed('l/*/m')], [row('l/*/m', { turns: 3, failed_turns: 1, items, ...more })]);
  expect(warningsOf({ error })).toEqual([expect.stringMatching(/in 1 of 3 turns, .*: script\.exit: x\.sh/)]);
  expect(warningsOf({})).toEqual([expect.stringMatching(/which went on \(continue_on_error\)$/)]);
});

test('of many steps the first are reported, and the others are counted', () => {
  const paths = Array.from({ length: 25 }, (_, index) => `s${index}`);
  const warnings = describeForgiven(
    paths.map((path) => listed(path)),
    paths.map((path) => row(path, { error })),
  );
  expect(warnings).toHaveLength(21);
  expect(warnings.at(-1)).toBe('5 more steps failed and the task went on');
  const few = paths.slice(0, 20);
  const all = few.map((path) => row(path, { error }));
  expect(
    describeForgiven(
      few.map((path) => listed(path)),
      all,
    ),
  ).toHaveLength(20);
});
