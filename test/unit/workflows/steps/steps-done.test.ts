import { expect, test } from 'vitest';
import type { PlanStep } from '../../../../src/contracts/plan.js';
import type { StepProgress } from '../../../../src/contracts/task.js';
import { StepsInTurns, stepsDone } from '../../../../src/workflows/steps/steps-done.js';

const entry = { status: 'succeeded', output: 1 } as StepProgress;
const step = (id: string, verb: PlanStep['verb']) => ({ id, verb }) as PlanStep;
const done = (inTurns: StepsInTurns) => stepsDone([], { progress: {}, inTurns });

test('steps in turns that call nothing are listed, and those of earlier runs are counted', () => {
  const inTurns = new StepsInTurns(5);
  inTurns.note(step('named', 'let'), 'all/0/named', entry);
  inTurns.note(step('called', 'call'), 'all/0/called', entry);
  inTurns.note(step('named', 'let'), 'named', entry);
  expect(done(inTurns)).toEqual({
    listed: [{ path: 'all/0/named', verb: 'let', status: 'succeeded', gave: ['1', 1] }],
    left_out: 5,
  });
});

test('a task without such steps reports none', () => {
  expect(done(new StepsInTurns(0))).toBeUndefined();
});
