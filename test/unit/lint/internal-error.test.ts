import { expect, test, vi } from 'vitest';
import { findingsOf, workflow } from './lint-case.js';

/** A fault of the type checks: it ends the check of any expression that names `fault`. */
vi.mock('../../../src/lint/types/read-expression.js', async (original) => {
  const real = await original<typeof import('../../../src/lint/types/read-expression.js')>();
  const parseExpression = (source: string) => {
    if (source.includes('fault')) throw new TypeError('injected fault');
    return real.parseExpression(source);
  };
  return { ...real, parseExpression };
});

const BROKEN = workflow(
  'input_schema: { type: object, properties: { fault: { type: string } } }',
  'steps:',
  '  - { id: a, call: op.read, if: "input.fault == \'x\'", with: { id: "1" } }',
);
const OTHER = {
  'registry/high-level/other.yaml':
    'id: other\ntype: workflow\nversion: 1\nsummary: Another workflow.\nsteps:\n  - { id: a, call: op.read, if: "1 + true", with: { id: "1" } }\n',
};
const HOOK = {
  'registry/hooks/PreAbilityCall.yaml':
    'hooks:\n  - { id: guard, match: {}, handler: { expression: { deny_if: "input.fault", reason: no } } }\n',
};

test('an internal error of lint names the file, and ends neither the run nor the check of the other files', () => {
  const findings = findingsOf({ files: { ...BROKEN, ...OTHER, ...HOOK } });
  const failed = findings.filter(({ code }) => code === 'internal.error');
  expect([...new Set(failed.map(({ location }) => location.file))].sort()).toEqual([
    'registry/high-level/flow.yaml',
    'registry/hooks/PreAbilityCall.yaml',
  ]);
  expect(failed[0]?.message).toContain('injected fault');
  expect(findings).toContainEqual(
    expect.objectContaining({
      severity: 'error',
      location: expect.objectContaining({ file: 'registry/high-level/other.yaml' }),
    }),
  );
});
