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

const server = { name: 'logs', transport: 'stdio', command: 'node', args: ['logs.mjs'] };

test.each([
  [{ read: [], write: [], allowed_hosts: [] }, 'has no network'],
  [{ read: ['data', 'lib'], write: ['out'], allowed_hosts: [] }, 'reads data, lib; writes out; has no network'],
  [{ read: [], write: [], allowed_hosts: ['a.test', 'b.test'] }, 'reaches a.test, b.test'],
])('a preview says what a box lets a process do: %j', (sandbox, may) => {
  for (const [parts, does] of [
    [{ kind: 'script', script: { path: 's/a', interpreter: [], sandbox } }, 's/a'],
    [{ kind: 'mcp', mcp: { tool: 'search', server: { ...server, sandbox } } }, 'search of logs (node logs.mjs)'],
  ]) {
    const implementation = parts as unknown as PlanImplementation;
    expect(kindOf(implementation).describeFully(implementation)).toBe(`${does}, in a box that ${may}`);
  }
});
