import { expect, test } from 'vitest';
import type { PlanStep } from '../../../../src/contracts/plan.js';
import { innerSteps, isGroup, isLoop, isPlain } from '../../../../src/rules/steps/step-tree.js';

const inner: PlanStep[] = [{ id: 'inner', verb: 'let', let: {} }];
const STEPS: { [Verb in PlanStep['verb']]: Extract<PlanStep, { verb: Verb }> } = {
  call: { id: 'x', verb: 'call', call: 'op', with: {} },
  approval: { id: 'x', verb: 'approval', approval: { title: 'Go?', expires: '1h', comment: 'optional' } },
  parallel: { id: 'x', verb: 'parallel', branches: inner },
  race: { id: 'x', verb: 'race', branches: inner },
  foreach: { id: 'x', verb: 'foreach', foreach: { list: [1] }, as: 'n', max_parallel: 1, steps: inner },
  switch: { id: 'x', verb: 'switch', cases: [{ steps: inner }] },
  repeat: { id: 'x', verb: 'repeat', repeat: { until: 'true', every: '0s', max: 1 }, steps: inner },
  wait: { id: 'x', verb: 'wait', wait: { for: '1s' } },
  steps: { id: 'x', verb: 'steps', steps: inner },
  let: { id: 'x', verb: 'let', let: {} },
  fail: { id: 'x', verb: 'fail', fail: { code: 'a.b', message: 'No.' } },
  end: { id: 'x', verb: 'end', end: { output: null } },
};

test.each(Object.entries(STEPS))('the kind of `%s` matches the steps inside it', (verb, step) => {
  const [list] = innerSteps(step);
  expect(list?.isRepeated ?? false).toBe(isLoop(step));
  if (isGroup(step)) expect(list).toBeDefined();
  // A call contains no steps either, but is not plain.
  expect(isPlain(step)).toBe(list === undefined && verb !== 'call');
});
