import { expect, test } from 'vitest';
import { loadedAbility } from '../../../../../src/definitions/find-ability.js';
import { describeDefinition } from '../../../../../src/doors/cli/output/describe-definition.js';
import { agent, registryOf } from '../../../temporary-project.js';

test('an agent is shown with its time-out', () => {
  const found = loadedAbility(registryOf(agent('timeout: 10m')), 'helper');
  expect(found && describeDefinition(found.value)).toEqual([
    'instructions: Help.',
    'may call: nothing',
    'time-out: 10m',
  ]);
});
