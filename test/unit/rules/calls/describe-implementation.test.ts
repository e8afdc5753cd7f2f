import { expect, test } from 'vitest';
import type { PlanImplementation } from '../../../../src/contracts/plan.js';
import { describeImplementation } from '../../../../src/rules/calls/describe-implementation.js';

test.each([
  [{ kind: 'script', script: { path: 's/a.py', interpreter: ['python3', '-u'] } }, 'python3 -u s/a.py'],
  [{ kind: 'script', script: { path: 's/a', interpreter: [] } }, 's/a'],
  [{ kind: 'mcp', mcp: { tool: 'search', server: { name: 'logs' } } }, 'search of logs'],
  [
    { kind: 'api', api: { method: 'POST', base_url: 'https://x.test/v1/', path: '/users/{id}' } },
    'POST https://x.test/v1/users/{id}',
  ],
  [{ kind: 'model', model: { name: 'claude' } }, 'the model claude'],
  [{ kind: 'model', model: { name: 'mine', script: { path: 's/m.mjs', interpreter: ['node'] } } }, 'node s/m.mjs'],
])('%j', (implementation, expected) => {
  expect(describeImplementation(implementation as unknown as PlanImplementation)).toBe(expected);
});
