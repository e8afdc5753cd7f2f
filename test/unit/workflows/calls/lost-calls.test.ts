import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Problem } from '../../../../src/contracts/problem.js';
import { causeOf, LostCalls } from '../../../../src/workflows/calls/lost-calls.js';
import { StepFailure } from '../../../../src/workflows/steps/step-failure.js';

const scope = vi.hoisted(() => ({ consideredCancelled: false }));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  CancellationScope: { current: () => scope },
}));

beforeEach(() => {
  scope.consideredCancelled = false;
});

const unknown = (path?: string): Problem => ({
  code: 'outcome.unknown',
  message: 'lost',
  ...(path !== undefined && { details: { path } }),
});
const limit = () => new StepFailure({ code: 'timeout.step', message: 'too late' });
const WON = { code: 'race.lost', message: 'another branch won', path: 'r' };

/** The lost calls of a task with these warnings. */
function lostCalls(warned: Problem[] = []) {
  const warnings = { lost: new Map(warned.map((problem, at) => [`w${at}`, problem])) };
  return new LostCalls(warnings as never);
}

describe('a call whose outcome could not be determined ends', () => {
  const end = (more: object) =>
    lostCalls().endOf({ problem: unknown(), wasCut: true, mayBeCut: false, limit: undefined, ...more });

  test('as unknown if the task did not cut it', () => {
    scope.consideredCancelled = true;
    expect(end({ wasCut: false, mayBeCut: true })).toMatchObject({ problem: { code: 'outcome.unknown' } });
  });

  test('as cancelled if its author allowed the cut', () => {
    scope.consideredCancelled = true;
    expect(end({ mayBeCut: true, limit: limit() })).toMatchObject({ name: 'CancelledFailure' });
  });

  test('with its limit if its author allowed the cut', () => {
    expect(end({ mayBeCut: true, limit: limit() })).toMatchObject({ problem: { code: 'timeout.step' } });
  });

  test('as unknown, with its limit as the cause, if its author did not', () => {
    expect(end({ limit: limit() })).toMatchObject({
      problem: {
        code: 'outcome.unknown',
        message: 'lost; it was cut by timeout.step: too late',
        details: { cause: { code: 'timeout.step', message: 'too late' } },
      },
    });
  });

  test('as unknown without a cause if there is none yet', () => {
    expect(end({ mayBeCut: true })).toMatchObject({ problem: { message: 'lost' } });
    scope.consideredCancelled = true;
    expect(end({ limit: limit() })).toMatchObject({ problem: { message: 'lost' } });
  });
});

describe('the cause of a cut', () => {
  test('is added only to an unknown outcome', () => {
    const [failed, lost] = [limit(), new StepFailure(unknown())];
    lostCalls().explain(failed, WON);
    lostCalls().explain(lost, WON);
    expect(failed.problem.details).toBeUndefined();
    expect(lost.problem.details).toEqual({ cause: WON });
  });

  test('is the first, unless that was the cancellation of the task', () => {
    const [first, cancelled] = [new StepFailure(unknown()), new StepFailure(unknown())];
    const calls = lostCalls();
    calls.explain(first, WON);
    calls.explain(first, { code: 'step.failed', message: 'later' });
    expect(first.problem.message).toBe('lost; it was cut by race.lost: another branch won');
    scope.consideredCancelled = true;
    calls.explainCancellation(cancelled);
    expect(cancelled.problem.message).toBe('lost; it was cut by task.cancelled: The task was cancelled');
    calls.explain(cancelled, WON);
    expect(cancelled.problem.message).toBe('lost; it was cut by race.lost: another branch won');
  });

  test('is not repeated if the message ends with it', () => {
    const lost = new StepFailure({ ...unknown(), message: 'lost: too late' });
    lostCalls().explain(lost, { code: 'timeout.step', message: 'too late' });
    expect(lost.problem.message).toBe('lost: too late; it was cut by timeout.step');
  });

  test('is the cancellation of the task only if it was cancelled', () => {
    const lost = new StepFailure(unknown());
    lostCalls().explainCancellation(lost);
    expect(lost.problem.message).toBe('lost');
  });

  test('names its step and its path, if any', () => {
    expect(causeOf({ code: 'c', message: 'm', step: 's', details: { path: 'a/s' }, suggestion: 'x' })).toEqual({
      code: 'c',
      message: 'm',
      step: 's',
      path: 'a/s',
    });
    expect(causeOf({ code: 'c', message: 'm' })).toEqual({ code: 'c', message: 'm' });
  });
});

describe('what cut one call also cut the others', () => {
  /** Two items of a loop and a call in a warning, all cut; @param paths where they are. */
  function cut(paths: [string, string, string], cause: typeof WON | { code: string; message: string }) {
    const [one, other, warned] = paths.map((path) => unknown(path)) as [Problem, Problem, Problem];
    const calls = lostCalls([warned]);
    const listed = { message: '' };
    scope.consideredCancelled = true;
    for (const problem of [one, other, warned]) {
      calls.endOf({ problem, wasCut: true, mayBeCut: false, limit: undefined });
    }
    calls.noteItem(one, paths[0], undefined);
    calls.noteItem(other, paths[1], listed);
    calls.noteItem({ code: 'script.exit', message: 'm' }, paths[1], undefined);
    calls.noteItem(undefined, paths[1], undefined);
    calls.explain(new StepFailure(one), cause);
    return {
      causes: [one, other, warned].map(({ details }) => (details as { cause?: object }).cause !== undefined),
      listed,
    };
  }

  test('in the same place, in loops and in warnings', () => {
    const { causes, listed } = cut(['r/a', 'r/b', 'r/c'], WON);
    expect(causes).toEqual([true, true, true]);
    expect(listed.message).toContain('it was cut by race.lost');
  });

  test('but not those in other places', () => {
    expect(cut(['r/a', 'rr/b', 's/c'], WON).causes).toEqual([true, false, false]);
  });

  test('in any place, if the whole task was cut', () => {
    expect(cut(['r/a', 's/b', 't/c'], { code: 'task.cancelled', message: 'm' }).causes).toEqual([true, true, true]);
  });

  test('but not those that the task did not cut', () => {
    const [one, other, warned] = [unknown('a'), unknown('b'), unknown('c')];
    const calls = lostCalls([warned]);
    calls.noteItem(other, 'b', undefined);
    calls.explain(new StepFailure(one), { code: 'task.cancelled', message: 'm' });
    expect([other.details, warned.details]).toEqual([{ path: 'b' }, { path: 'c' }]);
  });
});
