import { expect, test } from 'vitest';
import type { PlanImplementation } from '../../../src/contracts/plan.js';
import { kindOf } from '../../../src/kinds/kinds.js';

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
])('%j', (parts, expected) => {
  const implementation = parts as unknown as PlanImplementation;
  expect(kindOf(implementation).describe(implementation)).toBe(expected);
});
