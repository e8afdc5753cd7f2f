import { expect, test } from 'vitest';
import { isOverPhase } from '../../../../src/rules/hooks/fold-answers.js';
import { firesFor } from '../../../../src/rules/hooks/handlers.js';

test.each([
  [undefined, 'person', true],
  [undefined, undefined, true],
  [['agent'], 'agent', true],
  [['agent'], 'person', false],
  [[], 'person', false],
  [['agent'], undefined, true],
] as const)('a hook for %j fires for the caller %s: %s', (callers, caller, fires) => {
  expect(firesFor({ callers }, caller)).toBe(fires);
});

test('the hooks after a call and at the end of a session cannot prevent their event', () => {
  const phases = [
    'SessionStart',
    'PromptSubmit',
    'PreAbilityCreate',
    'PreAbilityCall',
    'PostAbilityCall',
    'SessionStop',
  ];
  expect(phases.filter((phase) => isOverPhase(phase as never))).toEqual(['PostAbilityCall', 'SessionStop']);
});
