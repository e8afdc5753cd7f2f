import { expect, test } from 'vitest';
import { planCall } from '../../../../src/operations/ask/consider-call.js';
import { lowLevel, registryOf, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

test.each([
  ['session', /No calls from sessions/],
  ['person', undefined],
])('a guard for the caller %s counts as it does when the task runs in the session of the request', (caller, reason) => {
  const registry = registryOf({
    ...SCRIPT_FILE,
    ...lowLevel('op', SCRIPT),
    'registry/hooks/PreAbilityCreate.yaml': `hooks: [{ id: guard, blocking: true, match: { callers: [${caller}] }, handler: { expression: { deny_if: "true", reason: No calls from sessions } } }]`,
  });
  const request = { registry, environment: 'dev', user: { name: 'ada', source: 'claimed' }, env: {} } as const;
  const planning = planCall(request, 'op', 'run op');
  expect('problem' in planning ? planning.problem.message : undefined).toEqual(reason && expect.stringMatching(reason));
});
