import { expect, test } from 'vitest';
import { limitsOf } from '../../../../src/planning/resolve/resolve-environment.js';
import { lowLevel, registryOf, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const project = (policy = '') =>
  registryOf({ 'ability.yaml': `format: 1\nproject: p\nenvironments: { dev: {} }\n${policy}` }).project;

test('limits that are not stated are those of the design', () => {
  expect(limitsOf(project(), undefined)).toEqual({
    max_ms: null,
    task_ms: 15 * 60_000,
    cleanup_ms: 5 * 60_000,
    expires_ms: 7 * 24 * 3_600_000,
    output_bytes: 8 * 1024 * 1024,
  });
});

test('an ability may state how long its task may take', () => {
  expect(limitsOf(project(), '2h').task_ms).toBe(7_200_000);
});

test('the policy of the project caps the limits of an ability, and the default ones', () => {
  const strict = project('policy: { max_timeout: 1m }');
  expect(limitsOf(strict, '2h')).toMatchObject({ max_ms: 60_000, task_ms: 60_000 });
  expect(limitsOf(strict, undefined).task_ms).toBe(60_000);
  expect(limitsOf(strict, '10s').task_ms).toBe(10_000);
});

test('one attempt of a call takes a minute at most, or what its implementation states, capped by the policy', () => {
  const timeoutOf = (timeout: string, policy = ''): number | undefined => {
    const implementation = `implementation: { kind: script, script: { path: scripts/any.mjs ${timeout} } }`;
    const files = {
      'ability.yaml': `format: 1\nproject: p\nenvironments: { dev: {} }\n${policy}`,
      ...SCRIPT_FILE,
      ...lowLevel('op', timeout ? implementation : SCRIPT),
    };
    return resolved(files, 'op').plan.operations.op?.implementation.timeout_ms;
  };
  expect(timeoutOf('')).toBe(60_000);
  expect(timeoutOf(', timeout_sec: 300')).toBe(300_000);
  expect(timeoutOf(', timeout_sec: 0.5')).toBe(500);
  expect(timeoutOf(', timeout_sec: 300', 'policy: { max_timeout: 10s }')).toBe(10_000);
});
