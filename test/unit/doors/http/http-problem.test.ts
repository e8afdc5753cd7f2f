import { describe, expect, test } from 'vitest';
import { CODES } from '../../../../src/contracts/codes.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import { EXIT } from '../../../../src/contracts/states.js';
import { httpProblem, statusOf } from '../../../../src/doors/http/http-problem.js';

describe('the status of a code', () => {
  test.each([
    ['input.invalid', 400],
    ['door.unauthenticated', 401],
    ['door.forbidden', 403],
    ['guard.denied', 403],
    ['task.not_found', 404],
    ['ability.not_found', 404],
    ['task.key_conflict', 409],
    ['task.deleted', 410],
    ['config.missing_credential', 422],
    ['door.too_many', 429],
    ['internal.error', 500],
    ['feature.unsupported', 501],
    ['temporal.unavailable', 503],
    ['runtime.stopped', 503],
    ['wait.timeout', 504],
    ["an author's own", 500],
  ])('%s is %d', (code, status) => expect(statusOf(code)).toBe(status));

  test('is an error status, for each code', () => {
    for (const code of Object.keys(CODES)) expect(statusOf(code)).toBeGreaterThanOrEqual(400);
  });

  test('is a client error for what the command line treats as bad usage', () => {
    for (const [code, { exit }] of Object.entries(CODES)) {
      if (exit === EXIT.usage && code !== 'feature.unsupported') expect(statusOf(code)).toBeLessThan(500);
    }
  });
});

test('an unknown error reveals nothing about itself', () => {
  const problem = httpProblem(new TypeError('secret at /home/alice/x.ts:1'));
  expect(problem).toMatchObject({ status: 500, code: 'internal.error' });
  expect(JSON.stringify(problem)).not.toMatch(/secret|alice|\.ts/);
});

test('an error of ours states what happened, where, and what to do next', () => {
  const location = { file: 'ability.yaml', line: 3 };
  const error = new AbilityError({
    code: 'config.invalid',
    message: 'm',
    location,
    suggestion: 's',
    details: { x: 1 },
  });
  expect(httpProblem(error)).toEqual({
    type: 'urn:ability:config.invalid',
    title: CODES['config.invalid'].means,
    status: 400,
    detail: 'm',
    code: 'config.invalid',
    suggestion: 's',
    location,
    details: { x: 1 },
  });
});

test('who owns the runtime sees what failed, and where its log is; or that its files were replaced', () => {
  expect(httpProblem(new TypeError('x is not a function'), '/p/.system/runtime.log')).toMatchObject({
    code: 'internal.error',
    detail: 'The runtime failed: x is not a function',
    suggestion: 'Read /p/.system/runtime.log.',
  });
  const replaced = Object.assign(new Error('Cannot find module x.js'), { code: 'ERR_MODULE_NOT_FOUND' });
  expect(httpProblem(replaced, '/p/.system/runtime.log')).toMatchObject({
    code: 'internal.error',
    detail: 'The files of the runtime were replaced while it was running',
    suggestion: 'Stop it with `ability down`, and do it again: tasks go on.',
  });
});
